package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// fastForward moves main to exactly the audited snapshot, by a tag that nobody
// else writes to, and proves where main is then.
func (a *attempt) fastForward(ctx context.Context) error {
	if looked, err := a.lookAgain(ctx); err != nil || !looked {
		return err
	}
	a.pin(a.run)
	a.values["audited_snapshot"] = a.audited
	if _, err := a.step(ctx, "publish"); err != nil {
		return a.notForwarded(ctx, err)
	}
	out, err := a.step(ctx, "publish_proof")
	if err != nil {
		return &doubt{fmt.Errorf("reading the heads of %s after publishing: %w; fast_forward had returned, so compare main with snapshot %d", a.plan.Table, err, a.audited)}
	}
	now, err := readHeads(out["publish_proof"])
	if err != nil {
		return &doubt{err}
	}
	return a.forwarded(now)
}

// forwarded proves that main is, or was, the audited snapshot.
func (a *attempt) forwarded(now heads) error {
	if pin := now[a.pinName(a.run)]; now[mainBranch].Snapshot != a.audited && !pin.OnMain {
		return &doubt{fmt.Errorf("proving the publish: main of %s is snapshot %d, not the audited %d, although fast_forward returned", a.plan.Table, now[mainBranch].Snapshot, a.audited)}
	}
	a.committed(a.audited, a.main)
	return nil
}

// committed fills in the report of a published snapshot.
func (a *attempt) committed(snapshot, previous int64) {
	a.report.Commit = &Commit{Snapshot: snapshot, Previous: previous, Branch: a.plan.Branch, UserMetadata: a.stamp()}
	a.replaced()
	a.values["commit_stamp"] = fmt.Sprintf("snapshot=%d %s", snapshot, a.stamp())
	if a.numbers["unstamped"] > 0 {
		a.report.Commit.UserMetadata = ""
		a.note("this runtime does not stamp snapshots: the table property contract.commit and the audit log say which run wrote main's head")
	}
}

// notForwarded looks once where main is after fast_forward reported an error.
func (a *attempt) notForwarded(ctx context.Context, cause error) error {
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	out, err := a.step(look, "publish_proof")
	var now heads
	if err == nil {
		now, err = readHeads(out["publish_proof"])
	}
	switch {
	case err == nil && (now[mainBranch].Snapshot == a.audited || now[a.pinName(a.run)].OnMain):
		a.note(fmt.Sprintf("fast_forward reported an error, but main is the audited snapshot %d: %v", a.audited, cause))
		return a.forwarded(now)
	case unknown(cause) || err != nil:
		return &doubt{fmt.Errorf("%w; the outcome is unknown, compare main of %s with the audited snapshot %d", cause, a.plan.Table, a.audited)}
	case strings.Contains(cause.Error(), "Cannot fast-forward"):
		a.unpin(look)
		return fmt.Errorf("%w: %w", cause, errMoved)
	default:
		a.unpin(look)
		return &rejected{cause}
	}
}

// countForwarded is committed for a killed run, whose numbers are those that
// Iceberg keeps in the summaries of its snapshots.
func (a *attempt) countForwarded(tag head) {
	if tag.Stamp == "" {
		a.numbers["unstamped"] = 1
	}
	a.numbers["replaced_rows"] = tag.ParentDeleted
	if a.plan.Replaces() {
		a.committed(tag.Snapshot, tag.Grandparent)
		return
	}
	a.committed(tag.Snapshot, tag.Parent)
	a.report.Target.Backfilled = a.verdicts[backfilled]
	a.report.Target.Inserted = tag.Records - tag.ParentRecords
	a.report.Target.Updated = a.numbers["changing_rows"] - a.report.Target.Inserted - a.report.Target.Backfilled
}

func (a *attempt) pinName(run string) string { return PinName(a.options.Batch, run) }

// pin names the tag of a run in the statements that make, use and drop it.
func (a *attempt) pin(run string) {
	a.numbers["pinned"] = 1
	a.values["pin"], a.values["pin_name"] = a.pinName(run), a.pinName(run)
}

// unpin drops the tag of a run that is recorded, or that published nothing. One
// that stays costs nothing: it expires, and the batch's next run drops it.
func (a *attempt) unpin(ctx context.Context) {
	if _, err := a.step(ctx, "record_unpin"); err != nil && !errors.Is(err, context.Canceled) {
		a.note(fmt.Sprintf("dropping the tag %s: %v; it expires by itself", a.values["pin"], err))
	}
	a.numbers["pinned"] = 0
}

// stamp is the text that the published commit carries.
func (a *attempt) stamp() string {
	for _, s := range []string{"write", "publish"} {
		if step := a.plan.Step(s); step != nil {
			for _, setting := range step.Settings {
				if strings.HasSuffix(setting.Key, "userMetadata") {
					return a.text(setting.Value)
				}
			}
		}
	}
	return ""
}

// guardHeads takes the heads that the verdicts of this attempt stand on.
func (a *attempt) guardHeads(rows []Row) error {
	all, err := readHeads(rows)
	if err != nil {
		return err
	}
	a.heads, a.main = all, all[mainBranch].Snapshot
	a.values["main_snapshot"] = a.main
	if a.main == 0 {
		a.numbers["main_absent"] = 1
	}
	return nil
}

// recoverPinned records the publish of a killed run of this batch, which its tag
// shows, and drops the tags of runs that published nothing.
func (a *attempt) recoverPinned(ctx context.Context) error {
	for run, tag := range a.heads.pinned(a.options.Batch) {
		lost := a.lost(run)
		if tag.OnMain && !a.recorded[run] {
			err := a.recoverOne(ctx, lost, func() error {
				lost.countForwarded(tag)
				return nil
			})
			if err != nil {
				return fmt.Errorf("recording the unrecorded publish of run %s: %w", run, err)
			}
			a.note(fmt.Sprintf("recovered: run %s had published snapshot %d without recording it", run, tag.Snapshot))
		}
		lost.pin(run)
		lost.unpin(ctx)
	}
	return nil
}
