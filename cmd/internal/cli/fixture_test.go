package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/runner"
)

// quarantined is a bench whose quarantine answers with one rejected order, and
// the path of the contract in a folder of its own.
func quarantined(t *testing.T) (b *bench, contract string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"orders.odcs.yaml", "customers.odcs.yaml"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(orders), name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b = newBench()
	b.session.Answer = func(sql string) ([]runner.Row, error) {
		switch {
		case strings.Contains(sql, "explode"):
			return []runner.Row{{"code": "bad_amount", "rows": int64(3)}, {"code": "missing_currency", "rows": int64(1)}}, nil
		case strings.Contains(sql, "'bad_amount'"):
			return []runner.Row{{
				"codes": "bad_amount", "version": "2.1.0", "file": "a.csv", "line": int64(7),
				"c0": " ord-000123", "c1": "Cust-42", "c2": "2026-03-20 10:00:00", "c3": "12,50", "c4": "NO", "c5": "2026-03-20 10:05:00", "c6": nil, "c7": "a.csv",
			}}, nil
		}
		return nil, nil
	}
	return b, filepath.Join(dir, "orders.odcs.yaml")
}

func TestFixtureAdd(t *testing.T) {
	b, contract := quarantined(t)
	path := strings.TrimSuffix(contract, ".odcs.yaml") + ".fixtures.yaml"
	add := []string{"fixture", "add", contract, "--batch", "2026-03-21", "--reason", "bad_amount", "--mask", "Customer_ID"}
	const row = `  - name: "TODO name: bad_amount in batch 2026-03-21"
    why: Came in a.csv line 7.
    given:
      - order_id: " ord-000123"
        customer_id: Xxxx-99
        order_ts: "2026-03-20 10:00:00"
        order_total: "12,50"
        currency: "NO"
        source_updated_at: "2026-03-20 10:05:00"
        _loaded_at: null
        _source_file: a.csv
    rejected: {bad_amount: 1}
`
	if code := b.main(append(add, "--print")...); code != 0 || b.out.String() != row {
		t.Fatalf("exit code %d: %s%s", code, &b.err, &b.out)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("--print wrote a file: %v", err)
	}
	for i, want := range []string{path + ":4: TODO name: bad_amount in batch 2026-03-21\n", path + ":16: TODO name: bad_amount in batch 2026-03-21 (2)\n"} {
		b.out.Reset()
		b.err.Reset()
		if code := b.main(add...); code != 0 || b.out.String() != want {
			t.Fatalf("call %d: exit code %d: %s%s", i+1, code, &b.err, &b.out)
		}
	}
	for _, want := range []string{"masked: customer_id", "judged by version 2.1.0", "run it: sluice test " + path} {
		if !strings.Contains(b.err.String(), want) {
			t.Errorf("%q is not said: %s", want, &b.err)
		}
	}
	if b.session.Called("INSERT") || b.session.Called("CREATE") || !b.session.closed {
		t.Errorf("something was written, or the session stays open: %v", b.session.Calls())
	}
}

// TestFixtureAddRefuses: each refusal is exit 2 and says what to do; where only the
// file is at fault, the fixture is printed for pasting.
func TestFixtureAddRefuses(t *testing.T) {
	for _, one := range []struct {
		name, flags, file, says string
		printed, connects       bool
	}{
		{name: "an unknown code", flags: "--reason nope", says: "it has bad_amount (3), missing_currency (1)", connects: true},
		{name: "no code", says: "--reason is missing"},
		{name: "no row asked for", flags: "--reason bad_amount --rows 0", says: "--rows 0 is not 1 to 100"},
		{name: "a malformed row", flags: "--reason malformed_row", says: "CSV file"},
		{name: "a late row", flags: "--reason late_superseded", says: "under published"},
		{name: "an unknown column", flags: "--reason bad_amount --mask customer_i", says: `did you mean "customer_id"`},
		{name: "a file with problems", flags: "--reason bad_amount", file: "contract: orders.odcs.yaml\nfixtures: []\n", says: "empty-list"},
		{name: "a list in brackets", flags: "--reason bad_amount", file: "contract: orders.odcs.yaml\nfixtures: [{name: a, given: [], clean: []}]\n", says: "written in [ ]", printed: true, connects: true},
	} {
		t.Run(one.name, func(t *testing.T) {
			b, contract := quarantined(t)
			if one.file != "" {
				if err := os.WriteFile(strings.TrimSuffix(contract, ".odcs.yaml")+".fixtures.yaml", []byte(one.file), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			code := b.main(append([]string{"fixture", "add", contract, "--batch", "b1"}, strings.Fields(one.flags)...)...)
			if code != 2 || !strings.Contains(b.err.String(), one.says) {
				t.Errorf("exit code %d, %q is not said: %s", code, one.says, &b.err)
			}
			if printed := strings.Contains(b.out.String(), "rejected: {bad_amount: 1}"); printed != one.printed {
				t.Errorf("printed: %s", &b.out)
			}
			if connected := len(b.started) > 0; connected != one.connects {
				t.Errorf("connected: %v", connected)
			}
		})
	}
}
