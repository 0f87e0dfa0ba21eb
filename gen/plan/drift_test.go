package plan_test

import (
	"testing"

	"sluice/gen/plan"

	"github.com/google/go-cmp/cmp"
)

// Each difference is found once, whichever side it is on.
func TestCompare(t *testing.T) {
	want := plan.Table{Columns: []plan.Column{{Name: "k", Type: "STRING"}, {Name: "v", Type: "DECIMAL(18,2)", Nullable: true}}}
	checks := []plan.Constraint{{Name: "V_minimum", Expression: "`v` >= 0"}}
	tidy := func() plan.State {
		return plan.State{
			Exists:     true,
			Columns:    []plan.Column{{Name: "K", Type: "string"}, {Name: "v", Type: "decimal(18, 2)", Nullable: true, Comment: "stops nobody"}},
			Properties: map[string]string{"delta.constraints.v_minimum": "`v` >= 0", "contract.version": "1.0.0"},
		}
	}
	for name, c := range map[string]struct {
		change func(*plan.State)
		want   []plan.DriftKind
	}{
		"none":            {func(*plan.State) {}, nil},
		"missing":         {func(s *plan.State) { s.Columns = s.Columns[:1] }, []plan.DriftKind{plan.MissingColumn}},
		"type":            {func(s *plan.State) { s.Columns[1].Type = "DOUBLE" }, []plan.DriftKind{plan.OtherType}},
		"type, then NULL": {func(s *plan.State) { s.Columns[0] = plan.Column{Name: "k", Type: "INT", Nullable: true} }, []plan.DriftKind{plan.OtherType}},
		"undeclared":      {func(s *plan.State) { s.Columns = append(s.Columns, plan.Column{Name: "w"}) }, []plan.DriftKind{plan.UndeclaredColumn}},
		"may be NULL":     {func(s *plan.State) { s.Columns[0].Nullable = true }, []plan.DriftKind{plan.MayBeNull}},
		"held by a CHECK": {func(s *plan.State) {
			s.Columns[0].Nullable = true
			s.Properties["delta.constraints.k_required"] = "`k` IS NOT NULL"
		}, nil},
		"NOT NULL":             {func(s *plan.State) { s.Columns[1].Nullable = false }, []plan.DriftKind{plan.IsNotNull}},
		"CHECK where optional": {func(s *plan.State) { s.Properties["delta.constraints.x"] = "v is not null" }, []plan.DriftKind{plan.UndeclaredCheck}},
		"no CHECK":             {func(s *plan.State) { delete(s.Properties, "delta.constraints.v_minimum") }, []plan.DriftKind{plan.MissingCheck}},
		"another CHECK":        {func(s *plan.State) { s.Properties["delta.constraints.v_minimum"] = "`v` >= 1" }, []plan.DriftKind{plan.OtherCheck}},
	} {
		state := tidy()
		c.change(&state)
		var got []plan.DriftKind
		for _, d := range plan.Compare(want, checks, state) {
			got = append(got, d.Kind)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestStand(t *testing.T) {
	for table, want := range map[string]plan.Standing{
		"": plan.NoVersion, "2.1.0": plan.SameVersion, "2.1": plan.SameVersion, "2.0.9": plan.ContractAhead, "2.1.1": plan.TableAhead,
		"2.10.0": plan.TableAhead, "1.9.9": plan.MajorAhead, "3.0.0": plan.MajorBehind, "two": plan.BadVersion, "2": plan.BadVersion, "2.-1.0": plan.BadVersion,
	} {
		if got := plan.Stand("2.1.0", table); got != want {
			t.Errorf("a contract 2.1.0 and a table %q: %s, want %s", table, got, want)
		}
	}
}

// A format without CHECK has no way to mend a column that may be NULL.
func TestCompareWithoutChecks(t *testing.T) {
	want := plan.Table{NoCheck: true, Columns: []plan.Column{{Name: "k", Type: "STRING"}, {Name: "v", Type: "INT", Nullable: true}}}
	live := plan.State{Exists: true, Columns: []plan.Column{{Name: "k", Type: "STRING", Nullable: true}, {Name: "v", Type: "INT"}}}
	if got := plan.Compare(want, nil, live); len(got) != 1 || got[0].Kind != plan.IsNotNull {
		t.Errorf("%+v", got)
	}
}
