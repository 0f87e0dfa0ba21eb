package gen_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

var tables = []string{
	"testdata/hostile.odcs.yaml", "testdata/zones.odcs.yaml", "testdata/wide.odcs.yaml", "testdata/typed.odcs.yaml",
	"../contracts/sales/orders.odcs.yaml", "../contracts/aviation/flights.odcs.yaml",
}

func migrate(t *testing.T, path string, rewrite bool, target plan.State) (plan.Migration, error) {
	t.Helper()
	c, err := contracts.Load(path, contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	next, err := gen.Migrator(c, c.Published()[0], rewrite)
	if err != nil {
		t.Fatal(err)
	}
	target.Exists = true
	return next(plan.Live{Target: target, Staging: plan.State{Exists: true, Columns: target.Columns}})
}

// asDeclared is a table as a first run creates it.
func asDeclared(p *plan.Plan) plan.State {
	s := plan.State{Properties: map[string]string{"contract.version": p.Version}}
	s.Columns = slices.Clone(p.TableOf(plan.TargetTable).Columns)
	for _, c := range p.Constraints {
		s.Properties["delta.constraints."+strings.ToLower(c.Name)] = c.Expression
	}
	return s
}

func TestATableAsDeclaredNeedsNothing(t *testing.T) {
	for _, path := range tables {
		m, err := migrate(t, path, false, asDeclared(build(t, path)))
		if err != nil || len(m.Changes) > 0 {
			t.Errorf("%s: %v, %+v", path, err, m.Changes)
		}
	}
}

// drifts are ways in which a table can differ from its contract.
var drifts = map[string]func(*plan.State){
	"no column": func(s *plan.State) { s.Columns = s.Columns[:1] },
	"all of another type": func(s *plan.State) {
		for i := range s.Columns {
			s.Columns[i].Type = "TINYINT"
		}
	},
	"all may be NULL": func(s *plan.State) {
		for i := range s.Columns {
			s.Columns[i].Nullable = true
		}
	},
	"no constraint, no version": func(s *plan.State) { s.Properties = nil },
	"strangers": func(s *plan.State) {
		s.Columns = append(s.Columns, plan.Column{Name: "a`b'; DROP TABLE x --", Type: "STRING", Nullable: true})
		s.Properties["delta.constraints.o'; --"] = "`a``b` > ':x'"
		s.Properties["contract.added.a'b\n-- :z"] = "1.0.0 '"
		s.Properties["contract.version"] = "0.1.0"
	},
	"other words": func(s *plan.State) {
		for i := range s.Columns {
			s.Columns[i].Comment = "other"
		}
	},
}

// Whatever the contract and the table hold, each statement is one closed one, and
// every drift that the guard would find has a change.
func TestMigrationsAreWellFormed(t *testing.T) {
	for _, path := range tables {
		p := build(t, path)
		for name, change := range drifts {
			for _, rewrite := range []bool{false, true} {
				s := asDeclared(p)
				change(&s)
				m, err := migrate(t, path, rewrite, s)
				if err != nil || len(m.Changes) == 0 && name != "other words" {
					t.Errorf("%s, %s: %v, %d changes", path, name, err, len(m.Changes))
				}
				for _, c := range m.Changes {
					for _, st := range []*plan.Statement{c.Count, c.Statement, c.Other} {
						if st != nil {
							closed(t, path+" "+name+" "+c.Name, st.SQL)
						}
					}
				}
			}
		}
	}
}

// A required column that replaces another is filled from it; of any other only its
// owner knows the value.
func TestBackfillPlan(t *testing.T) {
	c, err := contracts.Load(tables[4], contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := c.Published()[0]
	currency, customer := table.Column("currency"), table.Column("customer_id")
	for replaces, want := range map[string]string{customer.Name: "SET `currency` = `customer_id` WHERE", "": "SET `currency` = <value> WHERE", "order_date": "= <value> WHERE"} {
		currency.Replaces = replaces
		next, err := gen.Migrator(c, table, false)
		if err != nil {
			t.Fatal(err)
		}
		live := asDeclared(build(t, tables[4]))
		live.Exists = true
		live.Columns = slices.DeleteFunc(live.Columns, func(c plan.Column) bool { return c.Name == currency.Name })
		m, err := next(plan.Live{Target: live})
		fill := slices.IndexFunc(m.Changes, func(c plan.Change) bool { return c.Name == "fill_currency" })
		if err != nil || fill < 0 || m.Changes[fill].Statement != nil || !strings.Contains(m.Changes[fill].Advice, want) {
			t.Errorf("replaces %q: %v, %+v", replaces, err, m.Changes)
		}
	}
}

// closed is sound for statements that drop things themselves.
func closed(t *testing.T, name, sql string) {
	t.Helper()
	if err := sparksql.Closed(sql); err != nil {
		t.Errorf("%s: %v\n%s", name, err, sql)
	}
	for _, tok := range sparksql.Tokens(sql) {
		if tok.Kind == sparksql.Other && tok.Text == ";" || tok.Kind == sparksql.Marker && tok.Text != ":added_at" {
			t.Errorf("%s holds %s outside of a literal\n%s", name, tok.Text, sql)
		}
	}
}

func TestATableIsNeverTakenBack(t *testing.T) {
	path := tables[4]
	for _, version := range []string{"2.2.1", "2.3.0", "3.0.0"} {
		s := asDeclared(build(t, path))
		s.Properties["contract.version"] = version
		if _, err := migrate(t, path, false, s); !errors.Is(err, gen.ErrNewer) || !strings.Contains(err.Error(), version) {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// A type change that was killed between dropping the old column and renaming the
// new one only has to rename it.
func TestARetypeThatWasKilled(t *testing.T) {
	path := tables[4]
	s := asDeclared(build(t, path))
	for i, c := range s.Columns {
		if c.Name == "order_total" {
			s.Columns[i] = plan.Column{Name: "order_total_migrated", Type: c.Type, Nullable: true}
		}
	}
	m, err := migrate(t, path, false, s)
	if err != nil || len(m.Changes) == 0 || m.Changes[0].Name != "rename_order_total" {
		t.Fatalf("%v, %+v", err, m.Changes)
	}
	for _, c := range m.Changes {
		if strings.HasPrefix(c.Name, "add_columns") || strings.HasPrefix(c.Name, "drop_") {
			t.Errorf("%s comes beside the renaming", c.Name)
		}
	}
}

// The statements of a check are closed, hold no marker and write nothing.
func TestChecksAreWellFormed(t *testing.T) {
	for _, path := range tables {
		c, err := contracts.Load(path, contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := gen.Check(c, c.Published()[0])
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for _, step := range p.Steps {
			for _, s := range step.Statements {
				sound(t, path+" "+s.Name, s.SQL)
				if _, left, err := p.Bind(s.SQL, nil); err != nil || len(left) > 0 || s.Use == plan.Exec {
					t.Errorf("%s %s: markers %v, %s, %v", path, s.Name, left, s.Use, err)
				}
			}
		}
	}
}
