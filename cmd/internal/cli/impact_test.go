package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/runner"
)

// fewerCurrencies is the orders contract without NZD, in a folder of its own.
func fewerCurrencies(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"orders.odcs.yaml", "customers.odcs.yaml"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(orders), name))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.NewReplacer("version: 2.2.0", "version: 2.3.0", "          - value: NZD\n            label: New Zealand dollar\n", "").Replace(string(text))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "orders.odcs.yaml")
}

func impactAnswer(sql string) ([]runner.Row, error) {
	if strings.Contains(sql, "max_by(`reasons`") {
		return []runner.Row{{"batch_id": "b2", "reasons": "{}"}, {"batch_id": "b1", "reasons": "{}"}}, nil
	}
	group := func(batch, verdict, gained string, n int64, example any) runner.Row {
		return runner.Row{"batch_id": batch, "old_verdict": "accepted", "new_verdict": verdict, "gained": gained, "lost": "", "rows": n, "example": example}
	}
	return []runner.Row{
		group("b1", "accepted", "", 999, nil), group("b2", "accepted", "", 90, nil),
		group("b1", "unknown_currency", "unknown_currency", 1, `{"order_id":"ORD-000001","currency":"NZD","customer_id":null}`),
		group("b2", "unknown_currency", "unknown_currency", 10, `{"order_id":"ORD-000002","currency":"nzd|","customer_id":null}`),
	}, nil
}

func TestImpact(t *testing.T) {
	const text = `silver.orders: contract 2.3.0 instead of 2.2.0 would reject 11 rows that are accepted now, of 1100 rows in 2 batches; the ceiling would refuse 1 batch

  currency: this enum would reject 11 rows of 2 batches  unknown_currency

batch  rows  rejected  would be  ceiling
  b2   100   0         10        would be refused: 10.00 % (10 of 100), at most 1 %
  b1   1000  0         1

examples
  batch b2, accepted -> unknown_currency: order_id "ORD-000002", currency "nzd|"
  batch b1, accepted -> unknown_currency: order_id "ORD-000001", currency "NZD"

notes
  compared is what a row says alone; duplicates, lookups and late rows count as the last run of the batch recorded them
`
	next := fewerCurrencies(t)
	call := func(flags ...string) *bench {
		b := newBench()
		b.session.Answer = impactAnswer
		for _, name := range []string{"order_id", "customer_id", "order_ts", "order_total", "currency", "source_updated_at", "_source_file", "_loaded_at", "_batch_id"} {
			b.session.Tables = append(b.session.Tables, runner.Column{Name: name})
		}
		if code := b.main(append([]string{"impact", orders, next}, flags...)...); code != 0 {
			t.Fatalf("%v: exit code %d: %s", flags, code, &b.err)
		}
		if b.session.Called("INSERT") || b.session.Called("CREATE") || b.session.Called("SET ") || !b.session.closed {
			t.Errorf("something was written, or the session stays open: %v", b.session.Calls())
		}
		return b
	}
	b := call()
	if b.out.String() != text {
		t.Errorf("got\n%s\nwant\n%s", &b.out, text)
	}
	b = call("--markdown")
	for _, want := range []string{"### silver.orders: contract", "| currency: this enum would reject 11 rows of 2 batches | unknown\\_currency | 11 | 2 |", `nzd\|`} {
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b.out)
		}
	}
	b = call("--json", "--batch", "b1", "--batch", "b2")
	var got runner.Impact
	if err := json.Unmarshal(b.out.Bytes(), &got); err != nil || got.Rows.Rejected != 11 || !got.Batches[1].Refused() || !b.session.Called("`batch_id` IN ('b1', 'b2')") {
		t.Errorf("%v: %s", err, &b.out)
	}
}

func TestImpactUsage(t *testing.T) {
	next := fewerCurrencies(t)
	for flags, says := range map[string]string{
		"--last 0":             "not 1 to 366",
		"--last 3 --batch b":   "exclude each other",
		"--batch a'b":          "batch id",
		"--json --markdown":    "exclude each other",
		"--table customers":    `no table "customers"`,
		"more.odcs.yaml extra": "unexpected argument",
	} {
		b := newBench()
		if code := b.main(append([]string{"impact", orders, next}, strings.Fields(flags)...)...); code != 2 || !strings.Contains(b.err.String(), says) {
			t.Errorf("%s: exit code %d, %s", flags, code, &b.err)
		}
	}
	b := newBench()
	b.session.Answer = func(string) ([]runner.Row, error) {
		return nil, &runner.StatementError{Class: "TABLE_OR_VIEW_NOT_FOUND"}
	}
	if code := b.main("impact", orders, next); code != 3 || !strings.Contains(b.err.String(), "land a batch first") {
		t.Errorf("exit code %d, %s", code, &b.err)
	}
}
