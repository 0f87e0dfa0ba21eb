package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/gen/sparksql"
)

// State is what Spark shows of a live table.
type State struct {
	Exists     bool
	Columns    []Column
	Properties map[string]string // SHOW TBLPROPERTIES; Delta keeps CHECKs there
	// Partitioned are the partition fields of Iceberg: a column, or a transform such as
	// months(day).
	Partitioned []string
}

// VersionProperty holds the version of the contract that last shaped the table.
const VersionProperty = "contract.version"

// AddedProperty begins the properties that say which columns a migration added,
// by which version and when: rows that were loaded before it have no value there
// for no reason of their own.
const AddedProperty = "contract.added."

// constraintProperty begins the properties in which Delta keeps its CHECKs,
// their names in lower case.
const constraintProperty = "delta.constraints."

// Column returns the live column with that name, as Spark compares names, or nil.
func (s State) Column(name string) *Column {
	for i := range s.Columns {
		if strings.EqualFold(s.Columns[i].Name, name) {
			return &s.Columns[i]
		}
	}
	return nil
}

// Constraints are the CHECKs that the table carries, in the order of their names.
func (s State) Constraints() []Constraint {
	var out []Constraint
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		if name, ok := strings.CutPrefix(key, constraintProperty); ok {
			out = append(out, Constraint{Name: name, Expression: s.Properties[key]})
		}
	}
	return out
}

// DriftKind is the closed set of differences between a table and its contract
// that stop a writer.
type DriftKind string

// The kinds of drift.
const (
	MissingColumn    DriftKind = "missing_column"
	OtherType        DriftKind = "other_type"
	MayBeNull        DriftKind = "may_be_null" // the contract requires a value
	IsNotNull        DriftKind = "is_not_null" // the contract does not
	UndeclaredColumn DriftKind = "undeclared_column"
	MissingCheck     DriftKind = "missing_check"
	OtherCheck       DriftKind = "other_check"
	UndeclaredCheck  DriftKind = "undeclared_check"
)

// Drift is one difference. Want and Have are the contract's and the table's
// column, Check and Found their CHECKs, as far as the kind has them.
type Drift struct {
	Kind         DriftKind
	Want, Have   Column
	Check, Found Constraint
}

// Compare finds every difference between a table and what a contract says of
// it, in both directions. The writer's guard refuses by it and a migration mends
// by it, so that neither knows of a difference that the other does not see.
// Comments are none: they stop nobody.
func Compare(want Table, checks []Constraint, live State) []Drift {
	held := live.notNull(want)
	var out []Drift
	for _, w := range want.Columns {
		have := live.Column(w.Name)
		switch {
		case have == nil:
			out = append(out, Drift{Kind: MissingColumn, Want: w})
		case !SameType(have.Type, w.Type):
			out = append(out, Drift{Kind: OtherType, Want: w, Have: *have})
		case w.Nullable && !have.Nullable:
			out = append(out, Drift{Kind: IsNotNull, Want: w, Have: *have})
		case !w.Nullable && have.Nullable && !want.NoCheck && held[strings.ToLower(w.Name)] == "":
			out = append(out, Drift{Kind: MayBeNull, Want: w, Have: *have})
		}
	}
	for _, have := range live.Columns {
		if want.Column(have.Name) == nil {
			out = append(out, Drift{Kind: UndeclaredColumn, Have: have})
		}
	}
	return append(out, compareChecks(want, checks, live, held)...)
}

func compareChecks(want Table, checks []Constraint, live State, held map[string]string) []Drift {
	var out []Drift
	known := map[string]bool{}
	for _, w := range want.Columns {
		if name := held[strings.ToLower(w.Name)]; name != "" && !w.Nullable {
			known[name] = true
		}
	}
	for _, c := range checks {
		name := strings.ToLower(c.Name)
		known[name] = true
		switch got, there := live.Properties[constraintProperty+name]; {
		case !there:
			out = append(out, Drift{Kind: MissingCheck, Check: c})
		case !c.Is(got):
			out = append(out, Drift{Kind: OtherCheck, Check: c, Found: Constraint{Name: name, Expression: got}})
		}
	}
	for _, c := range live.Constraints() {
		if !known[c.Name] {
			out = append(out, Drift{Kind: UndeclaredCheck, Found: c})
		}
	}
	return out
}

// notNull are the columns, in lower case, that a CHECK keeps from being NULL,
// and its name: an existing column of Delta cannot be made NOT NULL.
func (s State) notNull(want Table) map[string]string {
	out := map[string]string{}
	for _, c := range s.Constraints() {
		for _, w := range want.Columns {
			if NotNull(w.Name).Is(c.Expression) || strings.EqualFold(strings.Join(tokens(c.Expression), " "), w.Name+" IS NOT NULL") {
				out[strings.ToLower(w.Name)] = c.Name
			}
		}
	}
	return out
}

// NotNull is the CHECK, still without a name, by which an existing column
// becomes a required one.
func NotNull(column string) Constraint {
	return Constraint{Expression: sparksql.Ident(column) + " IS NOT NULL"}
}

// SameType compares types without the names' case, the quotes and the blanks
// that DDL allows inside them.
func SameType(a, b string) bool {
	squash := strings.NewReplacer(" ", "", "`", "")
	return strings.EqualFold(squash.Replace(a), squash.Replace(b))
}

// Text says what differs, in a sentence that begins with the table.
func (d Drift) Text(table string) string {
	switch d.Kind {
	case MissingColumn:
		return fmt.Sprintf("table %s has no column %q (%s)", table, d.Want.Name, d.Want.Type)
	case OtherType:
		return fmt.Sprintf("table %s: column %q is %s, the contract says %s", table, d.Want.Name, d.Have.Type, d.Want.Type)
	case MayBeNull:
		return fmt.Sprintf("table %s: column %q may be NULL, the contract requires it", table, d.Want.Name)
	case IsNotNull:
		return fmt.Sprintf("table %s: column %q is NOT NULL, the contract makes it optional", table, d.Want.Name)
	case UndeclaredColumn:
		return fmt.Sprintf("table %s has a column %q (%s) that the contract does not declare", table, d.Have.Name, d.Have.Type)
	case MissingCheck:
		return fmt.Sprintf("table %s lacks CHECK %s (%s)", table, d.Check.Name, d.Check.Expression)
	case OtherCheck:
		return fmt.Sprintf("table %s: CHECK %s is (%s), the contract says (%s)", table, d.Check.Name, d.Found.Expression, d.Check.Expression)
	case UndeclaredCheck:
		return fmt.Sprintf("table %s has a CHECK %s (%s) that the contract does not declare", table, d.Found.Name, d.Found.Expression)
	default:
		return fmt.Sprintf("table %s differs: %s", table, d.Kind)
	}
}
