package runner

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sluice/gen/plan"
)

// candidate writes the accepted rows on a fresh audit branch and proves it. A
// branch that does not hold exactly this batch beside what main has refuses the
// batch; one that is judged and refused stays, for a look, until the next run.
// Main is not touched.
func (a *attempt) candidate(ctx context.Context) error {
	if a.plan.Branch == "" || a.refused() {
		return nil
	}
	for _, name := range []string{"branch", "write"} {
		if _, err := a.step(ctx, name); err != nil {
			return err
		}
	}
	out, err := a.step(ctx, "prove")
	if err != nil {
		return a.unproven(ctx, err)
	}
	if out == nil {
		return nil
	}
	if err := a.proveBranch(out); err != nil {
		return err
	}
	a.readValues(out)
	keep := a.judgeStep("prove")
	if !a.refused() {
		return nil
	}
	if err := a.unproven(ctx, nil); err != nil {
		return err
	}
	if keep {
		return a.keepRefused(ctx)
	}
	return nil
}

// unproven looks at the heads once more where a proof failed or could not be
// read. If they moved meanwhile, it compared a branch with another main than its
// own, or one that was taken away, and says nothing of the batch.
func (a *attempt) unproven(ctx context.Context, cause error) error {
	if unknown(cause) || ctx.Err() != nil {
		return cause
	}
	out, err := a.step(ctx, "publish_check")
	if err != nil {
		return errors.Join(cause, err)
	}
	now, err := readHeads(out["publish_refs"])
	if err != nil {
		return errors.Join(cause, err)
	}
	if err := a.unmoved(now); err != nil {
		return errors.Join(cause, err)
	}
	return cause
}

// unmoved reports another main than the verdicts were decided on, or another
// branch than was proven.
func (a *attempt) unmoved(now heads) error {
	main, branch := now[mainBranch].Snapshot, now[a.plan.Branch].Snapshot
	switch {
	case main != a.main:
		return fmt.Errorf("main of %s is snapshot %d, the verdicts were decided on %d: %w", a.plan.Table, main, a.main, errMoved)
	case branch == 0:
		return fmt.Errorf("branch %s of %s is gone: %w", a.plan.Branch, a.plan.Table, errMoved)
	case a.audited != 0 && branch != a.audited:
		return fmt.Errorf("branch %s of %s is snapshot %d, not the audited %d, so another client wrote to it: %w", a.plan.Branch, a.plan.Table, branch, a.audited, errMoved)
	}
	return nil
}

// proveBranch turns the numbers of the proofs into facts. Another main than the
// verdicts were decided on is no fault of the batch: it starts a new attempt.
func (a *attempt) proveBranch(out results) error {
	all, err := readHeads(out["prove_chain"])
	if err != nil {
		return err
	}
	if err := a.unmoved(all); err != nil {
		return err
	}
	branch := all[a.plan.Branch]
	a.audited = branch.Snapshot
	if branch.Stamp == "" {
		a.numbers["unstamped"] = 1
	}
	a.facts.Decided[plan.ProofChain] = a.proveChain(branch)
	for _, prove := range []func(results) error{a.proveRows, a.proveKeys, a.provePartitions} {
		if err := prove(out); err != nil {
			return err
		}
	}
	return nil
}

// proveChain: between main's head and the branch's stand exactly the snapshots of
// this run's statements. Where the runtime stamps snapshots, the head names the run.
func (a *attempt) proveChain(b head) Fact {
	f := Fact{Value: b.chain(), Bound: fmt.Sprintf("one write of run %s on %d", a.run, a.main)}
	if a.plan.Write == replacePartition {
		f.Bound = fmt.Sprintf("append and delete of run %s on %d", a.run, a.main)
		f.OK = b.Grandparent == a.main && b.Operation == "append" && (b.ParentOperation == "delete" || b.ParentOperation == "overwrite")
	} else {
		f.OK = b.Parent == a.main
	}
	if b.Stamp != "" && b.Stamp != a.stamp() {
		f.OK = false
		f.Value += ", stamped " + strconv.Quote(b.Stamp)
	}
	return f
}

func (a *attempt) proveRows(out results) error {
	row, err := single(out, "prove_rows")
	if err != nil {
		return err
	}
	have, err := row.Number("branch_rows")
	if err != nil {
		return err
	}
	written := a.numbers["changing_rows"]
	f := Fact{Value: fmt.Sprintf("%d rows", have), Bound: fmt.Sprintf("%d accepted rows", written), OK: have == written}
	if a.plan.Write != replacePartition {
		before, err := row.Number("main_rows")
		if err != nil {
			return err
		}
		a.report.Target.Inserted = have - before
		a.report.Target.Backfilled = a.verdicts[backfilled]
		a.report.Target.Updated = written - a.report.Target.Inserted - a.report.Target.Backfilled
		f.Value, f.Bound = fmt.Sprintf("%d rows more than main", have-before), fmt.Sprintf("0 to %d", written)
		f.OK = have >= before && a.report.Target.Updated >= 0
	}
	a.facts.Decided[plan.ProofRows] = f
	return nil
}

func (a *attempt) proveKeys(out results) error {
	row, err := single(out, "prove_keys")
	if err != nil {
		return err
	}
	var n [3]int64
	for i, name := range []string{"pairs", "missing_rows", "other_rows"} {
		if n[i], err = row.Number(name); err != nil {
			return err
		}
	}
	written := a.numbers["changing_rows"]
	a.facts.Decided[plan.ProofKeys] = Fact{
		Value: fmt.Sprintf("%d of the written keys, %d missing, %d with other content", n[0], n[1], n[2]),
		Bound: fmt.Sprintf("%d, 0, 0", written), OK: n[0] == written && n[1] == 0 && n[2] == 0,
	}
	return nil
}

// provePartitions: lost files were readable on main, new ones are not of this run's partition.
func (a *attempt) provePartitions(out results) error {
	if _, asked := out["prove_partitions"]; !asked {
		return nil
	}
	row, err := single(out, "prove_partitions")
	if err != nil {
		return err
	}
	lost, err := row.Number("lost_files")
	if err != nil {
		return err
	}
	added, err := row.Number("new_files")
	if err != nil {
		return err
	}
	f := Fact{Value: fmt.Sprintf("%d files of other partitions lost, %d new", lost, added), Bound: "0, 0", OK: lost == 0 && added == 0}
	a.facts.Decided[plan.ProofPartitions], a.facts.Decided["prove_partitions"] = f, f
	return nil
}

// single is the one row of a statement.
func single(out results, name string) (Row, error) {
	if len(out[name]) != 1 {
		return nil, fmt.Errorf("reading %s: %d rows came back, not one", name, len(out[name]))
	}
	return out[name][0], nil
}

// fastForward moves main to exactly the audited snapshot, by a tag that nobody
// else writes to, and proves where main is then.
func (a *attempt) fastForward(ctx context.Context) error {
	out, err := a.step(ctx, "publish_check")
	if err != nil || out == nil {
		return err
	}
	now, err := readHeads(out["publish_refs"])
	if err != nil {
		return err
	}
	if err := a.unmoved(now); err != nil {
		return err
	}
	a.pin(a.run)
	a.values["audited_snapshot"] = a.audited
	if _, err := a.step(ctx, "publish"); err != nil {
		return a.notForwarded(ctx, err)
	}
	out, err = a.step(ctx, "publish_proof")
	if err != nil {
		return &doubt{fmt.Errorf("reading the heads of %s after publishing: %w; fast_forward had returned, so compare main with snapshot %d", a.plan.Table, err, a.audited)}
	}
	if now, err = readHeads(out["publish_proof"]); err != nil {
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
	if a.plan.Write == replacePartition {
		a.committed(tag.Snapshot, tag.Grandparent)
		return
	}
	a.committed(tag.Snapshot, tag.Parent)
	a.report.Target.Backfilled = a.verdicts[backfilled]
	a.report.Target.Inserted = tag.Records - tag.ParentRecords
	a.report.Target.Updated = a.numbers["changing_rows"] - a.report.Target.Inserted - a.report.Target.Backfilled
}

func (a *attempt) pinName(run string) string { return pinPrefix + a.options.Batch + "/" + run }

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
