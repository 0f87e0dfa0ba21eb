package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"
)

const serverTime = "2006-01-02 15:04:05.000000"

// record writes the audit-log row, the last thing of a run. Before it the
// contract version of the table is raised if a newer contract published.
func (a *attempt) record(ctx context.Context) error {
	published := a.report.Result == Published
	if published {
		for _, name := range []string{"record_version", "record_commit"} {
			if _, err := a.step(ctx, name); err != nil {
				return &doubt{fmt.Errorf("%w; the batch is published, run the same command again to record it", err)}
			}
		}
	}
	if !a.logged() {
		a.note("not recorded: there is no audit log yet, and a guard that refuses a first run writes nothing")
		return nil
	}
	a.recordValues(published, a.passed, false)
	if _, err := a.step(ctx, "record"); err != nil {
		if published {
			return &doubt{fmt.Errorf("%w; the batch is published, run the same command again to record it", err)}
		}
		return err
	}
	a.unpin(ctx)
	return nil
}

// logged reports whether there is an audit log to write to.
func (a *attempt) logged() bool { return a.ensured || a.numbers["audit_log_exists"] > 0 }

func (a *attempt) recordValues(published, passed, recovered bool) {
	r := a.report
	seconds := map[string]float64{}
	for _, s := range r.Steps {
		if !s.Skipped {
			seconds[s.Name] = s.Seconds
		}
	}
	var version, snapshot any
	switch {
	case r.Commit != nil && r.Commit.Branch != "":
		snapshot = r.Commit.Snapshot
	case r.Commit != nil:
		version = r.Commit.Version
	}
	for name, value := range map[string]any{
		"attempt": int64(a.number), "started_at": r.Started.UTC().Format(serverTime),
		"input_rows": r.Rows.Input, "accepted_rows": r.Rows.Accepted, "rejected_rows": r.Rows.Rejected, "refused_rows": r.Rows.Refused,
		"reasons": r.Reasons, "filled": a.staged.Filled, "segments": a.recordedSegments(), "checks": r.Checks,
		"target_counts": map[string]int64{
			"inserted": r.Target.Inserted, "updated": r.Target.Updated, "backfilled": r.Target.Backfilled,
			"unchanged": r.Target.Unchanged, "stale": r.Target.Stale, "deleted": r.Target.Deleted,
		},
		"commit_version": version, "snapshot_id": snapshot, "partition": textOrNull(a.partition), "step_seconds": seconds,
		"passed": passed, "published": published, "recovered": recovered, "failures": r.Failures,
	} {
		a.values[name] = value
	}
	a.contentValues()
}

// contentValues say what the batch holds, as far as it is known.
func (a *attempt) contentValues() {
	a.values["batch_hash"], a.values["batch_columns"] = textOrNull(a.staged.Hash), a.sourceColumns()
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// fail ends a run whose attempt returned an error: the result, the failure
// text, and an audit-log row if there is a log to write to. The row is written
// on a fresh context, so that an interrupted run is recorded as well.
func (a *attempt) fail(ctx context.Context, cause error) {
	a.report.Result = Failed
	var d *doubt
	if errors.As(cause, &d) {
		a.report.Result = Unknown
	}
	a.report.Failures = append(a.report.Failures, cause.Error())
	if ctx.Err() != nil {
		a.report.Failures = append(a.report.Failures, "interrupted: "+context.Cause(ctx).Error())
	}
	if !a.logged() || a.report.Result == Unknown {
		return
	}
	var r *rejected
	a.recordValues(false, errors.As(cause, &r), false)
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if _, err := a.step(clean, "record"); err != nil {
		a.report.Failures = append(a.report.Failures, "recording the failure: "+err.Error())
	}
}

// recover records publishes of this batch that a killed run left without an
// audit-log row. Their staged rows and verdicts are still there under their
// run id, so the row is counted from them as that run would have.
func (a *attempt) recover(ctx context.Context) error {
	if a.plan.Branch != "" {
		return a.recoverPinned(ctx)
	}
	for _, c := range a.commits {
		if c.Batch != a.options.Batch || !publishes(a.plan, c.Operation) || a.recorded[c.Run] {
			continue
		}
		lost := a.lost(c.Run)
		if err := a.recoverOne(ctx, lost, func() error { return lost.prove(c) }); err != nil {
			return fmt.Errorf("recording the unrecorded publish of run %s: %w", c.Run, err)
		}
		a.note(fmt.Sprintf("recovered: run %s had published version %d without recording it", c.Run, c.Version))
	}
	return nil
}

// lost is the attempt of a killed run of this batch.
func (a *attempt) lost(run string) *attempt {
	lost := newAttempt(a.session, a.plan, a.options, 0, a.report.Started)
	lost.options.Observe = nil
	maps.Copy(lost.values, a.values)
	lost.run, lost.values["run_id"], lost.partition = run, run, a.partition
	return lost
}

func (a *attempt) recoverOne(ctx context.Context, lost *attempt, prove func() error) error {
	out, err := lost.step(ctx, "audit")
	if err != nil {
		return err
	}
	if lost.staged, err = readAudit(a.plan, out["audit"]); err != nil {
		return err
	}
	if err := lost.settleCounts(ctx); err != nil {
		return err
	}
	if err := lost.segments(ctx); err != nil {
		return err
	}
	lost.report.Rows.Input = lost.staged.Rows
	// A commit that changed fewer rows than the verdicts said met another
	// writer's rows. It does not count as this batch's publication: the run that
	// recovers it decides the rest anew, against the table as it is now.
	doubtful := prove()
	if doubtful != nil {
		lost.report.Failures = append(lost.report.Failures, doubtful.Error())
	}
	lost.recordValues(doubtful == nil, true, true)
	if _, err := lost.step(ctx, "record"); err != nil {
		return err
	}
	if doubtful == nil {
		a.publications++
		a.publishedHash, a.publishedColumns = lost.staged.Hash, a.sourceColumns()
	}
	a.recorded[lost.run] = true
	a.report.Recovered = append(a.report.Recovered, lost.run)
	return nil
}
