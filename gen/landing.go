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
	Format  contracts.Format // of bronze: that of the contract's server
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

// Lander is Landing for one batch, as land.Request asks for it.
func Lander(c *contracts.Contract, t *contracts.Table, batch string) func(columns []string, bronze []plan.Column, views []string) (plan.Landing, error) {
	return func(columns []string, bronze []plan.Column, views []string) (plan.Landing, error) {
		return Landing(t, Shape{Format: c.Server.Format, Batch: batch, Columns: columns, Bronze: bronze, Views: views})
	}
}

// Landing derives the statements that replace one batch in bronze. All files
// arrive in one commit: INSERT … REPLACE WHERE deletes the batch's earlier rows
// and appends the new ones atomically (Delta 2.4).
func Landing(t *contracts.Table, s Shape) (plan.Landing, error) {
	if err := plan.CheckBatchID(s.Batch); err != nil {
		return plan.Landing{}, err
	}
	v := newLanding(t, s)
	if err := v.check(); err != nil {
		return plan.Landing{}, fmt.Errorf("landing into %s: %w", t.Source.Table, err)
	}
	out := plan.Landing{Table: t.Source.Table.String()}
	if s.Bronze != nil {
		for _, c := range v.missing {
			out.Added = append(out.Added, c.Name)
		}
	}
	for _, c := range s.Bronze {
		if !has(s.Columns, c.Name) && !hasName(v.metadata, c.Name) {
			out.Absent = append(out.Absent, c.Name)
		}
	}
	var err error
	write := func(name string, use plan.Use) plan.Statement {
		var sql strings.Builder
		if failed := templatesOf(s.Format).ExecuteTemplate(&sql, name+".sql.tmpl", v); failed != nil && err == nil {
			err = failed
		}
		return plan.Statement{Name: name, Use: use, SQL: strings.TrimSpace(sql.String())}
	}
	switch {
	case s.Bronze == nil:
		if schema := t.Source.Table.Schema(); len(schema) > 0 {
			out.Ensure = []plan.Statement{{Name: "land_schema", Use: plan.Exec, SQL: "CREATE SCHEMA IF NOT EXISTS " + schema.SQL()}}
		}
		out.Ensure = append(out.Ensure, write("land_table", plan.Exec))
	case len(v.missing) > 0:
		out.Ensure = []plan.Statement{write("land_columns", plan.Exec)}
	}
	if s.Bronze != nil {
		compare := write("land_compare", plan.Query)
		out.Compare = &compare
	}
	out.Write, out.Count = write("land_write", plan.Exec), write("land_count", plan.Query)
	return out, err
}

// landing is the view of the land_* templates.
type landing struct {
	table    *contracts.Table
	shape    Shape
	metadata []plan.Column
	order    []plan.Column // every column of bronze when the write runs
	missing  []plan.Column // the ones that it does not have yet

	Using, Bronze, BatchColumn, Batch, IsBatch, LoadedAt string
	Columns, Missing, Values, Rows                       []string
	LandedText, ArrivingText                             []string
}

func newLanding(t *contracts.Table, s Shape) *landing {
	v := &landing{Using: strings.ToUpper(string(s.Format)), table: t, shape: s, metadata: bronzeMetadata(t), order: slices.Clone(s.Bronze)}
	for _, name := range s.Columns {
		if !hasName(v.order, name) {
			v.missing = append(v.missing, plan.Column{Name: name, Type: "STRING", Nullable: true})
		}
	}
	for _, c := range v.metadata {
		if !hasName(v.order, c.Name) {
			v.missing = append(v.missing, c)
		}
	}
	v.order = append(v.order, v.missing...)
	v.Bronze, v.BatchColumn, v.Batch = t.Source.Table.SQL(), sparksql.Ident(v.batch()), sparksql.String(s.Batch)
	v.IsBatch, v.LoadedAt = "false", "CAST(NULL AS STRING)"
	if hasName(s.Bronze, v.batch()) {
		v.IsBatch = v.BatchColumn + " = " + v.Batch
	}
	if hasName(s.Bronze, v.loaded()) {
		v.LoadedAt = "CAST(" + sparksql.Ident(v.loaded()) + " AS STRING)"
	}
	v.Columns, v.Missing = ddl(v.order), ddl(v.missing)
	for _, c := range v.order {
		v.Values = append(v.Values, v.value(c.Name)+" AS "+sparksql.Ident(c.Name))
	}
	v.rows()
	v.texts()
	return v
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

func (v *landing) malformed() string { return v.metadata[2].Name }
func (v *landing) loaded() string    { return v.metadata[3].Name }
func (v *landing) batch() string     { return v.metadata[4].Name }

// check refuses files that would write the loader's own columns, and a bronze
// table whose columns are no strings: files are landed as they were sent.
func (v *landing) check() error {
	for _, c := range v.metadata {
		if has(v.shape.Columns, c.Name) {
			return fmt.Errorf("the files have a column %q, which the loader writes itself; rename it", c.Name)
		}
	}
	for _, c := range v.shape.Bronze {
		if has(v.shape.Columns, c.Name) && !strings.EqualFold(c.Type, "STRING") {
			return fmt.Errorf("column %q is %s there; files land as STRING, so load this table by other means or rename it", c.Name, c.Type)
		}
	}
	return nil
}

// rows are the queries whose union is the batch. Files without a record have no view.
func (v *landing) rows() {
	for _, view := range v.shape.Views {
		v.Rows = append(v.Rows, "SELECT * FROM "+sparksql.Ident(view))
	}
	if len(v.Rows) == 0 {
		names := append(slices.Clone(v.shape.Columns), LandedColumns()...)
		for i, n := range names {
			names[i] = "CAST(NULL AS STRING) AS " + sparksql.Ident(n)
		}
		v.Rows = []string{"SELECT " + strings.Join(names, ", ") + " WHERE false"}
	}
}

// texts are what a row is compared by: its source columns and malformed line,
// but not file, line and time. A column that one side lacks is NULL there.
func (v *landing) texts() {
	const absent = `'\u0000'`
	text := func(name string) string { return "coalesce(" + sparksql.Ident(name) + ", " + absent + ")" }
	for _, c := range v.order {
		if hasName(v.metadata, c.Name) && c.Name != v.malformed() {
			continue
		}
		old, fresh := absent, absent
		if hasName(v.shape.Bronze, c.Name) {
			old = "coalesce(CAST(" + sparksql.Ident(c.Name) + " AS STRING), " + absent + ")"
		}
		switch {
		case c.Name == v.malformed():
			fresh = text("_malformed")
		case has(v.shape.Columns, c.Name):
			fresh = text(c.Name)
		}
		v.LandedText, v.ArrivingText = append(v.LandedText, old), append(v.ArrivingText, fresh)
	}
}

// value is the expression over a view's row that fills a column of bronze.
func (v *landing) value(column string) string {
	typ := find(v.order, func(c plan.Column) bool { return strings.EqualFold(c.Name, column) }).Type
	for i, landed := range LandedColumns() {
		if strings.EqualFold(v.metadata[i].Name, column) {
			return "CAST(" + sparksql.Ident(landed) + " AS " + typ + ")"
		}
	}
	switch {
	case strings.EqualFold(column, v.loaded()):
		return "CAST(coalesce(CAST(:loaded_at AS TIMESTAMP), current_timestamp()) AS " + typ + ")"
	case strings.EqualFold(column, v.batch()):
		return v.Batch
	case has(v.shape.Columns, column):
		return sparksql.Ident(column)
	default:
		return "CAST(NULL AS " + typ + ")"
	}
}

func has(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

func hasName(columns []plan.Column, name string) bool {
	return slices.ContainsFunc(columns, func(c plan.Column) bool { return strings.EqualFold(c.Name, name) })
}

func ddl(columns []plan.Column) []string {
	var parts []string
	for _, c := range columns {
		parts = append(parts, sparksql.Ident(c.Name)+" "+c.Type)
	}
	return parts
}
