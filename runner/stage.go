package runner

import (
	"context"
	"strings"

	"sluice/gen/plan"
)

// Stage takes a batch as far as the verdicts that a row gets by itself: guard,
// ensure, stage, and the lookups that reject rows. It publishes and records
// nothing. The report has the run id, under which staging and verdict hold the
// rows, and the input; a batch that the guard refuses is an error, as nothing was
// staged.
func Stage(ctx context.Context, s Session, p *plan.Plan, o Options) (Report, error) {
	if err := plan.CheckBatchID(o.Batch); err != nil {
		return Report{Batch: o.Batch, Result: Failed}, err
	}
	o = o.complete()
	a := newAttempt(s, p, o, 1, o.Now())
	if err := a.guard(ctx); err != nil {
		return *a.report, err
	}
	if err := a.judgeFindings(); err != nil {
		return *a.report, err
	}
	if a.refused() {
		return *a.report, &Refusal{a.refusals}
	}
	if err := a.ensure(ctx); err != nil {
		return *a.report, err
	}
	if err := a.stage(ctx); err != nil {
		return *a.report, err
	}
	return *a.report, a.settleRows(ctx)
}

// Refusal is a batch that the guard refuses.
type Refusal struct{ Reasons []string }

func (r *Refusal) Error() string { return strings.Join(r.Reasons, "\n") }
