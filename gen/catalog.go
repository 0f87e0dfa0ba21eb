package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

// mostComment is how many characters of a table's comment every catalog takes; a
// Hive metastore stores it as a table parameter of 4,000 bytes.
const mostComment = 1000

// Catalog is the statements that put a table's summary and the contract's
// descriptions of its columns where a catalog shows them. Both formats take them
// in these words, on Spark 3.5 and 4.1. The comments of columns are those that new
// tables get and migrate sets.
func Catalog(c *contracts.Contract, t *contracts.Table, summary string) ([]plan.Statement, error) {
	var out []plan.Statement
	add := func(template, name string, view migrationView) error {
		view.Target = t.Target.SQL()
		var sql strings.Builder
		err := templatesOf(c.Server.Format).ExecuteTemplate(&sql, template+".sql.tmpl", view)
		text := strings.TrimSpace(sql.String())
		if err == nil {
			err = sound(&plan.Plan{}, text)
		}
		if err != nil {
			return fmt.Errorf("describing %s: writing statement %s: %w", t.Target, name, err)
		}
		out = append(out, plan.Statement{Name: name, Use: plan.Exec, SQL: text})
		return nil
	}
	if runes := []rune(summary); len(runes) > mostComment {
		summary = strings.TrimSpace(string(runes[:mostComment-1])) + "…"
	}
	if err := add("catalog_table", "comment_table", migrationView{Value: lit(summary)}); err != nil {
		return nil, err
	}
	taken := namer{}
	for i, column := range targetColumns(t) {
		if column.Comment == "" {
			continue
		}
		name := taken.name("comment_" + slug(column.Name, fmt.Sprintf("column_%d", i+1)))
		if err := add("catalog_column", name, migrationView{Column: ident(column.Name), Value: lit(column.Comment)}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
