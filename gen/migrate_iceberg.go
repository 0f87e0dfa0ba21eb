package gen

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// ErrPartitioning says that the contract partitions its table otherwise.
var ErrPartitioning = errors.New("sluice does not change how a table is partitioned")

// branches reports whether the table is Iceberg's: its columns are dropped,
// renamed and widened in its metadata, and it has no CHECK.
func (m *migration) branches() bool { return m.contract.Server.Format == contracts.Iceberg }

// mainOf names the branch that readers see. A session may have spark.wap.branch
// set: a plain name would then read and write the audit branch.
func mainOf(n sparksql.Name) string { return n.SQL() + ".`branch_main`" }

// snapshotChanges are changes for Iceberg. What readers select is never rewritten
// under its own name: values move to a new column, which takes the name of the
// old one only once a count has shown that nothing is left behind.
func (m *migration) snapshotChanges() {
	if m.err = m.partitioned(); m.err != nil {
		return
	}
	m.dropNotNull()
	m.addColumns()
	if m.standing == plan.ContractAhead {
		m.version(false)
	}
	for _, d := range m.drifts {
		switch {
		case d.Kind == plan.OtherType && promotes(d.Have.Type, d.Want.Type):
			m.promote(m.table.Target, d.Want, d.Have, "promote_")
		case d.Kind == plan.OtherType:
			m.retype(d, nil)
		case d.Kind == plan.UndeclaredColumn && !m.isSuccessor(d.Have):
			m.drop(d.Have.Name, "the contract does not declare it", nil)
		}
	}
	m.fillRequired()
	m.comments()
	m.setColumnsAside()
	m.forget()
	if m.standing != plan.ContractAhead && m.standing != plan.SameVersion {
		m.version(true)
	}
	m.warnRequired()
}

// stamped is set around the one statement of a migration that makes a snapshot of
// rows, so that history does not take it for a stranger's.
func (m *migration) stamped() []plan.Setting {
	if !m.branches() {
		return nil
	}
	return []plan.Setting{{Key: snapshotStamp, Value: "contract=" + m.out.Version + " id=" + oneLine(m.contract.ID) + " migration"}}
}

// partitioned refuses another partitioning than the table's. Files that are there
// keep their layout, and the proofs of a replaced partition read it. Transforms
// beside the contract's columns are the owner's.
func (m *migration) partitioned() error {
	var have []string
	for _, field := range m.live.Target.Partitioned {
		if !strings.Contains(field, "(") {
			have = append(have, field)
		}
	}
	folded := func(names []string) []string {
		out := slices.Clone(names)
		for i := range out {
			out[i] = strings.ToLower(out[i])
		}
		slices.Sort(out)
		return out
	}
	if !slices.Equal(folded(have), folded(m.table.Partition)) {
		return fmt.Errorf("it is partitioned by (%s), the contract says (%s): %w; publish another table under a new name and load it, or change the partition fields and rewrite the files yourself, then run this again",
			strings.Join(have, ", "), strings.Join(m.table.Partition, ", "), ErrPartitioning)
	}
	for _, d := range m.ofKind(plan.OtherType) {
		if slices.ContainsFunc(m.table.Partition, func(name string) bool { return strings.EqualFold(name, d.Want.Name) }) && !promotes(d.Have.Type, d.Want.Type) {
			return fmt.Errorf("it is partitioned by %s, which is %s and cannot become %s: %w; publish another table under a new name and load it", d.Want.Name, d.Have.Type, d.Want.Type, ErrPartitioning)
		}
	}
	return nil
}

var decimal = regexp.MustCompile(`(?i)^DECIMAL\((\d+),\s*(\d+)\)$`)

// promotes reports whether Iceberg changes the type in place, so that each value
// stays what it was: int to long, float to double, a decimal of more digits and
// the same scale (Iceberg's table spec, schema evolution).
func promotes(from, to string) bool {
	switch strings.ToUpper(from) + " " + strings.ToUpper(to) {
	case "INT BIGINT", "FLOAT DOUBLE":
		return true
	}
	a, b := decimal.FindStringSubmatch(from), decimal.FindStringSubmatch(to)
	if a == nil || b == nil || a[2] != b[2] {
		return false
	}
	narrow, _ := strconv.Atoi(a[1])
	wide, _ := strconv.Atoi(b[1])
	return narrow < wide
}

func (m *migration) promote(table sparksql.Name, want, have plan.Column, stem string) {
	why := fmt.Sprintf("%s is %s, the contract says %s; it holds every value of the old type, so no file is written", oneLine(want.Name), have.Type, want.Type)
	view := migrationView{Name: table.SQL(), Column: ident(want.Name), Value: want.Type}
	m.add(plan.Change{Why: why, Group: group(want.Name)}, "migrate_promote", m.name(stem, want.Name), view)
}

// retypes reports whether a column comes back under its name with another type.
func (m *migration) retypes(column string) bool {
	return slices.ContainsFunc(m.ofKind(plan.OtherType), func(d plan.Drift) bool {
		return strings.EqualFold(d.Want.Name, column) && !promotes(d.Have.Type, d.Want.Type)
	})
}

// unheld are required columns that may be NULL in the table, or are about to be added.
func (m *migration) unheld() []plan.Column {
	var out []plan.Column
	for _, w := range m.want.Columns {
		if have := m.live.Target.Column(w.Name); !w.Nullable && (have == nil || have.Nullable || m.retypes(w.Name)) {
			out = append(out, w)
		}
	}
	return out
}

// fillRequired is the backfill plan of required columns. Nothing but another
// major version waits for it: the table takes no NOT NULL afterwards.
func (m *migration) fillRequired() {
	for _, w := range m.unheld() {
		have := m.live.Target.Column(w.Name)
		if m.retypes(w.Name) || have == nil && m.live.Target.Column(successor(w.Name)) != nil {
			continue // what is carried over is counted there
		}
		c := plan.Change{Why: fmt.Sprintf("the contract requires %s, and only new rows are held to it", oneLine(w.Name)), Group: "fill " + strings.ToLower(w.Name), Counts: "rows without a value", Meaning: plan.Todo}
		c.Count = m.count("")
		if have != nil {
			c.Count = m.count(ident(w.Name) + " IS NULL")
		}
		c.Advice = fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s IS NULL", mainOf(m.table.Target), ident(w.Name), m.example(w), ident(w.Name))
		m.add(c, "", m.name("fill_", w.Name), migrationView{})
	}
}

// warnRequired says at the step that brings them what holds required columns.
func (m *migration) warnRequired() {
	var names []string
	for _, w := range m.unheld() {
		names = append(names, w.Name)
	}
	if len(names) == 0 {
		return
	}
	for _, step := range []string{"add_columns", "set_version"} {
		if c := find(m.out.Changes, func(c plan.Change) bool { return c.Name == step }); c != nil {
			c.Warning = fmt.Sprintf("required by row rules alone: %s. Iceberg makes no existing column NOT NULL and has no CHECK: runs set rows without a value aside, another writer is not stopped", oneLine(strings.Join(names, ", ")))
			return
		}
	}
}

// setColumnsAside makes place in staging for columns of another type. The old
// one keeps what runs staged; the next run adds the new one. The table itself is
// not renamed, which not every catalog can.
func (m *migration) setColumnsAside() {
	taken := namer{}
	for _, c := range m.live.Staging.Columns {
		taken[strings.ToLower(c.Name)] = true
	}
	for _, w := range m.staging.Columns {
		have := m.live.Staging.Column(w.Name)
		if have == nil || plan.SameType(have.Type, w.Type) {
			continue
		}
		if promotes(have.Type, w.Type) {
			m.promote(m.table.Staging, w, *have, "promote_staged_")
			continue
		}
		aside := taken.name(w.Name + "_before_" + slug(m.out.Version, "migration"))
		why := fmt.Sprintf("%s of %s is %s, this version stages %s; the next run adds it", oneLine(w.Name), m.table.Staging, have.Type, w.Type)
		view := migrationView{Name: m.table.Staging.SQL(), Column: ident(w.Name), Value: ident(aside)}
		m.add(plan.Change{Why: why, Group: "staging", After: []string{group(w.Name)}}, "migrate_set_aside", m.name("set_aside_", w.Name), view)
	}
}
