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

// In the window of a rename both columns are filled from the source column of the
// old one; an expression of the new one's own goes before that.
func TestReplacesReadsTheSameSource(t *testing.T) {
	const head = `{apiVersion: v3.2.0, kind: DataContract, id: c, version: 1.0.0, status: active,
		servers: [{server: local, type: custom, host: h, port: 1, schema: silver, format: delta}],
		schema: [{name: t, physicalName: silver.t, properties: [
		{name: id, logicalType: string, physicalType: STRING, required: true, primaryKey: true, primaryKeyPosition: 1},
		{name: at, logicalType: timestamp, physicalType: TIMESTAMP, required: true},
		`
	const tail = `], customProperties: [
		{property: source, value: {table: bronze.t, metadata: {batch: _batch_id}}}, {property: dedup, value: {latestBy: [at]}}, {property: publish, value: {mode: merge}}]}]}`
	const replaces = `customProperties: [{property: replaces, value: old}]`
	for name, one := range map[string]struct{ columns, want string }{
		"the name":                   {`{name: old, logicalType: string, physicalType: STRING}, {name: new, logicalType: string, physicalType: STRING, ` + replaces + `}`, "old"},
		"its expression's column":    {`{name: old, logicalType: string, physicalType: STRING, transformLogic: upper(chan)}, {name: new, logicalType: string, physicalType: STRING, ` + replaces + `}`, "chan"},
		"its source column":          {`{name: old, logicalType: string, physicalType: STRING, customProperties: [{property: sourceColumns, value: [ch]}]}, {name: new, logicalType: string, physicalType: STRING, ` + replaces + `}`, "ch"},
		"the new one in front":       {`{name: new, logicalType: string, physicalType: STRING, ` + replaces + `}, {name: old, logicalType: string, physicalType: STRING}`, "old"},
		"an expression of its own":   {`{name: old, logicalType: string, physicalType: STRING}, {name: new, logicalType: string, physicalType: STRING, transformLogic: lower(other), ` + replaces + `}`, "other"},
		"a source column of its own": {`{name: old, logicalType: string, physicalType: STRING}, {name: new, logicalType: string, physicalType: STRING, customProperties: [{property: replaces, value: old}, {property: sourceColumns, value: [mine]}]}`, "mine"},
	} {
		c, err := contracts.Load("c.odcs.yaml", contracts.Options{ReadFile: func(string) ([]byte, error) { return []byte(head + one.columns + tail), nil }})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		column := c.Tables[0].Column("new")
		if got := strings.Join(column.Sources, " "); got != one.want || column.Replaces != "old" {
			t.Errorf("%s: the new column reads %q and replaces %q, want %q", name, got, column.Replaces, one.want)
		}
	}
}
