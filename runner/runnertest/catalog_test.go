package runnertest_test

import (
	"strings"
	"testing"

	"sluice/gen"
	"sluice/runner/runnertest"
)

// The statements of docs --catalog are taken by both formats, and what they said
// is read back to the letter.
func TestCatalogOfATable(t *testing.T) {
	t.Parallel()
	const about, summary = "Where it's from: C:\\shop\n-- a line; ${x} \\u0041", "One row for each order; it's /* ${x} \\ the shop's."
	for _, one := range []struct {
		format, schema, contract string
		open                     func() *runnertest.Lake
	}{
		{"DELTA", "~silver", "testdata/shop/orders.odcs.yaml", func() *runnertest.Lake { return runnertest.Spark(t) }},
		{"ICEBERG", "lake.~silver", "wap/testdata/orders.odcs.yaml", func() *runnertest.Lake { return runnertest.Iceberg(t) }},
	} {
		lake := one.open()
		c, _ := lake.Plan(one.contract)
		table := c.Published()[0]
		table.Columns[0].Description = about
		var columns []string
		for _, column := range table.Columns {
			columns = append(columns, "`"+column.Name+"` "+column.Type.String())
		}
		lake.Do("CREATE SCHEMA " + one.schema)
		lake.Do("CREATE TABLE " + table.Target.SQL() + " (" + strings.Join(columns, ", ") + ") USING " + one.format)
		statements, err := gen.Catalog(c, table, summary)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range statements {
			lake.Do(s.SQL)
		}
		found := map[string]string{}
		for _, row := range lake.Rows("DESCRIBE TABLE EXTENDED " + table.Target.SQL()) {
			name, _ := row["col_name"].(string)
			typ, _ := row["data_type"].(string)
			comment, _ := row["comment"].(string)
			if name == "Comment" {
				found["the table"] = typ
			} else if _, first := found[name]; !first {
				found[name] = comment
			}
		}
		if found[table.Columns[0].Name] != about {
			t.Errorf("%s: the column's comment is %q", one.format, found[table.Columns[0].Name])
		}
		if found["the table"] != summary {
			t.Errorf("%s: the table's comment is %q", one.format, found["the table"])
		}
	}
}
