package runner

import (
	"context"
	"fmt"
	"slices"

	"sluice/gen/plan"
)

// Repair is a batch that lost rows to a key of another partition which is
// published nowhere any more: run again, it publishes them.
type Repair struct {
	Batch   string `json:"batch"`
	Rows    int64  `json:"rows"`
	Example string `json:"example"` // one of the keys
	Command string `json:"command"`
}

// scopePartition reads what the batch is about to replace.
func (a *attempt) scopePartition(r Row) error {
	for _, name := range []string{"batch_keys", "replaced_rows", "older_delivery"} {
		var err error
		if a.numbers[name], err = r.Number(name); err != nil {
			return err
		}
	}
	a.keyBounds(r)
	a.facts.Decided[plan.OlderDelivery] = Fact{
		Value: "newest row of " + orNone(r.Text("batch_newest")), Bound: "not before " + orNone(r.Text("published_newest")) + " of the published partition",
		OK: a.numbers["older_delivery"] == 0, Allowed: a.allows(plan.OlderDelivery),
	}
	return nil
}

// keyBounds are the least and the greatest value of the first key column, as texts.
func (a *attempt) keyBounds(r Row) {
	a.values["key_low"], a.values["key_high"] = r["key_low"], r["key_high"]
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// judgePartition decides whether the batch may stand in place of the published
// rows. Half is the design's bound: a day that loses more was cut off.
func (a *attempt) judgePartition() {
	if !a.plan.Replaces() {
		return
	}
	rows, before := a.numbers["changing_rows"], a.numbers["replaced_rows"]
	a.facts.Decided[plan.NothingAccepted] = Fact{
		Value: fmt.Sprintf("%d accepted rows", rows), Bound: "at least 1", OK: rows > 0, Allowed: a.allows(plan.NothingAccepted),
	}
	a.facts.Decided[plan.PartitionShrinks] = Fact{
		Value: fmt.Sprintf("%d accepted rows, %d published", rows, before), Bound: "at least half of the published rows",
		OK: 2*rows >= before, Allowed: a.allows(plan.PartitionShrinks), Skipped: rows == 0,
	}
	if rows == 0 { // one fault is told once
		a.facts.Decided[plan.OlderDelivery] = Fact{Value: "no accepted row", Bound: a.facts.Decided[plan.OlderDelivery].Bound, Skipped: true}
	}
}

func (a *attempt) allows(code string) bool { return slices.Contains(a.options.Allow, code) }

// wrongPartition refuses rows of another partition: the command names one.
func (a *attempt) wrongPartition() {
	if a.staged.WrongPartition > 0 {
		a.refuse("wrong_partition: %d rows of batch %s do not belong to the partition %s; correct the partition, or land them as a batch of their own", a.staged.WrongPartition, a.options.Batch, a.partition)
	}
}

// replaced counts what became of the rows when a partition was replaced.
func (a *attempt) replaced() {
	if a.plan.Replaces() {
		a.report.Target.Inserted, a.report.Target.Deleted = a.numbers["changing_rows"], a.numbers["replaced_rows"]
	}
}

// orphans lists rows that other batches lost to a key that this run took away. A
// failed look changes nothing of the published batch.
func (a *attempt) orphans(ctx context.Context) {
	if a.numbers["replaced_rows"] > 0 && a.waiting > 0 {
		a.numbers["orphans_possible"] = 1
	}
	out, err := a.step(ctx, "orphans")
	if err != nil {
		a.note(fmt.Sprintf("looking for rejects whose key is no longer published: %v; the batch is published", err))
		return
	}
	for _, r := range out["orphans"] {
		rows, err := r.Number("rows")
		if err != nil {
			a.note(err.Error())
			return
		}
		repair := Repair{Batch: r.Text("batch_id"), Rows: rows, Example: r.Text("example")}
		repair.Command = a.options.Rerun(repair.Batch, r.Text("partition"))
		a.report.Repairs = append(a.report.Repairs, repair)
		a.warning(warnOrphans, rows)
		a.note(fmt.Sprintf("orphaned_rejects: %d rows of batch %s were rejected for a key (such as %s) that is published nowhere any more; to publish them: %s", rows, repair.Batch, repair.Example, repair.Command))
	}
}
