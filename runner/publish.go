package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// publish merges the rows that change something, or replaces the partition, and
// proves the commit by the run id in its history. A batch that changes nothing has
// no commit.
func (a *attempt) publish(ctx context.Context) error {
	if a.plan.Branch != "" {
		return a.fastForward(ctx)
	}
	out, err := a.step(ctx, "publish_check")
	if err != nil {
		return err
	}
	if out != nil {
		commits, err := history(out["publish_history"])
		if err != nil {
			return err
		}
		if other, changed := changedAfter(commits, a.base); changed {
			return fmt.Errorf("version %d of %s is a %s of another writer: %w", other.Version, a.plan.Table, other.Operation, errMoved)
		}
		a.base = max(a.base, newest(commits))
	}
	if _, err := a.step(ctx, "publish"); err != nil {
		return a.unpublished(ctx, err)
	}
	out, err = a.step(ctx, "publish_proof")
	if err != nil {
		return &doubt{fmt.Errorf("reading the history of %s after publishing: %w; the %s had returned, so look for run=%s in DESCRIBE HISTORY", a.plan.Table, err, published(a.plan), a.run)}
	}
	if out == nil {
		return nil
	}
	commits, err := history(out["publish_proof"])
	if err != nil {
		return &doubt{err}
	}
	c, found := ofRun(a.plan, commits, a.run)
	if !found {
		return &doubt{fmt.Errorf("proving the commit: the history of %s shows no %s with run=%s, although the statement returned", a.plan.Table, published(a.plan), a.run)}
	}
	return a.settled(ctx, c, commits)
}

// settled proves the commit. Where a partition was replaced there is no row to
// judge again: another writer who came in between may have published its keys.
func (a *attempt) settled(ctx context.Context, c commit, commits []commit) error {
	if !a.plan.Replaces() {
		return a.settleMoved(ctx, c)
	}
	if err := a.prove(c); err != nil {
		return err
	}
	before := slices.DeleteFunc(slices.Clone(commits), func(o commit) bool { return o.Version > c.ReadVersion })
	if other, changed := changedAfter(before, a.base); changed && c.ReadVersion > a.base {
		return &doubt{fmt.Errorf("version %d of %s is a %s of another writer, committed just before the partition was replaced: keys of this batch may be published twice; run the same command again", other.Version, a.plan.Table, other.Operation)}
	}
	return nil
}

// settleMoved proves the commit. If the MERGE read a later version than the
// verdicts did, and so changed fewer rows than they said or may have filled other
// ones, its rows are judged once more against that version, and quarantine is
// completed.
func (a *attempt) settleMoved(ctx context.Context, c commit) error {
	err := a.prove(c)
	fills := len(a.added) > 0 && a.numbers["changing_rows"] > 0
	if c.ReadVersion <= a.base || err == nil && !fills {
		return err
	}
	a.note(fmt.Sprintf("another writer committed version %d of %s just before the MERGE; its rows are judged again", c.ReadVersion, a.plan.Table))
	a.numbers["moved"], a.values["read_version"] = 1, c.ReadVersion
	if _, err := a.step(ctx, "settle_moved"); err != nil {
		return &doubt{fmt.Errorf("%w; the batch is published, run the same command again to complete its quarantine", err)}
	}
	if err := a.settleCounts(ctx); err != nil {
		return &doubt{err}
	}
	if err := a.quarantine(ctx); err != nil {
		return &doubt{fmt.Errorf("%w; the batch is published, run the same command again to complete its quarantine", err)}
	}
	if a.refused() {
		return &doubt{errors.New(strings.Join(a.refusals, "; "))}
	}
	return a.prove(c)
}

// prove checks the commit's own row counts against the verdicts.
func (a *attempt) prove(c commit) error {
	a.report.Commit = &Commit{Version: c.Version, UserMetadata: c.UserMetadata}
	if a.plan.Replaces() {
		if deleted, counted := c.Metrics["numDeletedRows"]; counted { // a killed run's own number is gone
			a.numbers["replaced_rows"] = deleted
		}
		a.replaced()
		if got := c.Metrics["numOutputRows"]; got != a.numbers["changing_rows"] {
			return &doubt{fmt.Errorf("rows_not_conserved: version %d of %s was published with %d rows in the partition, the verdicts expected %d", c.Version, a.plan.Table, got, a.numbers["changing_rows"])}
		}
		return nil
	}
	a.report.Target.Inserted = c.Metrics["numTargetRowsInserted"]
	a.report.Target.Backfilled = a.verdicts[backfilled]
	a.report.Target.Updated = c.Metrics["numTargetRowsUpdated"] - a.report.Target.Backfilled
	if a.report.Target.Updated < 0 {
		return &doubt{fmt.Errorf("rows_not_conserved: version %d of %s was published with %d rows updated, the verdicts expected %d to fill added columns alone", c.Version, a.plan.Table, c.Metrics["numTargetRowsUpdated"], a.report.Target.Backfilled)}
	}
	if got := c.Metrics["numTargetRowsInserted"] + c.Metrics["numTargetRowsUpdated"]; got != a.numbers["changing_rows"] {
		return &doubt{fmt.Errorf("rows_not_conserved: version %d of %s was published with %d rows inserted or updated, the verdicts expected %d", c.Version, a.plan.Table, got, a.numbers["changing_rows"])}
	}
	return nil
}

// doubt is an error after which a person must look: exit 5.
type doubt struct{ error }

func (d *doubt) Unwrap() error { return d.error }

// unpublished looks once in the history for the commit of a statement that
// reported an error. A commit that is there counts; one that is not there
// counts as absent only if the server itself refused the statement, since after
// a broken connection it may still be running.
func (a *attempt) unpublished(ctx context.Context, cause error) error {
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	rows, err := a.session.Query(look, a.plan.Step("publish_proof").Statements[0].SQL)
	var commits []commit
	if err == nil {
		commits, err = history(rows)
	}
	if c, found := ofRun(a.plan, commits, a.run); err == nil && found {
		a.note(fmt.Sprintf("the %s reported an error, but version %d of %s carries this run: %v", published(a.plan), c.Version, a.plan.Table, cause))
		return a.settled(look, c, commits)
	}
	switch {
	case unknown(cause) || err != nil && ctx.Err() != nil:
		return &doubt{fmt.Errorf("%w; the outcome is unknown, look for run=%s in DESCRIBE HISTORY %s", cause, a.run, a.plan.Table)}
	case concurrent(cause):
		return fmt.Errorf("%w: %w", cause, errMoved)
	default:
		return &rejected{cause}
	}
}

// rejected is a publish that the server refused after a clean audit: passed, not published.
type rejected struct{ error }

func (r *rejected) Unwrap() error { return r.error }

// concurrent reports whether Delta refused the commit because another one came first.
func concurrent(err error) bool {
	var s *StatementError
	if !errors.As(err, &s) {
		return false
	}
	return strings.HasPrefix(s.Class, "DELTA_CONCURRENT_") || strings.HasPrefix(s.Class, "DELTA_METADATA_CHANGED") || strings.HasPrefix(s.Class, "DELTA_PROTOCOL_CHANGED")
}
