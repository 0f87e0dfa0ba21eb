// Package runner runs a Plan on a Session, judges its checks, writes the
// record and returns a Report. It knows no contract and no Spark client.
//
// One attempt is a fixed order of steps: guard, ensure, stage, audit, settle,
// quarantine, judge, publish, record. Any surprise discards the attempt: when
// another writer changes the target after the verdicts were decided, a new
// attempt starts at guard under a fresh run id, three times at most.
// Staged rows carry their run id, so nothing of a discarded attempt is read again.
package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/gen/plan"
)

// Attempts is how often a run starts again when its target moves.
const Attempts = 3

// errMoved says that the target changed after the verdicts of this attempt.
var errMoved = errors.New("the target changed after the verdicts were decided")

// attempt is the state of one attempt. numbers are what step conditions look at.
type attempt struct {
	plan    *plan.Plan
	session Session
	options Options
	report  *Report
	run     string
	number  int
	values  plan.Values
	numbers map[string]int64
	facts   Facts

	findings      []finding
	target        plan.State // the published table as the guard found it
	newColumns    map[string][]plan.Column
	added         []string // columns that a migration added to the published table
	commits       []commit
	base          int64 // Delta: newest version of the target when the verdicts began
	heads         heads // Iceberg: the references as the guard found them
	main, audited int64 // Iceberg: main's head when the verdicts began; the branch's when it was proven
	partition     string
	publications  int64 // of this batch id
	waiting       int64 // other batches with rows that lost to a key of another partition
	publishedHash string
	valuedColumns map[string]bool // had a value in an earlier published batch
	recorded      map[string]bool

	publishedColumns string
	staged           counts
	allNull          []string
	verdicts         map[string]int64
	refusals         []string
	passed           bool
	ensured          bool     // every table of ours exists
	unread           []string // source columns that the contract does not read
}

// Run takes one batch through the plan. The report always says how it ended; a
// failed run has its cause in Failures and, where the audit log could be
// written, a row there. The error is the cause of a result that is not
// published, for callers that want to look into it; it is nil for a refusal.
func Run(ctx context.Context, s Session, p *plan.Plan, o Options) (Report, error) {
	o = o.complete()
	if err := plan.CheckBatchID(o.Batch); err != nil {
		return Report{Batch: o.Batch, Result: Failed, Failures: []string{err.Error()}}, err
	}
	partition, text, err := p.BindPartition(o.Partition)
	if err != nil {
		return Report{Batch: o.Batch, Result: Failed, Failures: []string{err.Error()}}, err
	}
	started := o.Now()
	var a *attempt
	for n := 1; n <= Attempts; n++ {
		a = newAttempt(s, p, o, n, started)
		a.partition, a.report.Partition = text, text
		maps.Copy(a.values, partition)
		err = a.do(ctx)
		if !errors.Is(err, errMoved) {
			break
		}
		a.note(fmt.Sprintf("attempt %d of %d is discarded: %v", n, Attempts, err))
	}
	if errors.Is(err, errMoved) {
		err = fmt.Errorf("target_busy: table %s changed during each of %d attempts (%w); run again when its other writer is done", p.Table, Attempts, err)
	}
	if err != nil {
		a.fail(ctx, err)
	}
	return *a.report, err
}

func newAttempt(s Session, p *plan.Plan, o Options, number int, started time.Time) *attempt {
	run := o.NewRunID()
	return &attempt{
		plan: p, session: s, options: o, run: run, number: number, base: -1,
		values:        plan.Values{"batch_id": o.Batch, "run_id": run, "added_columns": []string{}},
		numbers:       map[string]int64{},
		newColumns:    map[string][]plan.Column{},
		recorded:      map[string]bool{},
		verdicts:      map[string]int64{},
		valuedColumns: map[string]bool{},
		facts:         Facts{Values: map[string]string{}, NoValue: map[string]bool{}, Unknown: map[string]Lookup{}, Decided: map[string]Fact{}},
		report: &Report{
			Contract: p.Contract, Version: p.Version, Table: p.Table, Batch: o.Batch, Run: run,
			Reasons: map[string]int64{}, Warnings: map[string]int64{}, Failures: []string{}, Checks: []CheckResult{}, Steps: []StepReport{},
			Attempt: number, Started: started,
		},
	}
}

// do is the protocol of one attempt.
func (a *attempt) do(ctx context.Context) error {
	if err := a.guard(ctx); err != nil {
		return err
	}
	if err := a.judgeFindings(); err != nil {
		return err
	}
	if !a.refused() {
		for _, part := range []func(context.Context) error{a.ensure, a.recover, a.stage, a.audit, a.settle} {
			if err := part(ctx); err != nil {
				return err
			}
		}
	}
	if !a.refused() {
		if err := a.quarantine(ctx); err != nil {
			return err
		}
		if err := a.judge(ctx); err != nil {
			return err
		}
		if err := a.candidate(ctx); err != nil {
			return err
		}
	}
	a.passed = !a.refused()
	if a.passed {
		if err := a.publish(ctx); err != nil {
			return err
		}
		a.report.Result = Published
		a.judgeTarget(ctx)
		a.orphans(ctx)
	} else {
		a.report.Result = Refused
		a.report.Failures = append(a.report.Failures, a.refusals...)
	}
	return a.record(ctx)
}

// judgeFindings turns what the guard met into one refusal or one failure.
func (a *attempt) judgeFindings() error {
	if len(a.findings) == 0 {
		return nil
	}
	refuses := true
	for _, f := range a.findings {
		refuses = refuses && f.Refuses
	}
	text := strings.Join(a.problems(), "\n")
	if !refuses {
		return errors.New(text)
	}
	a.refuse("%s", text)
	return nil
}

// problems are the findings, a line each, and the command that mends the drift.
func (a *attempt) problems() []string {
	var out []string
	for _, f := range a.findings {
		out = append(out, f.Code+": "+f.Text)
	}
	if text := a.mend(); text != "" {
		out = append(out, text)
	}
	return out
}

// mend names the command that mends what the guard found, "" where none does: a
// table that a newer contract wrote is never taken back.
func (a *attempt) mend() string {
	older := plan.Stand(a.plan.Version, a.target.Properties[plan.VersionProperty]).Older()
	if older || !slices.ContainsFunc(a.findings, func(f finding) bool { return f.Mended }) {
		return ""
	}
	return fmt.Sprintf("to mend the table: %s shows the statements, each with its reason; with --apply it runs them", a.options.Migrate)
}

func (a *attempt) refuse(format string, args ...any) {
	a.refusals = append(a.refusals, fmt.Sprintf(format, args...))
}

func (a *attempt) refused() bool { return len(a.refusals) > 0 }

func (a *attempt) warning(code string, rows int64) { a.report.Warnings[code] += rows }

// ensure creates what the guard found missing. A routine run skips every step of it.
func (a *attempt) ensure(ctx context.Context) error {
	for i := range a.plan.Steps {
		s := &a.plan.Steps[i]
		if s.Kind != plan.Ensure {
			continue
		}
		for alias, columns := range a.newColumns {
			if s.Name == "ensure_"+alias+"_columns" {
				a.values["missing_columns"] = columns
			}
		}
		out, err := a.step(ctx, s.Name)
		if err != nil {
			return halfMade(err)
		}
		if rows := out["ensure_refs"]; rows != nil {
			if err := a.guardHeads(rows); err != nil {
				return err
			}
		}
		if rows := out["ensure_history"]; rows != nil {
			if a.commits, err = history(rows); err != nil {
				return err
			}
			a.base = newest(a.commits)
		}
	}
	a.ensured = true
	return nil
}

// halfMade says what to do where a cluster was killed while Delta made one of our
// tables: its folder then holds a log without a commit, which is no table, and no
// statement can take it away (CreateDeltaTableCommand.assertPathEmpty).
func halfMade(err error) error {
	var s *StatementError
	if errors.As(err, &s) && s.Class == "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION" {
		return fmt.Errorf("%w; a cluster that was killed while it made the table leaves such a folder: it is no table and holds no row, so look into it, delete the folder, and run the same command again", err)
	}
	return err
}

// NewRunID is a fresh id for an attempt.
func NewRunID() string {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // crypto/rand does not fail on the platforms that Go supports
	}
	return hex.EncodeToString(b[:])
}
