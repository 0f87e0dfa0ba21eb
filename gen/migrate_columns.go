package gen

import (
	"fmt"
	"slices"
	"strings"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// successor is where the values of a column wait under their new type, until it
// takes the name of the old one.
func successor(column string) string { return column + "_migrated" }

func (m *migration) dropNotNull() {
	for _, d := range m.ofKind(plan.IsNotNull) {
		why := fmt.Sprintf("the contract makes %s optional", oneLine(d.Want.Name))
		m.add(plan.Change{Why: why, Group: group(d.Want.Name)}, "migrate_drop_not_null", m.name("drop_not_null_", d.Want.Name), migrationView{Column: ident(d.Want.Name)})
	}
}

// addColumns adds what the table lacks, all in one commit. Every column begins as
// an optional one: Delta adds no NOT NULL column to rows that are there.
func (m *migration) addColumns() {
	var ddl, names []string
	for _, d := range m.ofKind(plan.MissingColumn) {
		w := d.Want
		if next := m.live.Target.Column(successor(w.Name)); next != nil && plan.SameType(next.Type, w.Type) {
			m.rename(w.Name, "the old one was dropped, its successor takes the name")
			continue
		}
		ddl, names = append(ddl, targetDDL(w, false)), append(names, w.Name)
	}
	if notes := m.notes(); len(notes) > 0 {
		m.add(plan.Change{Why: "since when the new columns are there: a row loaded before lacks them through no fault of its own", Group: "added"},
			"migrate_note_added", "note_added", migrationView{Items: notes})
	}
	if len(ddl) > 0 {
		m.add(plan.Change{Why: "the contract declares " + oneLine(strings.Join(names, ", ")) + "; rows that are there have no value yet", Group: "added"},
			"migrate_add_columns", "add_columns", migrationView{Items: ddl})
	}
}

// notes are the properties of columns that are about to be added, but for those
// that this version already noted before it was stopped.
func (m *migration) notes() []string {
	var out []string
	for _, d := range m.ofKind(plan.MissingColumn) {
		noted := strings.HasPrefix(m.live.Target.Properties[plan.AddedProperty+d.Want.Name], m.out.Version+" ")
		if !noted && m.live.Target.Column(successor(d.Want.Name)) == nil {
			out = append(out, lit(plan.AddedProperty+d.Want.Name)+" = :added_at")
		}
	}
	return out
}

// needsMapping: Delta drops and renames columns only under column mapping.
func (m *migration) needsMapping(d plan.Drift) bool {
	return d.Kind == plan.OtherType || d.Kind == plan.UndeclaredColumn && !m.isSuccessor(d.Have)
}

// isSuccessor: a column that an unfinished migration filled.
func (m *migration) isSuccessor(c plan.Column) bool {
	return slices.ContainsFunc(m.want.Columns, func(w plan.Column) bool {
		have := m.live.Target.Column(w.Name)
		return strings.EqualFold(c.Name, successor(w.Name)) && plan.SameType(c.Type, w.Type) && (have == nil || !plan.SameType(have.Type, w.Type))
	})
}

// moveColumns changes types and drops columns under column mapping.
func (m *migration) moveColumns() {
	var other *plan.Statement
	if slices.ContainsFunc(m.drifts, m.needsMapping) {
		other = m.statement("migrate_rewrite", "rewrite_table", m.rewriteView())
	}
	for _, d := range m.drifts {
		switch {
		case d.Kind == plan.OtherType:
			m.retype(d, other)
		case d.Kind == plan.UndeclaredColumn && !m.isSuccessor(d.Have):
			m.drop(d.Have.Name, "the contract does not declare it", other)
		default:
			continue
		}
		other = nil // it is one statement for all of them
	}
}

func (m *migration) drop(column, why string, other *plan.Statement) {
	m.mapping(group(column), other)
	c := plan.Change{Why: fmt.Sprintf("%s: %s", oneLine(column), why), Group: group(column), Destructive: true, Meaning: plan.Tells}
	c.Count, c.Counts = m.count(ident(column)+" IS NOT NULL"), "rows that have a value there"
	m.add(c, "migrate_drop_column", m.name("drop_", column), migrationView{Column: ident(column)})
}

// retype is add, carry over, drop, rename: Delta changes no type in place, and a
// value that the new type cannot hold must be seen before it is lost.
func (m *migration) retype(d plan.Drift, other *plan.Statement) {
	column, next, g := d.Want.Name, successor(d.Want.Name), group(d.Want.Name)
	change := fmt.Sprintf("%s is %s, the contract says %s", oneLine(column), d.Have.Type, d.Want.Type)
	if strings.Contains(d.Have.Type+d.Want.Type, "<") {
		m.add(plan.Change{Why: change, Group: g, Advice: "nested types are not moved by sluice: add the members by ALTER TABLE … ADD COLUMNS (column.member TYPE), or rewrite the table by hand"}, "", m.name("retype_", column), migrationView{})
		return
	}
	cast := "try_cast(" + ident(column) + " AS " + d.Want.Type + ")"
	left := "NOT (" + ident(next) + " <=> " + cast + ")"
	there := m.live.Target.Column(next)
	if there != nil && !plan.SameType(there.Type, d.Want.Type) {
		m.drop(next, "an earlier migration to another type left it", nil)
		there = nil
	}
	if there == nil {
		c := plan.Change{Why: change + ": a new column beside it", Group: g, Destructive: true, Count: m.count(lost(d)), Counts: "values that the new type cannot hold", Meaning: plan.Blocks}
		c.Advice = "correct these values, or set them to NULL where the contract allows it"
		added := plan.Column{Name: next, Type: d.Want.Type, Comment: d.Want.Comment}
		m.add(c, "migrate_add_columns", m.name("add_", next), migrationView{Items: []string{targetDDL(added, false)}})
	}
	carry := plan.Change{Why: "the values of " + oneLine(column) + ", as far as the new type can hold them", Group: g, Destructive: true, Counts: "rows to carry over", Meaning: plan.Todo}
	carry.Count, carry.Settings = m.count(ident(column)+" IS NOT NULL"), m.stamped()
	if there != nil {
		carry.Count = m.count(left)
	}
	m.add(carry, "migrate_carry_over", m.name("carry_over_", column), migrationView{Name: ident(next), Value: cast, Condition: left})
	m.mapping(g, other)
	m.freeOfChecks(column)
	gone := plan.Change{Why: "its values are in " + oneLine(next), Group: g, Destructive: true, Counts: "values that were not carried over", Meaning: plan.Blocks, Advice: "another writer changed them meanwhile: see what wrote them, then run again"}
	if there != nil {
		gone.Count = m.count("(" + lost(d) + ") OR " + left)
	}
	m.add(gone, "migrate_drop_column", m.name("drop_", column), migrationView{Column: ident(column)})
	m.rename(column, "the new column takes the name")
}

// lost is the condition under which the new type cannot hold a value. A value
// must come back as it was: a cast rounds silently. Text may come back otherwise
// written, so that only what is no value at all is lost of it.
func lost(d plan.Drift) string {
	column := ident(d.Want.Name)
	cast := "try_cast(" + column + " AS " + d.Want.Type + ")"
	if strings.EqualFold(d.Have.Type, "STRING") {
		return column + " IS NOT NULL AND " + cast + " IS NULL"
	}
	return "NOT (try_cast(" + cast + " AS " + d.Have.Type + ") <=> " + column + ")"
}

func (m *migration) rename(column, why string) {
	c := plan.Change{Why: fmt.Sprintf("%s: %s", oneLine(column), why), Group: group(column)}
	m.add(c, "migrate_rename_column", m.name("rename_", column), migrationView{Name: ident(successor(column)), Column: ident(column)})
}

// mapping is asked for by each column that needs it; it is needed once.
func (m *migration) mapping(g string, other *plan.Statement) {
	if mode := m.live.Target.Properties["delta.columnMapping.mode"]; mode == "name" || mode == "id" || m.branches() {
		return
	}
	m.add(plan.Change{
		Why: "Delta drops and renames columns only under column mapping", Group: g, Destructive: true, Other: other,
		Warning: "raises the protocol to reader 2 and writer 5 at least, for good: clients that do not know column mapping can no longer read the table",
	}, "migrate_column_mapping", "column_mapping", migrationView{})
}

// freeOfChecks drops the CHECKs that read a column: Delta keeps it as long as one
// does. They are added again when the column has its new type.
func (m *migration) freeOfChecks(column string) {
	for _, c := range m.live.Target.Constraints() {
		if reads(c.Expression, column) && !slices.ContainsFunc(m.ofKind(plan.UndeclaredCheck), func(d plan.Drift) bool { return d.Found.Name == c.Name }) {
			m.add(plan.Change{Why: "it reads " + oneLine(column) + ", and is added again below", Group: group(column), Destructive: true},
				"migrate_drop_constraint", m.name("release_", c.Name), migrationView{Name: ident(c.Name)})
		}
	}
}

// reads reports whether an expression names a column.
func reads(expression, column string) bool {
	return slices.ContainsFunc(sparksql.Tokens(expression), func(t sparksql.Token) bool {
		return t.Kind == sparksql.Quoted && strings.EqualFold(t.Text, ident(column)) || t.Kind == sparksql.Word && strings.EqualFold(t.Text, column)
	})
}
