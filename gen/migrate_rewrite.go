package gen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// rewriteTable writes the table anew with the contract's columns alone: no
// protocol is raised, every row is written.
func (m *migration) rewriteTable() {
	var conditions []string
	for _, d := range m.ofKind(plan.OtherType) {
		conditions = append(conditions, "("+lost(d)+")")
	}
	c := plan.Change{
		Why: "the table as the contract has it, in one commit", Group: "rewrite", Destructive: true, Meaning: plan.Blocks,
		Counts: "rows with a value that its new type cannot hold", Advice: "correct these values, or set them to NULL where the contract allows it",
		Warning: "writes every row anew and keeps neither partitioning nor clustering; Spark 3.5 cannot do it through Connect",
	}
	if len(conditions) > 0 {
		c.Count = m.count(strings.Join(conditions, " OR "))
	}
	m.add(c, "migrate_rewrite", "rewrite_table", m.rewriteView())
}

func (m *migration) rewriteView() migrationView {
	var view migrationView
	for _, w := range m.want.Columns {
		if m.moves(w.Name) {
			view.Values = append(view.Values, "try_cast("+ident(w.Name)+" AS "+w.Type+") AS "+ident(w.Name))
		} else {
			view.Values = append(view.Values, ident(w.Name))
		}
	}
	view.Items = m.notes()
	for _, key := range slices.Sorted(maps.Keys(m.live.Target.Properties)) {
		value := m.live.Target.Properties[key]
		if key == plan.VersionProperty && m.standing == plan.ContractAhead {
			value = m.out.Version // set by then
		}
		if m.carried(key) {
			view.Items = append(view.Items, lit(key)+" = "+lit(value))
		}
	}
	if len(view.Items) == 0 {
		view.Items = []string{lit("delta.isolationLevel") + " = " + lit("Serializable")}
	}
	return view
}

// setAside renames a staging table of other types. Its rows are evidence of runs,
// and nothing of them is published from there any more.
func (m *migration) setAside() {
	var names, after []string
	for _, w := range m.staging.Columns {
		have := m.live.Staging.Column(w.Name)
		if have == nil || plan.SameType(have.Type, w.Type) {
			continue
		}
		names, after = append(names, w.Name), append(after, group(w.Name))
	}
	if len(names) == 0 {
		return
	}
	if m.rewriting {
		after = append(after, "rewrite")
	}
	staging := m.table.Staging
	// Spark takes the new name without a catalog.
	aside := append(sparksql.Name{}, staging.Schema()...)
	if len(aside) > 1 {
		aside = aside[len(aside)-1:]
	}
	aside = append(aside, staging.Table()+"_before_"+slug(m.out.Version, "migration"))
	why := fmt.Sprintf("%s of %s have other types in this version", oneLine(strings.Join(names, ", ")), staging)
	m.add(plan.Change{Why: why, Group: "staging", After: after}, "migrate_set_aside", "set_aside_staging", migrationView{Name: staging.SQL(), Value: aside.SQL()})
}

// forget removes what was noted of columns that are gone.
func (m *migration) forget() {
	for _, key := range slices.Sorted(maps.Keys(m.live.Target.Properties)) {
		column, ours := strings.CutPrefix(key, plan.AddedProperty)
		if !ours || m.want.Column(column) != nil {
			continue
		}
		c := plan.Change{Why: oneLine(column) + " is no column any more", Group: "forget " + column, After: []string{group(column), "rewrite"}}
		m.add(c, "migrate_forget", m.name("forget_", column), migrationView{Value: lit(key)})
	}
}

// carried properties are the owner's and the contract's. Constraints come back by
// ADD CONSTRAINT, protocol and mapping are the format's own, and what Spark
// reserves cannot be set.
func (m *migration) carried(key string) bool {
	if column, ours := strings.CutPrefix(key, plan.AddedProperty); ours && m.want.Column(column) == nil {
		return false
	}
	for _, prefix := range []string{"delta.constraints.", "delta.columnMapping.", "delta.feature.", "delta.minReaderVersion", "delta.minWriterVersion"} {
		if strings.HasPrefix(key, prefix) {
			return false
		}
	}
	return !slices.Contains([]string{"location", "provider", "owner", "comment", "external", "is_managed_location", "Type"}, key)
}
