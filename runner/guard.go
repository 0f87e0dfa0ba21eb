package runner

import (
	"context"
	"fmt"
	"strings"

	"sluice/gen/plan"
)

// finding is one problem that the guard met.
type finding struct {
	Code, Text string
	Refuses    bool // the batch's fault, exit 4; else the run fails, exit 3
	Mended     bool // sluice migrate mends it
}

// guard reads the state of every table and judges it whole; nothing has been
// written when it returns, so that all problems come in one message.
func (a *attempt) guard(ctx context.Context) error {
	a.findings = nil
	exists, err := a.guardTarget(ctx)
	if err != nil {
		return err
	}
	if !exists {
		a.freshTarget()
	}
	out, err := a.step(ctx, "guard_log")
	if err != nil {
		return err
	}
	if err := a.readLog(out["guard_log"]); err != nil {
		return err
	}
	return a.guardSegments(ctx)
}

// guardTarget compares the tables, and what is published, with the contract.
func (a *attempt) guardTarget(ctx context.Context) (exists bool, err error) {
	a.ending()
	if err := a.describe(ctx); err != nil {
		return false, err
	}
	out, err := a.step(ctx, "guard_published")
	if err != nil || out == nil {
		return false, err
	}
	return true, a.readPublished(out)
}

// describe analyses all tables in one statement; only when one of them does
// not exist, which a routine run never meets, each is asked for on its own.
func (a *attempt) describe(ctx context.Context) error {
	s := a.plan.Step("guard_columns")
	a.observe(Event{Step: s.Name, Why: s.Why, State: "begin", Number: 1, Of: len(a.plan.Steps)})
	began := a.options.Now()
	sent := 1
	found := map[string][]Column{}
	columns, err := a.session.Describe(ctx, s.Statements[0].SQL)
	for _, c := range columns {
		found[c.Name] = c.Fields
	}
	if NotFound(err) {
		found, sent, err = a.describeEach(ctx)
	}
	took := a.options.Now().Sub(began).Seconds()
	a.report.Steps = append(a.report.Steps, StepReport{Name: s.Name, Statements: sent, Seconds: took})
	a.observe(Event{Step: s.Name, State: "end", Seconds: took, Number: 1, Of: len(a.plan.Steps)})
	if err != nil {
		return &StepError{s.Name, s.Statements[0].Name, plan.FailRun, err}
	}
	for _, t := range a.plan.Tables {
		a.compareTable(t, found)
	}
	return nil
}

func (a *attempt) describeEach(ctx context.Context) (map[string][]Column, int, error) {
	found := map[string][]Column{}
	for i, t := range a.plan.Tables {
		columns, err := a.session.Describe(ctx, t.Describe)
		switch {
		case NotFound(err):
		case err != nil:
			return nil, i + 2, err
		default:
			found[t.Alias] = columns
		}
	}
	return found, len(a.plan.Tables) + 1, nil
}

func (a *attempt) compareTable(t plan.Table, found map[string][]Column) {
	have, exists := found[t.Alias]
	if exists {
		a.numbers[t.Alias+"_exists"] = 1
	}
	switch t.Role {
	case plan.SourceTable, plan.LookupTable:
		a.compareRead(t, have, exists)
	case plan.TargetTable:
		if !exists {
			a.missing(t)
			return
		}
		a.live(have)
	case plan.StagingTable, plan.VerdictTable, plan.QuarantineTable, plan.AuditLogTable:
		if !exists {
			a.missing(t)
			return
		}
		a.compareHelper(t, have)
	}
}

func (a *attempt) missing(t plan.Table) {
	a.numbers["missing_"+t.Alias] = 1
	a.numbers["missing_tables"]++
}

// compareRead judges a table that the run only reads.
func (a *attempt) compareRead(t plan.Table, have []Column, exists bool) {
	code, refuses := "missing_source_column", true
	if t.Role == plan.LookupTable {
		code, refuses = "lookup_missing", false
	}
	if !exists {
		advice := "land a file first (sluice land), or correct source.table"
		if t.Role == plan.LookupTable {
			advice = "publish it first, or correct the relationship"
		}
		a.finding(code, refuses, "table %s does not exist; %s", t.Name, advice)
		return
	}
	for _, want := range t.Columns {
		if columnOf(have, want.Name) == nil {
			a.finding(code, refuses, "table %s has no column %q; it has %s", t.Name, want.Name, names(have))
		}
	}
	for _, got := range have {
		if t.Role == plan.SourceTable && !hasColumn(t.Columns, got.Name) && !strings.HasPrefix(got.Name, "_") {
			a.unread = append(a.unread, got.Name)
		}
	}
}

// live keeps what the published table looks like; it is judged with the
// contract's version, in readPublished.
func (a *attempt) live(have []Column) {
	a.target = plan.State{Exists: true, Columns: stateColumns(have)}
}

func stateColumns(have []Column) []plan.Column {
	var out []plan.Column
	for _, c := range have {
		out = append(out, plan.Column{Name: c.Name, Type: c.Type, Nullable: c.Nullable, Comment: c.Comment})
	}
	return out
}

// compareHelper finds columns to add; another type is drift, since our own
// tables are never rewritten behind their owner's back.
func (a *attempt) compareHelper(t plan.Table, have []Column) {
	var missing []plan.Column
	for _, want := range t.Columns {
		got := columnOf(have, want.Name)
		switch {
		case got == nil:
			missing = append(missing, want)
		case plan.SameType(got.Type, want.Type):
		case t.Role == plan.StagingTable:
			a.drift("table %s: column %q is %s, this version writes %s", t.Name, want.Name, got.Type, want.Type)
		default:
			a.finding("target_drift", false, "table %s: column %q is %s, this version writes %s; rename the table, and a run makes a new one", t.Name, want.Name, got.Type, want.Type)
		}
	}
	for _, got := range have { // a version that named its columns otherwise made it
		if !got.Nullable && !hasColumn(t.Columns, got.Name) {
			a.finding("target_drift", false, "table %s: column %q may not be NULL, and this version does not write it; rename the table, and a run makes a new one", t.Name, got.Name)
		}
	}
	if len(missing) > 0 {
		a.numbers["new_"+t.Alias+"_columns"] = int64(len(missing))
		a.newColumns[t.Alias] = missing
	}
}

func (a *attempt) finding(code string, refuses bool, format string, args ...any) {
	a.findings = append(a.findings, finding{Code: code, Text: fmt.Sprintf(format, args...), Refuses: refuses})
}

// drift is a difference that a migration mends.
func (a *attempt) drift(format string, args ...any) {
	a.findings = append(a.findings, finding{Code: "target_drift", Text: fmt.Sprintf(format, args...), Mended: true})
}

func columnOf(columns []Column, name string) *Column {
	for i := range columns {
		if strings.EqualFold(columns[i].Name, name) {
			return &columns[i]
		}
	}
	return nil
}

func hasColumn(columns []plan.Column, name string) bool {
	for _, c := range columns {
		if strings.EqualFold(c.Name, name) {
			return true
		}
	}
	return false
}

func names(columns []Column) string {
	const most = 40
	var out []string
	for i, c := range columns {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(columns)-most))
			break
		}
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}
