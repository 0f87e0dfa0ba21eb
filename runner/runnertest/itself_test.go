package runnertest_test

import (
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// sameVerdicts: a contract instead of itself changes nothing, whatever its names,
// expressions and types are, and counts the rejects that a run of it had.
func sameVerdicts(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan, batch string, ran runner.Report) {
	t.Helper()
	v := gen.Version{Contract: c, Table: c.Published()[0]}
	columns, err := lake.Describe(t.Context(), gen.DescribeBronze(v.Table))
	if err != nil {
		t.Fatal(err)
	}
	var bronze []string
	for _, column := range columns {
		bronze = append(bronze, column.Name)
	}
	q, err := gen.Impact(v, v, bronze, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := runner.ReadImpact(t.Context(), lake.Session, q, p, p, []string{batch})
	if err != nil {
		t.Fatal(err)
	}
	own := int64(0)
	for code, n := range ran.Reasons {
		if _, ofRow := q.Origins[code]; ofRow {
			own += n
		}
	}
	if want := (runner.ImpactRows{Input: ran.Rows.Input}); got.Rows != want || len(got.Changes) > 0 || len(q.Absent) > 0 || got.Batches[0].NewRejected != own {
		t.Errorf("instead of itself: rows %+v of %+v, %d rejected of %d, changes %v, absent %v", got.Rows, want, got.Batches[0].NewRejected, own, got.Changes, q.Absent)
	}
}
