package runner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest/fake"
)

// small is a plan whose statements are their own names, so that a test can
// answer them and read the order of calls.
func small() *plan.Plan {
	step := func(kind plan.Kind, name, skip string, onFailure plan.Failure, statements ...string) plan.Step {
		s := plan.Step{Name: name, Kind: kind, SkipIfZero: skip, OnFailure: onFailure}
		for _, st := range statements {
			use := plan.Query
			if slices.Contains([]string{"stage", "settle_duplicates", "settle_published", "quarantine", "publish", "record"}, st) {
				use = plan.Exec
			}
			s.Statements = append(s.Statements, plan.Statement{Name: st, Use: use, SQL: st})
		}
		return s
	}
	publish := step(plan.Publish, "publish", "changing_rows", plan.FailPublish, "publish")
	publish.Settings = []plan.Setting{{Key: "userMetadata", Value: "contract=1.0.0 id=c batch=:batch_id run=:run_id"}}
	judge := step(plan.Judge, "judge", "", plan.FailRun)
	judge.Checks = []plan.Check{
		{Code: "empty_batch", Rule: "rows", Kind: plan.CheckRowCount, Op: "mustBeGreaterThan", Bounds: []string{"0"}, Severity: "error"},
		{Code: "reject_ceiling", Rule: "ceiling", Kind: plan.CheckCeiling, Bounds: []string{"10"}, Severity: "error"},
	}
	return &plan.Plan{
		Contract: "c", Version: "1.0.0", Table: "silver.t", Columns: []string{"k"}, Required: []string{"k"}, SourceRead: []string{"k"},
		NotDirt: []string{"duplicate_superseded", "late_superseded"},
		Tables:  []plan.Table{{Role: plan.TargetTable, Alias: "target", Name: "silver.t"}, {Role: plan.AuditLogTable, Alias: "audit_log", Name: "ops.audit_log"}},
		Steps: []plan.Step{
			step(plan.Guard, "guard_columns", "", plan.FailRun, "guard_columns"),
			step(plan.Guard, "guard_published", "target_exists", plan.FailRun, "guard_properties", "guard_history"),
			step(plan.Guard, "guard_log", "audit_log_exists", plan.FailRun, "guard_log"),
			step(plan.Stage, "stage", "", plan.FailRun, "stage_input", "stage"),
			step(plan.Audit, "audit", "", plan.FailRun, "audit"),
			step(plan.Settle, "settle_scope", "", plan.FailRun, "settle_scope"),
			step(plan.Settle, "settle_duplicates", "repeated_keys", plan.FailRun, "settle_duplicates"),
			step(plan.Settle, "settle_published", "reachable_keys", plan.FailRun, "settle_published"),
			step(plan.Settle, "settle_counts", "", plan.FailRun, "settle_counts"),
			step(plan.Quarantine, "quarantine", "quarantine_rows", plan.FailRun, "quarantine"),
			step(plan.Quarantine, "quarantine_counts", "quarantine_rows", plan.FailRun, "quarantine_counts"),
			judge,
			step(plan.Publish, "publish_check", "changing_rows", plan.FailRun, "publish_history"),
			publish,
			step(plan.Record, "publish_proof", "changing_rows", plan.FailRecorded, "publish_proof"),
			step(plan.Record, "record", "", plan.FailRecorded, "record"),
		},
	}
}

// server answers as a table at version 4 would for a batch of ten good rows.
type server struct {
	fake.Session
	answers map[string]func() ([]runner.Row, error)
}

func rows(r ...runner.Row) func() ([]runner.Row, error) {
	return func() ([]runner.Row, error) { return r, nil }
}

func commit(version int64, operation, metadata string) runner.Row {
	return runner.Row{
		"version": version, "readVersion": version - 1, "operation": operation, "userMetadata": metadata,
		"operationMetrics": map[string]any{"numTargetRowsInserted": "10", "numTargetRowsUpdated": "0"},
	}
}

func newServer() *server {
	quiet := commit(4, "WRITE", "")
	s := &server{answers: map[string]func() ([]runner.Row, error){
		"guard_properties": rows(runner.Row{"key": "contract.version", "value": "1.0.0"}),
		"guard_history":    rows(quiet),
		"guard_log":        rows(runner.Row{"publications": int64(0), "baseline_batches": int64(0)}),
		"stage_input":      rows(runner.Row{"rows": int64(10)}),
		"audit":            rows(runner.Row{"verdict": "accepted", "rows": int64(10), "filled_k": int64(10), "hash_high": int64(1), "hash_low": int64(2)}),
		"settle_scope":     rows(runner.Row{"repeated_keys": int64(0), "reachable_keys": int64(0), "quarantined": int64(0)}),
		"publish_history":  rows(quiet),
		"publish_proof":    rows(commit(5, "MERGE", "contract=1.0.0 id=c batch=b1 run=r1"), quiet),
	}}
	s.Tables = []runner.Column{{Name: "target"}, {Name: "audit_log"}}
	s.Answer = func(sql string) ([]runner.Row, error) {
		if answer := s.answers[sql]; answer != nil {
			return answer()
		}
		return nil, nil
	}
	return s
}

func options() runner.Options {
	n := 0
	return runner.Options{Batch: "b1", NewRunID: func() string { n++; return "r" + string(rune('0'+n)) }}
}

func broken(text string) func() ([]runner.Row, error) {
	return func() ([]runner.Row, error) {
		return nil, &runner.StatementError{Message: text, Unknown: true, Err: errors.New(text)}
	}
}

func TestUserMetadataIsSetAroundThePublishingStatementAlone(t *testing.T) {
	s := newServer()
	r, err := runner.Run(t.Context(), s, small(), options())
	if err != nil || r.Result != runner.Published || r.Target.Inserted != 10 {
		t.Fatalf("%v %v %+v", err, r.Result, r.Failures)
	}
	calls := s.Calls()
	at := slices.Index(calls, "publish")
	if at < 1 || calls[at-1] != "SET userMetadata=contract=1.0.0 id=c batch=b1 run=r1" || calls[at+1] != "UNSET userMetadata" {
		t.Errorf("calls around publish: %v", calls)
	}
}

// Each way in which a publish can go wrong has its own result.
func TestPublishOutcomes(t *testing.T) {
	refusal := func() ([]runner.Row, error) {
		return nil, &runner.StatementError{Class: "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", Message: "no"}
	}
	for name, c := range map[string]struct {
		publish, proof func() ([]runner.Row, error)
		want           runner.Result
		recorded       bool
	}{
		"refused by the server":             {refusal, rows(commit(4, "WRITE", "")), runner.Failed, true},
		"connection lost, commit there":     {broken("lost"), nil, runner.Published, true},
		"connection lost, no commit":        {broken("lost"), rows(commit(4, "WRITE", "")), runner.Unknown, false},
		"connection lost, history too":      {broken("lost"), broken("still lost"), runner.Unknown, false},
		"published, history lost":           {nil, broken("lost"), runner.Unknown, false},
		"published, counts do not add up":   {nil, rows(runner.Row{"version": int64(5), "operation": "MERGE", "userMetadata": "contract=1.0.0 id=c batch=b1 run=r1", "operationMetrics": map[string]any{"numTargetRowsInserted": "9"}}), runner.Unknown, false},
		"published, the run is not in it":   {nil, rows(commit(5, "MERGE", "contract=1.0.0 id=c batch=b1 run=other")), runner.Unknown, false},
		"published as it should be":         {nil, nil, runner.Published, true},
		"metadata of another batch and run": {refusal, rows(commit(5, "MERGE", "contract=1.0.0 id=c batch=b2 run=r9")), runner.Failed, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			if c.publish != nil {
				s.answers["publish"] = c.publish
			}
			if c.proof != nil {
				s.answers["publish_proof"] = c.proof
			}
			r, _ := runner.Run(t.Context(), s, small(), options())
			if r.Result != c.want {
				t.Errorf("result %s, want %s: %v", r.Result, c.want, r.Failures)
			}
			if got := slices.Contains(s.Calls(), "record"); got != c.recorded {
				t.Errorf("recorded %v, want %v", got, c.recorded)
			}
			if !slices.Contains(s.Calls(), "UNSET userMetadata") {
				t.Error("userMetadata was left behind")
			}
		})
	}
}

func TestAMovedTargetStartsAgain(t *testing.T) {
	s := newServer()
	looks := 0
	s.answers["publish_history"] = func() ([]runner.Row, error) {
		looks++
		if looks == 1 {
			return []runner.Row{commit(5, "WRITE", ""), commit(4, "WRITE", "")}, nil
		}
		return []runner.Row{commit(4, "WRITE", "")}, nil
	}
	s.answers["publish_proof"] = rows(commit(6, "MERGE", "contract=1.0.0 id=c batch=b1 run=r2"))
	r, err := runner.Run(t.Context(), s, small(), options())
	if err != nil || r.Attempt != 2 || r.Run != "r2" || r.Result != runner.Published {
		t.Errorf("%v: attempt %d, run %s, %s", err, r.Attempt, r.Run, r.Result)
	}
}

func TestATargetThatKeepsMovingIsBusy(t *testing.T) {
	s := newServer()
	s.answers["publish_history"] = rows(commit(5, "UPDATE", ""), commit(4, "WRITE", ""))
	r, err := runner.Run(t.Context(), s, small(), options())
	if err == nil || r.Result != runner.Failed || r.Attempt != 3 || !strings.Contains(r.Failures[0], "target_busy") {
		t.Errorf("attempt %d, %s: %v", r.Attempt, r.Result, r.Failures)
	}
	if s.Called("publish_proof") {
		t.Error("a proof was read although nothing was published")
	}
}

func TestQuietCommitsDoNotDiscardAnAttempt(t *testing.T) {
	s := newServer()
	s.answers["publish_history"] = rows(commit(6, "SET TBLPROPERTIES", ""), commit(5, "OPTIMIZE", ""), commit(4, "WRITE", ""))
	if r, err := runner.Run(t.Context(), s, small(), options()); err != nil || r.Attempt != 1 {
		t.Errorf("%v: attempt %d", err, r.Attempt)
	}
}

func TestAnInterruptedRunIsRecorded(t *testing.T) {
	s := newServer()
	ctx, cancel := context.WithCancel(t.Context())
	s.answers["stage_input"] = func() ([]runner.Row, error) {
		cancel()
		return []runner.Row{{"rows": int64(10)}}, nil
	}
	r, err := runner.Run(ctx, s, small(), options())
	if err == nil || r.Result != runner.Failed || !slices.Contains(s.Calls(), "record") {
		t.Errorf("%v: %s, calls %v", err, r.Result, s.Calls())
	}
}

func TestSourceRowsThatWereNotStagedRefuseTheBatch(t *testing.T) {
	s := newServer()
	s.answers["stage_input"] = rows(runner.Row{"rows": int64(11)})
	r, err := runner.Run(t.Context(), s, small(), options())
	if err != nil || r.Result != runner.Refused || !strings.Contains(r.Failures[0], "rows_not_conserved") || slices.Contains(s.Calls(), "quarantine") {
		t.Errorf("%v: %s, %v", err, r.Result, r.Failures)
	}
}

func TestABatchIDIsCheckedBeforeAnythingIsSent(t *testing.T) {
	for _, id := range []string{"", "a b", "x'; DROP TABLE t; --", strings.Repeat("a", 129), "b\n1"} {
		s := newServer()
		o := options()
		o.Batch = id
		if r, err := runner.Run(t.Context(), s, small(), o); err == nil || r.Result != runner.Failed || len(s.Calls()) > 0 {
			t.Errorf("batch id %q: %v, calls %v", id, err, s.Calls())
		}
	}
}

// A rule called value is a column like any other, even where it is the only one.
func TestARuleCalledValueIsRead(t *testing.T) {
	p := small()
	judge := p.Step("judge")
	judge.Statements = append(judge.Statements, plan.Statement{Name: "rule_metrics", Use: plan.Query, SQL: "rule_metrics"}, plan.Statement{Name: "rule_own", Use: plan.Query, SQL: "rule_own"})
	zero := func(statement, column string) plan.Check {
		return plan.Check{Code: "audit_failed", Rule: statement, Kind: plan.CheckValue, Statement: statement, Column: column, Op: "mustBe", Bounds: []string{"0"}, Severity: "error"}
	}
	judge.Checks = append(judge.Checks, zero("rule_metrics", "value"), zero("rule_own", ""))
	s := newServer()
	s.answers["rule_metrics"], s.answers["rule_own"] = rows(runner.Row{"value": int64(0)}), rows(runner.Row{"value": "0"})
	r, err := runner.Run(t.Context(), s, p, options())
	if err != nil || r.Result != runner.Published {
		t.Errorf("%s, %v, %v", r.Result, r.Failures, err)
	}
}
