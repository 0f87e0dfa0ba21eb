package gen_test

import (
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
)

func landing(t *testing.T, s gen.Shape) (plan.Landing, error) {
	t.Helper()
	c, err := contracts.Load("../contracts/sales/orders.odcs.yaml", contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Format = c.Server.Format
	return gen.Landing(c.Published()[0], s)
}

func TestLandingStatements(t *testing.T) {
	bronze := []plan.Column{{Name: "_batch_id", Type: "STRING"}, {Name: "Order_ID", Type: "STRING"}, {Name: "gone", Type: "STRING"}, {Name: "_loaded_at", Type: "STRING"}}
	for name, s := range map[string]gen.Shape{
		"a first landing": {Batch: "b1", Columns: []string{"order_id", "it's"}, Views: []string{"v1", "v2"}},
		"a table with another order, a new and a vanished column": {Batch: "b1", Columns: []string{"order_id", "new`one"}, Bronze: bronze, Views: []string{"v1"}},
		"files without a record":                                  {Batch: "b1", Columns: []string{"order_id"}, Bronze: bronze},
	} {
		l, err := landing(t, s)
		if err != nil {
			t.Fatal(err)
		}
		all := append([]plan.Statement{l.Write, l.Count}, l.Ensure...)
		if l.Compare != nil {
			all = append(all, *l.Compare)
		}
		binder := plan.Plan{Params: plan.LandingParams()}
		for _, st := range all {
			sound(t, name+" "+st.Name, st.SQL)
			if _, left, err := binder.Bind(st.SQL, plan.Values{"loaded_at": nil}); err != nil || len(left) > 0 {
				t.Errorf("%s %s: %v, left %v", name, st.Name, err, left)
			}
		}
		if (s.Bronze == nil) != (l.Compare == nil) {
			t.Errorf("%s: compare is %v", name, l.Compare)
		}
	}
	l, _ := landing(t, gen.Shape{Batch: "b1", Columns: []string{"order_id", "new_one"}, Bronze: bronze, Views: []string{"v1"}})
	if strings.Join(l.Added, " ") != "new_one _source_file _source_line _malformed" || strings.Join(l.Absent, " ") != "gone" {
		t.Errorf("added %v, absent %v", l.Added, l.Absent)
	}
	if at := strings.Index(l.Write.SQL, "'b1' AS `_batch_id`"); at < 0 || at > strings.Index(l.Write.SQL, "AS `Order_ID`") {
		t.Errorf("the values do not stand in the table's order:\n%s", l.Write.SQL)
	}
}

func TestLandingRefusals(t *testing.T) {
	for name, s := range map[string]gen.Shape{
		"a batch id":               {Batch: "b'1", Columns: []string{"a"}},
		"a column of the loader's": {Batch: "b1", Columns: []string{"_Batch_id"}},
		"a typed bronze column":    {Batch: "b1", Columns: []string{"a"}, Bronze: []plan.Column{{Name: "A", Type: "INT"}}},
	} {
		if _, err := landing(t, s); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
