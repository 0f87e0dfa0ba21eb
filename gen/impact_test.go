package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"

	"github.com/google/go-cmp/cmp"
)

// loadText loads a contract beside the one at path with pairs of texts replaced.
func loadText(t *testing.T, path string, replace ...string) gen.Version {
	t.Helper()
	read := func(name string) ([]byte, error) {
		text, err := os.ReadFile(name)
		if filepath.Base(name) == filepath.Base(path) {
			text = []byte(strings.NewReplacer(replace...).Replace(string(text)))
		}
		return text, err
	}
	c, err := contracts.Load(path, contracts.Options{ReadFile: read})
	if err != nil {
		t.Fatal(err)
	}
	return gen.Version{Contract: c, Table: c.Published()[0]}
}

const (
	ordersPath = "../contracts/sales/orders.odcs.yaml"
	customer   = "      - name: customer_id\n        logicalType: string"
)

var ordersBronze = []string{"ORDER_ID", "customer_id", "order_ts", "order_total", "currency", "source_updated_at", "_source_file", "_loaded_at", "_batch_id"}

// The comparison of two versions, as it is sent: a currency less, a new column, a
// column that is for few eyes.
func TestImpact(t *testing.T) {
	old := loadText(t, ordersPath)
	next := loadText(t, ordersPath, "version: 2.2.0", "version: 2.3.0", "          - value: NZD\n            label: New Zealand dollar\n", "", customer, customer+"\n        classification: pii",
		"      - name: _source_file\n", "      - {name: channel, logicalType: string, physicalType: STRING}\n      - name: _source_file\n")
	q, err := gen.Impact(old, next, ordersBronze, 14)
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/impact.golden"
	got := q.Batches.SQL + ";\n\n" + q.Compare.SQL + ";\n"
	if os.Getenv("SLUICE_UPDATE") == "1" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("SLUICE_UPDATE=1 writes %s: %v\n%s", golden, err, cmp.Diff(string(want), got))
	}
	if diff := cmp.Diff([]string{"channel"}, q.Absent); diff != "" {
		t.Errorf("absent: %s", diff)
	}
	for code, want := range map[string]plan.Origin{
		"unknown_currency": {Column: "currency", Rule: "enum", Sources: []string{"currency"}},
		"missing_order_ts": {Column: "order_ts", Rule: "required", Sources: []string{"order_ts"}},
		"bad_order_date":   {Column: "order_date", Rule: "type", Sources: []string{"order_ts"}},
		"header_row":       {Rule: "header"},
	} {
		if diff := cmp.Diff(want, q.Origins[code]); diff != "" {
			t.Errorf("%s: %s", code, diff)
		}
	}
}

// Whatever the contract holds, the comparison is one closed statement.
func TestImpactIsWellFormed(t *testing.T) {
	for _, path := range []string{"testdata/hostile.odcs.yaml", "testdata/zones.odcs.yaml", "testdata/wide.odcs.yaml", "testdata/typed.odcs.yaml", "testdata/stamped.odcs.yaml", ordersPath} {
		v := loadText(t, path)
		q, err := gen.Impact(v, v, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []plan.Statement{q.Batches, q.Compare} {
			sound(t, path+" "+s.Name, s.SQL)
			sql, left, err := (&plan.Plan{Params: plan.ImpactParams()}).Bind(s.SQL, plan.Values{"batches": []string{"it's"}})
			if err != nil || len(left) > 0 {
				t.Errorf("%s %s: binding leaves %v: %v", path, s.Name, left, err)
			}
			sound(t, path+" "+s.Name+", bound", sql)
		}
	}
}

func TestImpactRefusesOtherSources(t *testing.T) {
	old, next := loadText(t, ordersPath), loadText(t, ordersPath, "table: bronze.orders", "table: bronze.orders_v2")
	if _, err := gen.Impact(old, next, nil, 1); err == nil || !strings.Contains(err.Error(), "they read other sources") {
		t.Errorf("%v", err)
	}
}
