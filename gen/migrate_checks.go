package gen

import (
	"fmt"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

// dropChecks drops what the contract does not declare any more.
func (m *migration) dropChecks() {
	for _, d := range m.ofKind(plan.UndeclaredCheck) {
		why := fmt.Sprintf("the contract has no CHECK %s (%s)", oneLine(d.Found.Name), oneLine(d.Found.Expression))
		m.add(plan.Change{Why: why, Group: "check " + d.Found.Name}, "migrate_drop_constraint", m.name("drop_check_", d.Found.Name), migrationView{Name: ident(d.Found.Name)})
	}
}

// moves reports whether a column is about to be dropped under this name and to
// come back with another type.
func (m *migration) moves(column string) bool {
	return slices.ContainsFunc(m.drifts, func(d plan.Drift) bool {
		return d.Kind == plan.OtherType && strings.EqualFold(d.Want.Name, column)
	})
}

// require makes columns required by a CHECK, once every row has a value.
func (m *migration) require() {
	taken := namer{}
	for _, c := range m.checks {
		taken[strings.ToLower(c.Name)] = true
	}
	for _, c := range m.live.Target.Constraints() {
		taken[c.Name] = true
	}
	for i, w := range m.want.Columns {
		drifts := slices.ContainsFunc(m.drifts, func(d plan.Drift) bool {
			return strings.EqualFold(d.Want.Name, w.Name) && (d.Kind == plan.MayBeNull || d.Kind == plan.MissingColumn || d.Kind == plan.OtherType)
		})
		if w.Nullable || !drifts && !m.rewriting {
			continue
		}
		name := taken.name(slug(w.Name, fmt.Sprintf("column_%d", i+1)) + "_required")
		m.fill(w)
		c := plan.Change{Why: fmt.Sprintf("%s is required; Delta makes no existing column NOT NULL, so a CHECK holds it", oneLine(w.Name)), Group: group(w.Name), After: m.after()}
		m.add(c, "migrate_add_constraint", m.name("require_", w.Name), migrationView{Name: ident(name), Condition: plan.NotNull(w.Name).Expression})
	}
}

// fill is the backfill plan of a required column: what must have a value before
// the CHECK. What the value is, only its owner knows.
func (m *migration) fill(w plan.Column) {
	have := m.live.Target.Column(w.Name)
	c := plan.Change{Why: fmt.Sprintf("every row needs a value of %s before it can be required", oneLine(w.Name)), Group: group(w.Name), Counts: "rows without a value", Meaning: plan.Todo}
	switch {
	case m.moves(w.Name) || have != nil && !have.Nullable:
		return // what is carried over is counted there
	case have == nil && m.live.Target.Column(successor(w.Name)) != nil:
		return
	case have == nil:
		c.Count = m.count("")
	default:
		c.Count = m.count(ident(w.Name) + " IS NULL")
	}
	c.Advice = fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s IS NULL", m.table.Target.SQL(), ident(w.Name), m.example(w), ident(w.Name))
	m.add(c, "", m.name("fill_", w.Name), migrationView{})
}

// example is what a backfill could take: the column that this one replaces, or
// a place for the author's own value.
func (m *migration) example(w plan.Column) string {
	column := find(m.table.Columns, func(c *contracts.Column) bool { return c.Name == w.Name })
	if column != nil {
		if old := m.live.Target.Column((*column).Replaces); (*column).Replaces != "" && old != nil && plan.SameType(old.Type, w.Type) {
			return ident(old.Name)
		}
	}
	return "<value>"
}

// addChecks adds the CHECKs that are missing, differ, or had to give way. A
// changed one is dropped only when no row breaks the new one.
func (m *migration) addChecks() {
	for _, c := range m.checks {
		drift := find(m.ofKind(plan.MissingCheck, plan.OtherCheck), func(d plan.Drift) bool { return d.Check.Name == c.Name })
		waits := slices.ContainsFunc(m.want.Columns, func(w plan.Column) bool { return m.moves(w.Name) && reads(c.Expression, w.Name) })
		if drift == nil && !waits && !m.rewriting {
			continue
		}
		change := plan.Change{Group: "check " + c.Name, After: m.after(), Counts: "rows that break it", Meaning: plan.Blocks}
		change.Advice = "ADD CONSTRAINT fails while a row breaks it: correct these rows, or loosen the rule"
		settled := !m.rewriting
		for _, w := range m.want.Columns {
			if !reads(c.Expression, w.Name) {
				continue
			}
			if m.live.Target.Column(w.Name) == nil || m.moves(w.Name) {
				change.After, settled = append(change.After, group(w.Name)), false
			}
		}
		if settled {
			change.Count = m.count("NOT coalesce(" + c.Expression + ", false)")
		}
		if drift != nil && drift.Kind == plan.OtherCheck && !waits && !m.rewriting {
			change.Why = fmt.Sprintf("CHECK %s is (%s), the contract says otherwise", oneLine(c.Name), oneLine(drift.Found.Expression))
			m.add(change, "migrate_drop_constraint", m.name("drop_check_", c.Name), migrationView{Name: ident(c.Name)})
			change.Count = nil
		}
		change.Why = "the contract declares CHECK " + oneLine(c.Name)
		m.add(change, "migrate_add_constraint", m.name("add_check_", c.Name), migrationView{Name: ident(c.Name), Condition: c.Expression})
	}
}

// after: a table that is written anew loses its CHECKs and NOT NULLs, so that all
// of them come behind it.
func (m *migration) after() []string {
	if m.rewriting {
		return []string{"rewrite"}
	}
	return nil
}
