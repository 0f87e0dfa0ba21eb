package gen

import (
	"fmt"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// Shape is what a landing has to fit together: the columns of the files, the
// columns of the bronze table (nil when there is none yet), and the views that
// hold the files' rows, each with the file columns followed by the three of
// LandedColumns.
type Shape struct {
	Batch   string
	Columns []string
	Bronze  []plan.Column
	Views   []string
}

// LandedColumns are the columns that landing adds to each row of a view.
func LandedColumns() []string { return []string{"_source_file", "_source_line", "_malformed"} }

// DescribeBronze is the query whose columns are Shape.Bronze.
func DescribeBronze(t *contracts.Table) string {
	return "SELECT * FROM " + t.Source.Table.SQL() + " LIMIT 0"
}

// Reserved are the names that landing gives to its own columns of bronze.
func Reserved(t *contracts.Table) []string {
	var out []string
	for _, c := range bronzeMetadata(t) {
		out = append(out, c.Name)
	}
	return out
}

// Landing derives the statements that replace one batch in bronze. All files
// arrive in one commit: INSERT … REPLACE WHERE deletes the batch's earlier rows
// and appends the new ones atomically (Delta 2.4). It takes no column list, so
// the values are aligned with the table's own order.
func Landing(t *contracts.Table, s Shape) (plan.Landing, error) {
	if err := plan.CheckBatchID(s.Batch); err != nil {
		return plan.Landing{}, err
	}
	metadata := bronzeMetadata(t)
	for _, c := range metadata {
		if has(s.Columns, c.Name) {
			return plan.Landing{}, fmt.Errorf("landing into %s: the files have a column %q, which the loader writes itself; rename it", t.Source.Table, c.Name)
		}
	}
	v := landing{table: t, shape: s, metadata: metadata, order: s.Bronze}
	if v.order == nil {
		for _, name := range s.Columns {
			v.order = append(v.order, plan.Column{Name: name, Type: "STRING"})
		}
		v.order = append(v.order, metadata...)
	}
	out := plan.Landing{Table: t.Source.Table.String(), Ensure: v.ensure()}
	for _, c := range v.missing {
		out.Added = append(out.Added, c.Name)
	}
	for _, c := range s.Bronze {
		if !has(s.Columns, c.Name) && !hasName(metadata, c.Name) {
			out.Absent = append(out.Absent, c.Name)
		}
	}
	if err := v.checkTypes(); err != nil {
		return plan.Landing{}, err
	}
	if s.Bronze != nil {
		out.Compare = &plan.Statement{Name: "land_compare", Use: plan.Query, SQL: v.compare()}
	}
	out.Write = plan.Statement{Name: "land_write", Use: plan.Exec, SQL: v.write()}
	out.Count = plan.Statement{Name: "land_count", Use: plan.Query, SQL: v.count()}
	return out, nil
}

type landing struct {
	table    *contracts.Table
	shape    Shape
	metadata []plan.Column
	order    []plan.Column // every column of bronze when the write runs
	missing  []plan.Column
}

// bronzeMetadata are the loader's columns under the names that the contract gives them.
func bronzeMetadata(t *contracts.Table) []plan.Column {
	name := func(given, usual string) string {
		if given != "" {
			return given
		}
		return usual
	}
	src := t.Source
	return []plan.Column{
		{Name: name(src.File, "_source_file"), Type: "STRING", Nullable: true},
		{Name: name(src.Line, "_source_line"), Type: "BIGINT", Nullable: true},
		{Name: name(src.Malformed, "_malformed"), Type: "STRING", Nullable: true},
		{Name: name(src.LoadedAt, "_loaded_at"), Type: "TIMESTAMP", Nullable: true},
		{Name: name(src.Batch, "_batch_id"), Type: "STRING", Nullable: true},
	}
}

func (v *landing) ensure() []plan.Statement {
	bronze := v.table.Source.Table
	if v.shape.Bronze == nil {
		var out []plan.Statement
		if len(bronze) > 1 {
			out = append(out, plan.Statement{Name: "land_schema", Use: plan.Exec, SQL: "CREATE SCHEMA IF NOT EXISTS " + bronze.Schema().SQL()})
		}
		return append(out, plan.Statement{Name: "land_table", Use: plan.Exec, SQL: fmt.Sprintf(
			"CREATE TABLE IF NOT EXISTS %s (\n  %s\n)\nUSING DELTA\nPARTITIONED BY (%s)",
			bronze.SQL(), ddl(v.order, ",\n  "), sparksql.Ident(v.batch()))})
	}
	for _, name := range v.shape.Columns {
		if !hasName(v.shape.Bronze, name) {
			v.missing = append(v.missing, plan.Column{Name: name, Type: "STRING", Nullable: true})
		}
	}
	for _, c := range v.metadata {
		if !hasName(v.shape.Bronze, c.Name) {
			v.missing = append(v.missing, c)
		}
	}
	if len(v.missing) == 0 {
		return nil
	}
	v.order = append(slices.Clone(v.order), v.missing...)
	return []plan.Statement{{Name: "land_columns", Use: plan.Exec, SQL: fmt.Sprintf(
		"ALTER TABLE %s ADD COLUMNS (\n  %s\n)", bronze.SQL(), ddl(v.missing, ",\n  "))}}
}

// checkTypes refuses a bronze table whose columns are no strings: files are
// landed as they were sent.
func (v *landing) checkTypes() error {
	for _, c := range v.shape.Bronze {
		if has(v.shape.Columns, c.Name) && !strings.EqualFold(c.Type, "STRING") {
			return fmt.Errorf("landing into %s: column %q is %s there; files land as STRING, so load this table by other means or rename it", v.table.Source.Table, c.Name, c.Type)
		}
	}
	return nil
}

func (v *landing) batch() string  { return v.metadata[4].Name }
func (v *landing) loaded() string { return v.metadata[3].Name }

// rows is the FROM of all views. No view at all means files without a record.
func (v *landing) rows(indent string) string {
	if len(v.shape.Views) == 0 {
		names := append(slices.Clone(v.shape.Columns), LandedColumns()...)
		for i, n := range names {
			names[i] = "CAST(NULL AS STRING) AS " + sparksql.Ident(n)
		}
		return "SELECT " + strings.Join(names, ", ") + " WHERE false"
	}
	var parts []string
	for _, view := range v.shape.Views {
		parts = append(parts, "SELECT * FROM "+sparksql.Ident(view))
	}
	return strings.Join(parts, "\n"+indent+"UNION ALL\n"+indent)
}

// compare asks whether the batch is already there with the same content, files
// and lines aside: then it keeps its load time, which may be what decides
// between versions of a key.
func (v *landing) compare() string {
	var old, fresh []string
	for _, c := range v.order {
		if hasName(v.metadata, c.Name) && c.Name != v.metadata[2].Name {
			continue
		}
		text := "coalesce(CAST(" + sparksql.Ident(c.Name) + " AS STRING), '\\u0000')"
		if hasName(v.shape.Bronze, c.Name) {
			old = append(old, text)
		} else {
			old = append(old, "'\\u0000'")
		}
		switch {
		case c.Name == v.metadata[2].Name:
			fresh = append(fresh, "coalesce(`_malformed`, '\\u0000')")
		case has(v.shape.Columns, c.Name):
			fresh = append(fresh, text)
		default:
			fresh = append(fresh, "'\\u0000'")
		}
	}
	loaded := "CAST(NULL AS STRING)"
	if hasName(v.shape.Bronze, v.loaded()) {
		loaded = "CAST(min(" + sparksql.Ident(v.loaded()) + ") AS STRING)"
	}
	where := "false"
	if hasName(v.shape.Bronze, v.batch()) {
		where = sparksql.Ident(v.batch()) + " = " + sparksql.String(v.shape.Batch)
	}
	return fmt.Sprintf(`-- Is this batch already in bronze with the same content? Then it keeps the time at which it was first loaded.
WITH landed AS (
  SELECT
    count(*) AS row_count,
    sum(shiftright(xxhash64(%[1]s), 32)) AS hash_high,
    sum(xxhash64(%[1]s) & 4294967295) AS hash_low,
    %[2]s AS loaded_at
  FROM %[3]s
  WHERE %[4]s
),
arriving AS (
  SELECT
    count(*) AS row_count,
    sum(shiftright(xxhash64(%[5]s), 32)) AS hash_high,
    sum(xxhash64(%[5]s) & 4294967295) AS hash_low
  FROM (
    %[6]s
  )
)
SELECT
  l.row_count AS `+"`rows`"+`,
  l.row_count > 0 AND l.row_count = a.row_count AND l.hash_high = a.hash_high AND l.hash_low = a.hash_low AS same_content,
  l.loaded_at AS kept_loaded_at
FROM landed AS l
CROSS JOIN arriving AS a`,
		strings.Join(old, ", "), loaded, v.table.Source.Table.SQL(), where, strings.Join(fresh, ", "), v.rows("    "))
}

func (v *landing) write() string {
	var values []string
	for _, c := range v.order {
		values = append(values, v.value(c.Name)+" AS "+sparksql.Ident(c.Name))
	}
	return fmt.Sprintf(`-- The batch's rows replace the ones it had, in one commit. The values stand in the table's own order.
INSERT INTO %s REPLACE WHERE %s = %s
SELECT
  %s
FROM (
  %s
)`, v.table.Source.Table.SQL(), sparksql.Ident(v.batch()), sparksql.String(v.shape.Batch), strings.Join(values, ",\n  "), v.rows("  "))
}

// value is the expression over a view's row that fills a column of bronze.
func (v *landing) value(column string) string {
	for i, landed := range LandedColumns() {
		if strings.EqualFold(v.metadata[i].Name, column) {
			return "CAST(" + sparksql.Ident(landed) + " AS " + v.typeOf(column) + ")"
		}
	}
	switch {
	case strings.EqualFold(column, v.loaded()):
		return "CAST(coalesce(CAST(:loaded_at AS TIMESTAMP), current_timestamp()) AS " + v.typeOf(column) + ")"
	case strings.EqualFold(column, v.batch()):
		return sparksql.String(v.shape.Batch)
	case has(v.shape.Columns, column):
		return sparksql.Ident(column)
	default:
		return "CAST(NULL AS " + v.typeOf(column) + ")"
	}
}

func (v *landing) typeOf(column string) string {
	for _, c := range v.order {
		if strings.EqualFold(c.Name, column) {
			return c.Type
		}
	}
	return "STRING"
}

func (v *landing) count() string {
	return fmt.Sprintf("SELECT count(*) AS `rows`\nFROM %s\nWHERE %s = %s", v.table.Source.Table.SQL(), sparksql.Ident(v.batch()), sparksql.String(v.shape.Batch))
}

func has(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

func hasName(columns []plan.Column, name string) bool {
	return slices.ContainsFunc(columns, func(c plan.Column) bool { return strings.EqualFold(c.Name, name) })
}

func ddl(columns []plan.Column, separator string) string {
	var parts []string
	for _, c := range columns {
		parts = append(parts, sparksql.Ident(c.Name)+" "+c.Type)
	}
	return strings.Join(parts, separator)
}
