package runner_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
)

// guarded is a plan with a source, a target with a CHECK, staging and a lookup.
func guarded() *plan.Plan {
	p := small()
	p.Tables = []plan.Table{
		{Role: plan.SourceTable, Alias: "source", Name: "bronze.t", Columns: []plan.Column{{Name: "k"}}},
		{Role: plan.TargetTable, Alias: "target", Name: "silver.t", Columns: []plan.Column{{Name: "k", Type: "STRING"}, {Name: "v", Type: "DECIMAL(18,2)", Nullable: true}}},
		{Role: plan.StagingTable, Alias: "staging", Name: "staging.t", Columns: []plan.Column{{Name: "k", Type: "STRING", Nullable: true}, {Name: "raw_k", Type: "STRING", Nullable: true}}},
		{Role: plan.AuditLogTable, Alias: "audit_log", Name: "ops.audit_log"},
		{Role: plan.LookupTable, Alias: "lookup_1", Name: "silver.l", Columns: []plan.Column{{Name: "id"}}},
	}
	p.Constraints = []plan.Constraint{{Name: "v_minimum", Expression: "`v` IS NULL OR `v` >= 0"}}
	p.Steps = slices.Insert(p.Steps, 3,
		plan.Step{Name: "ensure_staging_columns", Kind: plan.Ensure, SkipIfZero: "new_staging_columns", Statements: []plan.Statement{{Name: "alter", Use: plan.Exec, SQL: "ADD COLUMNS (:missing_columns)"}}},
		plan.Step{Name: "ensure_version", Kind: plan.Ensure, SkipIfZero: "version_absent", Statements: []plan.Statement{{Name: "version", Use: plan.Exec, SQL: "set version"}}})
	p.Steps = slices.Insert(p.Steps, len(p.Steps)-1,
		plan.Step{Name: "record_version", Kind: plan.Record, SkipIfZero: "version_raised", OnFailure: plan.FailRecorded, Statements: []plan.Statement{{Name: "raise", Use: plan.Exec, SQL: "raise version"}}})
	p.Params = []plan.Param{{Name: "missing_columns", Type: plan.ColumnsParam}}
	return p
}

// lakehouse is the state that guarded expects; a case changes one thing.
type lakehouse struct {
	version string
	tables  map[string][]runner.Column
	checks  map[string]string
}

func tidy() lakehouse {
	text := func(name string, nullable bool) runner.Column {
		return runner.Column{Name: name, Type: "STRING", Nullable: nullable}
	}
	return lakehouse{
		version: "1.0.0",
		tables: map[string][]runner.Column{
			"source":    {text("k", true)},
			"target":    {text("k", false), {Name: "v", Type: "DECIMAL(18,2)", Nullable: true}},
			"staging":   {text("k", true), text("raw_k", true)},
			"audit_log": {},
			"lookup_1":  {text("id", true)},
		},
		checks: map[string]string{"v_minimum": "`v` IS NULL OR `v` >= 0"},
	}
}

func (l lakehouse) server() *server {
	s := newServer()
	s.Tables = nil
	for alias, columns := range l.tables {
		s.Tables = append(s.Tables, runner.Column{Name: alias, Type: "STRUCT", Fields: columns})
	}
	var properties []runner.Row
	if l.version != "" {
		properties = append(properties, runner.Row{"key": "contract.version", "value": l.version})
	}
	for name, expression := range l.checks {
		properties = append(properties, runner.Row{"key": "delta.constraints." + name, "value": expression})
	}
	s.answers["guard_properties"] = rows(properties...)
	return s
}

func TestGuard(t *testing.T) {
	extra := runner.Column{Name: "w", Type: "STRING", Nullable: true}
	for name, c := range map[string]struct {
		change func(*lakehouse)
		want   runner.Result
		finds  []string // parts of the one message
		calls  []string
	}{
		"as it should be":               {func(*lakehouse) {}, runner.Published, nil, nil},
		"no version yet":                {func(l *lakehouse) { l.version = "" }, runner.Published, nil, []string{"set version"}},
		"the contract is newer":         {func(l *lakehouse) { l.version = "0.9.9" }, runner.Failed, []string{"target_drift", "major"}, nil},
		"the contract is a minor newer": {func(l *lakehouse) { l.version = "1.0" }, runner.Published, nil, nil},
		"the table is a major ahead":    {func(l *lakehouse) { l.version = "2.0.0" }, runner.Failed, []string{"target_drift", "2.0.0", "sluice migrate"}, nil},
		"a version that is none":        {func(l *lakehouse) { l.version = "banana" }, runner.Failed, []string{"target_drift", "banana"}, nil},
		"behind, an optional column more": {func(l *lakehouse) {
			l.version = "1.1.0"
			l.tables["target"] = append(l.tables["target"], extra)
		}, runner.Published, nil, nil},
		"behind, a required column more": {func(l *lakehouse) {
			l.version = "1.1.0"
			l.tables["target"] = append(l.tables["target"], runner.Column{Name: "w", Type: "STRING"})
		}, runner.Failed, []string{"target_drift", `"w"`}, nil},
		"a column that nobody declared": {func(l *lakehouse) { l.tables["target"] = append(l.tables["target"], extra) }, runner.Failed, []string{"target_drift", `"w"`}, nil},
		"a column that is missing":      {func(l *lakehouse) { l.tables["target"] = l.tables["target"][:1] }, runner.Failed, []string{"target_drift", `"v"`}, nil},
		"another type":                  {func(l *lakehouse) { l.tables["target"][1].Type = "DECIMAL(20,2)" }, runner.Failed, []string{"DECIMAL(20,2)", "DECIMAL(18,2)"}, nil},
		"a required column may be NULL": {func(l *lakehouse) { l.tables["target"][0].Nullable = true }, runner.Failed, []string{"target_drift", `"k"`}, nil},
		"a CHECK instead of NOT NULL": {func(l *lakehouse) {
			l.tables["target"][0].Nullable = true
			l.checks["k_required"] = "`k`  IS NOT NULL"
		}, runner.Published, nil, nil},
		"such a CHECK written by hand": {func(l *lakehouse) {
			l.tables["target"][0].Nullable = true
			l.checks["mine"] = "K is not null"
		}, runner.Published, nil, nil},
		"such a CHECK on an optional column": {func(l *lakehouse) { l.checks["v_required"] = "`v` IS NOT NULL" }, runner.Failed, []string{"v_required"}, nil},
		"everything at once": {func(l *lakehouse) {
			l.version, l.checks = "0.9.0", map[string]string{"stray": "v < 9"}
			l.tables["target"] = []runner.Column{{Name: "v", Type: "INT"}, extra}
		}, runner.Failed, []string{"another major", `no column "k"`, "v\" is INT", `column "w"`, "lacks CHECK v_minimum", "CHECK stray", "sluice migrate shop/it.odcs.yaml shows"}, nil},
		"behind, another type": {func(l *lakehouse) {
			l.version = "1.1.0"
			l.tables["target"][1].Type = "INT"
		}, runner.Failed, []string{"a newer contract wrote it"}, nil},
		"an optional column is NOT NULL": {func(l *lakehouse) { l.tables["target"][1].Nullable = false }, runner.Failed, []string{"target_drift", `"v"`}, nil},
		"a CHECK that is missing":        {func(l *lakehouse) { l.checks = nil }, runner.Failed, []string{"target_drift", "v_minimum"}, nil},
		"another CHECK under the name":   {func(l *lakehouse) { l.checks["v_minimum"] = "`v` >= 1" }, runner.Failed, []string{"target_drift", "`v` >= 1"}, nil},
		"a CHECK spaced differently":     {func(l *lakehouse) { l.checks["v_minimum"] = "`v`  IS NULL OR\n `v` >= 0" }, runner.Published, nil, nil},
		"a CHECK that nobody declared":   {func(l *lakehouse) { l.checks["stray"] = "v < 9" }, runner.Failed, []string{"target_drift", "stray"}, nil},
		"a source without a column":      {func(l *lakehouse) { l.tables["source"][0].Name = "kk" }, runner.Refused, []string{"missing_source_column", `"k"`, "kk"}, nil},
		"no lookup": {func(l *lakehouse) {
			l.tables["lookup_1"] = nil
			l.tables["lookup_1"] = []runner.Column{{Name: "other"}}
		}, runner.Failed, []string{"lookup_missing", `"id"`}, nil},
		"source and lookup at once": {
			func(l *lakehouse) { l.tables["source"] = nil; l.tables["lookup_1"] = nil }, runner.Failed,
			[]string{"missing_source_column", "lookup_missing"},
			nil,
		},
		"staging of an older version": {func(l *lakehouse) { l.tables["staging"] = l.tables["staging"][:1] }, runner.Published, nil, []string{"ADD COLUMNS (`raw_k` STRING)"}},
		"staging of another type":     {func(l *lakehouse) { l.tables["staging"][0].Type = "INT" }, runner.Failed, []string{"target_drift", "staging.t"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := tidy()
			c.change(&l)
			s := l.server()
			o := options()
			o.Migrate = "sluice migrate shop/it.odcs.yaml"
			r, _ := runner.Run(t.Context(), s, guarded(), o)
			text := strings.Join(r.Failures, "\n")
			if r.Result != c.want {
				t.Fatalf("%s: %s; want %s", r.Result, text, c.want)
			}
			for _, part := range c.finds {
				if !strings.Contains(text, part) {
					t.Errorf("the message lacks %q: %s", part, text)
				}
			}
			for _, call := range c.calls {
				if !slices.Contains(s.Calls(), call) {
					t.Errorf("%q was not run: %v", call, s.Calls())
				}
			}
			if c.want != runner.Published && s.Called("stage") {
				t.Error("something was staged although the guard found a problem")
			}
		})
	}
}

func TestARaisedVersionIsSetAfterPublishing(t *testing.T) {
	l := tidy()
	s := l.server()
	p := guarded()
	p.Version = "1.2.0"
	r, err := runner.Run(t.Context(), s, p, options())
	calls := s.Calls()
	if err != nil || slices.Index(calls, "raise version") < slices.Index(calls, "publish") {
		t.Errorf("%v %v: %v", err, r.Failures, calls)
	}
}

func TestAFirstRunWithoutASourceIsRefusedAndWritesNothing(t *testing.T) {
	s := newServer()
	s.Tables = []runner.Column{}
	s.answers["guard_columns"] = func() ([]runner.Row, error) {
		return nil, &runner.StatementError{Class: "TABLE_OR_VIEW_NOT_FOUND", Message: "no"}
	}
	p := guarded()
	for i := range p.Tables {
		p.Tables[i].Describe = "describe " + p.Tables[i].Alias
		if p.Tables[i].Alias != "lookup_1" {
			s.answers[p.Tables[i].Describe] = s.answers["guard_columns"]
		}
	}
	s.Tables = []runner.Column{{Name: "id", Type: "STRING"}}
	r, err := runner.Run(t.Context(), s, p, options())
	if err != nil || r.Result != runner.Refused || !strings.Contains(r.Failures[0], "bronze.t does not exist") || slices.Contains(s.Calls(), "record") {
		t.Errorf("%v %s %v: %v", err, r.Result, r.Failures, s.Calls())
	}
}
