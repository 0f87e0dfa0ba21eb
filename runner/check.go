package runner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/gen/plan"
)

// CheckOptions are what a check is asked to do.
type CheckOptions struct {
	MetadataOnly bool        // the guard alone: no row is read
	Migrate      string      // the command that mends drift, as a person would type it
	Observe      func(Event) // progress; may be nil
	Now          func() time.Time
}

// TableReport is what a check found. Its JSON names are fixed.
type TableReport struct {
	Contract string           `json:"contract"`
	Version  string           `json:"version"`
	Table    string           `json:"table"`
	Result   TableResult      `json:"result"`
	Checks   []CheckResult    `json:"checks"`
	Warnings map[string]int64 `json:"warnings"`
	Notes    []string         `json:"notes"`
	Failures []string         `json:"failures"` // why a check could not be made
	Steps    []StepReport     `json:"steps"`
}

// TableResult is how a check ended.
type TableResult string

// The results of a check and their exit codes.
const (
	TablePassed  TableResult = "passed"  // 0
	TableFinding TableResult = "finding" // 1
	TableFailed  TableResult = "failed"  // 3
)

// Check compares the published table with its contract as the guard of a run
// does, then judges the contract's rules over its rows. It writes nothing, and
// needs no batch.
func Check(ctx context.Context, s Session, p *plan.Plan, o CheckOptions) (TableReport, error) {
	options := Options{Migrate: o.Migrate, Observe: o.Observe, Now: o.Now}.complete()
	a := newAttempt(s, p, options, 1, options.Now())
	err := a.checkTable(ctx, o.MetadataOnly)
	r := TableReport{
		Contract: p.Contract, Version: p.Version, Table: p.Table, Result: TablePassed, Checks: a.report.Checks, Warnings: a.report.Warnings,
		Notes: append([]string{}, a.report.Notes...), Failures: []string{}, Steps: a.report.Steps,
	}
	if slices.ContainsFunc(r.Checks, func(c CheckResult) bool { return c.Result == "failed" }) {
		r.Result = TableFinding
	}
	if err != nil {
		r.Result, r.Failures = TableFailed, []string{err.Error()}
	}
	return r, err
}

func (a *attempt) checkTable(ctx context.Context, metadataOnly bool) error {
	exists, err := a.guardTarget(ctx)
	if err != nil {
		return err
	}
	if !exists {
		a.finding("target_missing", false, "table %s does not exist; the first run creates it", a.plan.Table)
	}
	a.reportFindings()
	if metadataOnly || !exists {
		return nil
	}
	if !a.readable() {
		a.note("the rules over the rows are not judged: columns are missing or have another type")
		return nil
	}
	if err := a.checkRows(ctx, "check_table"); err != nil {
		return err
	}
	if slices.ContainsFunc(a.findings, func(f finding) bool { return f.Code == "lookup_missing" }) {
		return nil // it is a finding already
	}
	return a.checkRows(ctx, "check_lookups")
}

// reportFindings makes a check of each difference that the guard met.
func (a *attempt) reportFindings() {
	for _, f := range a.findings {
		a.report.Checks = append(a.report.Checks, CheckResult{Code: f.Code, Rule: f.Code, Result: "failed", Value: f.Text, Bound: "none", Severity: "error", Dimension: "conformity", Owner: a.plan.Owner})
	}
	if len(a.findings) == 0 {
		text := fmt.Sprintf("as contract %s has it", a.plan.Version)
		a.report.Checks = append(a.report.Checks, CheckResult{Code: "target_drift", Rule: "target_drift", Result: "passed", Value: text, Bound: "none", Severity: "error", Dimension: "conformity", Owner: a.plan.Owner})
	}
	if text := a.mend(); text != "" {
		a.note(text)
	}
}

// readable reports whether the rules can be asked of the table: their columns are
// there and have the types that the rules were written for.
func (a *attempt) readable() bool {
	drifts := plan.Compare(*a.plan.TableOf(plan.TargetTable), a.plan.Constraints, a.target)
	return !slices.ContainsFunc(drifts, func(d plan.Drift) bool { return d.Kind == plan.MissingColumn || d.Kind == plan.OtherType })
}

// checkRows runs the statements of a step and judges its checks.
func (a *attempt) checkRows(ctx context.Context, name string) error {
	s := a.plan.Step(name)
	if s == nil {
		return nil
	}
	out, err := a.step(ctx, name)
	if err != nil {
		return err
	}
	a.readValues(out)
	if s.Checks[0].Kind == plan.CheckLookup {
		if err := a.readLookups(out); err != nil {
			return err
		}
	}
	for _, c := range s.Checks {
		a.report.Checks = append(a.report.Checks, Judge(c, a.facts))
	}
	return nil
}
