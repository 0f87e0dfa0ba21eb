package gen

import (
	"fmt"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

// Version is one version of a contract and its table.
type Version struct {
	Contract *contracts.Contract
	Table    *contracts.Table
}

// impactView is what the templates of an impact see.
type impactView struct {
	Named, Masked          bool
	Last, Most, Places     int
	AuditLog, TableName    string
	OldVersion, NewVersion string
	BatchColumn, Bronze    string
	Sent, Example          []string
	Old, New               *view
	columns                []string // of bronze, as both versions call them
	absent                 []string
}

// Impact is the queries that compare what two versions of a contract make of the
// rows of batches. Bronze are the columns that the source table has; last is the
// number of newest batches, 0 where batches are named.
func Impact(old, new Version, bronze []string, last int) (plan.Impact, error) {
	out := plan.Impact{Table: new.Table.Target.String(), Origins: map[string]plan.Origin{}}
	if from, to := old.Table.Source.Table.SQL(), new.Table.Source.Table.SQL(); from != to || !strings.EqualFold(old.Table.Source.Batch, new.Table.Source.Batch) {
		return out, fmt.Errorf("comparing %s with %s: they read other sources, %s and %s; only versions that read the same batches can be compared", old.Contract.Version, new.Contract.Version, from, to)
	}
	v := impactView{
		Named: last == 0, Last: last, Most: plan.MostVerdicts, Places: plan.MostExamples, AuditLog: new.Table.AuditLog.SQL(), TableName: new.Table.Target.String(),
		OldVersion: old.Contract.Version.String(), NewVersion: new.Contract.Version.String(),
		BatchColumn: ident(new.Table.Source.Batch), Bronze: new.Table.Source.Table.SQL(),
		Old: phase(old, "old_", "`_impact_batch`", "`_impact_row`"), New: phase(new, "new_", "`_impact_batch`", "`_impact_row`", "`_impact_old`"),
	}
	v.fillSent(bronze)
	v.fillExample(old.Table, new.Table)
	for _, t := range []*contracts.Table{old.Table, new.Table} {
		origins(t, out.Origins)
	}
	out.Absent = v.absent
	for _, k := range new.Table.Key {
		out.Key = union(out.Key, new.Table.Column(k).Sources)
	}
	for name, statement := range map[string]*plan.Statement{"impact_batches": &out.Batches, "impact_compare": &out.Compare} {
		var text strings.Builder
		if err := templatesOf(new.Contract.Server.Format).ExecuteTemplate(&text, name+".sql.tmpl", v); err != nil {
			return out, fmt.Errorf("writing statement %s: %w", name, err)
		}
		*statement = plan.Statement{Name: name, Use: plan.Query, SQL: strings.TrimSpace(text.String())}
	}
	return out, nil
}

// phase is the stage view of one version within a statement of two.
func phase(of Version, name string, carried ...string) *view {
	v := &view{contract: of.Contract, table: of.Table, Source: name + "sent", stageView: stageView{Phase: name, Margin: "    ", carried: carried}}
	v.fillStage()
	return v
}

// fillSent: the columns that either version reads, each once. One that bronze does
// not have yet is NULL, which is what the old batches would have had in it.
func (v *impactView) fillSent(bronze []string) {
	for _, side := range []*view{v.Old, v.New} {
		for _, c := range side.sourceColumns() {
			v.columns = fold(v.columns, c.Name)
		}
	}
	for _, name := range v.columns {
		if slices.ContainsFunc(bronze, func(b string) bool { return strings.EqualFold(b, name) }) {
			v.Sent = append(v.Sent, ident(name))
			continue
		}
		v.absent = append(v.absent, name)
		v.Sent = append(v.Sent, "CAST(NULL AS STRING) AS "+ident(name))
	}
}

// fold adds a name that is not there yet; Spark's names have no case.
func fold(names []string, name string) []string {
	if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
		return names
	}
	return append(names, name)
}

// fillExample shows an example by its source columns. The raw line of a malformed
// row is none of them: it may hold any value, in any place.
func (v *impactView) fillExample(tables ...*contracts.Table) {
	var names []string
	for _, side := range []*view{v.Old, v.New} {
		for _, s := range union(side.sources(), []string{side.table.Source.File, side.table.Source.Line}) {
			if s != "" {
				names = fold(names, s)
			}
		}
	}
	for _, name := range names {
		side := v.New
		if !slices.ContainsFunc(side.sources(), func(s string) bool { return strings.EqualFold(s, name) }) {
			side = v.Old
		}
		column := "`_impact_row`." + ident(name)
		value := side.textOf(name, column)
		if value == column { // a string by the contract, whatever bronze holds
			value = "CAST(" + column + " AS STRING)"
		}
		if personal(name, tables) {
			v.Masked = true
			value = masked(value)
		}
		v.Example = append(v.Example, value+" AS "+ident(name))
	}
}

// personal reports whether a version of the contract makes a column that is for
// few eyes of this source column.
func personal(source string, tables []*contracts.Table) bool {
	return slices.ContainsFunc(tables, func(t *contracts.Table) bool {
		return slices.ContainsFunc(t.Columns, func(c *contracts.Column) bool {
			return c.Personal() && slices.ContainsFunc(c.Sources, func(s string) bool { return strings.EqualFold(s, source) })
		})
	})
}

// masked keeps the shape of a text and nothing else of it.
func masked(value string) string {
	for _, one := range [][2]string{{`[\p{Lu}\p{Lt}]`, "X"}, {`[\p{L}\p{M}&&[^X]]`, "x"}, {`\p{N}`, "9"}} {
		value = "regexp_replace(" + value + ", " + lit(one[0]) + ", " + lit(one[1]) + ")"
	}
	return value
}

// origins says where each code comes from that a row of t gets by itself.
func origins(t *contracts.Table, into map[string]plan.Origin) {
	into["malformed_row"] = plan.Origin{Rule: "number of fields"}
	into["header_row"] = plan.Origin{Rule: "header"}
	for _, c := range t.Columns {
		columnOrigins(c, c.Name, c.Sources, into)
	}
	for _, r := range t.RowRules {
		into[r.Code] = plan.Origin{Rule: r.ID}
	}
}

func columnOrigins(c *contracts.Column, path string, sources []string, into map[string]plan.Origin) {
	origin := func(rule string) plan.Origin { return plan.Origin{Column: path, Rule: rule, Sources: sources} }
	if c.Codes.Missing != "" {
		into[c.Codes.Missing] = origin("required")
	}
	if c.Codes.Unparseable != "" {
		into[c.Codes.Unparseable] = origin("type")
	}
	for _, r := range c.Rules {
		into[r.Code] = origin(string(r.Option))
	}
	for _, m := range c.Members {
		columnOrigins(m, path+"."+m.Name, sources, into)
	}
	if c.Item != nil {
		columnOrigins(c.Item, path, sources, into)
	}
}
