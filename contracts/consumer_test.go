package contracts_test

import (
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

// A consumer may call a column as the table or the contract has it, alone or
// behind the table's name, or name a member of a nested one.
func TestSelect(t *testing.T) {
	table := &contracts.Table{Name: "orders", Columns: []*contracts.Column{
		{Name: "order_id", Logical: "id"},
		{Name: "id", Logical: "old_id"}, // stored under the name by which the contract calls another one
		{Name: "address", Logical: "address", Type: sparksql.Type{Kind: sparksql.STRUCT}},
		{Name: "total", Logical: "total"},
	}}
	for names, want := range map[string]string{
		"":                                   "order_id id address total",
		"total order_id":                     "total order_id",
		"id":                                 "id",
		"old_id orders.id id":                "id",
		"orders.order_id address.city":       "order_id address",
		"address.city orders.address.street": "address",
		"total.city addressed orders":        "- total.city addressed orders",
	} {
		columns, unknown := table.Select(strings.Fields(names))
		var got []string
		for _, c := range columns {
			got = append(got, c.Name)
		}
		if len(unknown) > 0 {
			got = append(append(got, "-"), unknown...)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("Select(%s) = %s, want %s", names, text, want)
		}
	}
}

func TestReaders(t *testing.T) {
	table := &contracts.Table{Name: "orders", Columns: []*contracts.Column{{Name: "a", Logical: "a"}, {Name: "b", Logical: "b"}}}
	c := &contracts.Contract{Consumers: []contracts.Consumer{{Name: "all"}, {Name: "one", Columns: []string{"orders.a"}}}}
	for column, want := range map[*contracts.Column]string{nil: "all one", table.Columns[0]: "all one", table.Columns[1]: "all"} {
		var got []string
		for _, r := range c.Readers(table, column) {
			got = append(got, r.Name)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("readers of %v are %s, want %s", column, text, want)
		}
	}
	if c.Consumer("one") == nil || c.Consumer("two") != nil {
		t.Error("consumers are found by name")
	}
}
