package runner

import (
	"context"
	"errors"
	"fmt"
	"strconv"

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
	if _, err := a.lookAgain(ctx); err != nil {
		return errors.Join(cause, err)
	}
	return cause
}

// lookAgain reads the heads and reports one that moved. A run that writes nothing
// does not look.
func (a *attempt) lookAgain(ctx context.Context) (looked bool, err error) {
	out, err := a.step(ctx, "publish_check")
	if err != nil || out == nil {
		return false, err
	}
	now, err := readHeads(out["publish_refs"])
	if err != nil {
		return false, err
	}
	return true, a.unmoved(now)
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
	chain := a.proveChain(branch)
	if !chain.OK && branch.Stamp == a.stamp() { // the head is ours, what it stands on is not: two runs share the branch
		return fmt.Errorf("branch %s of %s is %s, not on main's head %d; another client wrote to it first: %w", a.plan.Branch, a.plan.Table, branch.chain(), a.main, errMoved)
	}
	a.facts.Decided[plan.ProofChain] = chain
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
	if a.plan.Replaces() {
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
	if !a.plan.Replaces() {
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
