package runner_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest/fake"
)

// changing is a table as a session of tests shows it: counts by name, and the
// changes that are left.
type changing struct {
	fake.Session
	changes []plan.Change
	counts  map[string]int64
	broken  map[string]error
}

// change is a step whose statements are its name.
func change(name, group string, edit func(*plan.Change)) plan.Change {
	c := plan.Change{Name: name, Group: group, Statement: &plan.Statement{Name: name, SQL: "do " + name}}
	if edit != nil {
		edit(&c)
	}
	return c
}

func counted(what plan.Meaning, name string) func(*plan.Change) {
	return func(c *plan.Change) {
		c.Meaning, c.Counts, c.Count = what, "rows in the way", &plan.Statement{Name: "count", SQL: "count " + name}
	}
}

func (s *changing) migrate(t *testing.T, apply, allow bool) (runner.Migration, error) {
	s.Answer = func(sql string) ([]runner.Row, error) {
		if err := s.broken[sql]; err != nil {
			return nil, err
		}
		switch {
		case strings.HasPrefix(sql, "do "):
			s.changes = slices.DeleteFunc(s.changes, func(c plan.Change) bool { return "do "+c.Name == sql && s.counts[c.Name+" stays"] == 0 })
		case strings.HasPrefix(sql, "count "):
			return []runner.Row{{"rows": s.counts[strings.TrimPrefix(sql, "count ")]}}, nil
		case sql == "detail":
			return []runner.Row{{"minReaderVersion": int64(1), "minWriterVersion": int64(3), "tableFeatures": []any{"b", "a"}}}, nil
		}
		return nil, nil
	}
	p := &plan.Plan{
		Table: "silver.t", Version: "1.1.0",
		Tables: []plan.Table{{Role: plan.TargetTable, Name: "silver.t", Describe: "describe"}, {Role: plan.StagingTable, Describe: "describe staging"}},
		Steps:  []plan.Step{{Name: "guard_published", Statements: []plan.Statement{{Name: "guard_properties", SQL: "properties"}}}},
	}
	return runner.Migrate(t.Context(), s, p, runner.MigrateOptions{Apply: apply, AllowDestructive: allow, Next: func(plan.Live) (plan.Migration, error) {
		return plan.Migration{From: "1.0.0", Changes: slices.Clone(s.changes), Detail: plan.Statement{SQL: "detail"}}, nil
	}})
}

func states(r runner.Migration) string {
	var out []string
	for _, s := range r.Steps {
		out = append(out, s.Name+" "+string(s.State))
	}
	return strings.Join(out, ", ")
}

// What cannot run waits, with what builds on it; the rest runs.
func TestMigrateRunsWhatItCan(t *testing.T) {
	s := func() *changing {
		return &changing{counts: map[string]int64{"b1": 2, "moved": 3}, changes: []plan.Change{
			change("a", "a", nil),
			change("b1", "b", counted(plan.Blocks, "b1")),
			change("b2", "b", nil),
			change("c", "c", func(c *plan.Change) { c.After = []string{"b"} }),
			change("done", "d", counted(plan.Todo, "done")),
			change("moved", "d", counted(plan.Todo, "moved")),
			change("drop", "e", func(c *plan.Change) { c.Destructive = true }),
			change("told", "f", counted(plan.Tells, "b1")),
			change("last", "g", func(c *plan.Change) { c.Last = true }),
		}}
	}
	one := s()
	r, err := one.migrate(t, false, false)
	if want := "a planned, b1 waits, b2 waits, c waits, moved planned, drop planned, told planned, last waits"; err != nil || r.Result != runner.Planned || states(r) != want {
		t.Errorf("shown: %s, %v: %s", r.Result, err, states(r))
	}
	if one.Called("do ") {
		t.Errorf("something ran: %v", one.Calls())
	}
	r, err = one.migrate(t, true, false)
	if want := "a applied, b1 waits, b2 waits, c waits, moved applied, drop waits, told applied, last waits"; err != nil || r.Result != runner.Left || states(r) != want {
		t.Errorf("applied: %s, %v: %s", r.Result, err, states(r))
	}
	if r.From != "1.0.0" || r.Protocol.Before.Writer != 3 || strings.Join(r.Protocol.After.Features, "") != "ab" {
		t.Errorf("from %s, protocol %+v", r.From, r.Protocol)
	}
	one.counts["b1"] = 0
	r, err = one.migrate(t, true, true)
	if want := "b1 applied, b2 applied, c applied, drop applied, last applied"; err != nil || r.Result != runner.Applied || states(r) != want {
		t.Errorf("the rest: %s, %v: %s", r.Result, err, states(r))
	}
}

func TestMigrateThatFails(t *testing.T) {
	refused := &runner.StatementError{Class: "DATATYPE_MISMATCH", Message: "no such cast"}
	for name, c := range map[string]struct {
		edit func(*changing)
		want string
	}{
		"a statement":                    {func(s *changing) { s.broken = map[string]error{"do a": errors.New("disk full")} }, "applying a: disk full"},
		"a statement without any effect": {func(s *changing) { s.counts = map[string]int64{"a stays": 1} }, "the table is as it was"},
		"a count on a lost connection": {func(s *changing) {
			s.broken = map[string]error{"count b": &runner.StatementError{Message: "gone", Unknown: true}}
		}, "gone"},
		"the protocol": {func(s *changing) { s.broken = map[string]error{"detail": errors.New("no detail")} }, "no detail"},
	} {
		s := &changing{changes: []plan.Change{change("a", "a", nil), change("b", "b", counted(plan.Blocks, "b"))}}
		c.edit(s)
		r, err := s.migrate(t, true, false)
		if err == nil || r.Result != runner.Broken || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s, %v", name, r.Result, err)
		}
	}
	s := &changing{changes: []plan.Change{change("b", "b", counted(plan.Blocks, "b"))}, broken: map[string]error{"count b": refused}}
	if r, err := s.migrate(t, true, false); err != nil || r.Result != runner.Left || r.Steps[0].Advice != "counting: no such cast" {
		t.Errorf("a count that Spark refuses: %v, %+v", err, r.Steps)
	}
}
