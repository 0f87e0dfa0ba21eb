package runner_test

import (
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
)

// Rows that only fill added columns are accepted and change the table: the commit
// counts them as updates, the report apart from these.
func TestBackfilledRowsAreCountedApart(t *testing.T) {
	s := newServer()
	s.answers["guard_properties"] = rows(
		runner.Row{"key": "contract.version", "value": "1.0.0"}, runner.Row{"key": "contract.added.K", "value": "1.0.0"},
		runner.Row{"key": "contract.added.gone", "value": "1.0.0"}, runner.Row{"key": "contract.addedk", "value": "1.0.0"},
	)
	s.answers["settle_scope"] = rows(runner.Row{"repeated_keys": int64(0), "reachable_keys": int64(9), "quarantined": int64(0)})
	s.answers["settle_counts"] = rows(
		runner.Row{"reason": "backfilled", "rows": int64(4), "rows_with_two": int64(0)},
		runner.Row{"reason": "unchanged", "rows": int64(2), "rows_with_two": int64(0)},
		runner.Row{"reason": "late_superseded", "rows": int64(1), "rows_with_two": int64(0)},
	)
	s.answers["quarantine_counts"] = rows(runner.Row{"reason": "late_superseded", "rows": int64(1)})
	merge := commit(5, "MERGE", "contract=1.0.0 id=c batch=b1 run=r1")
	merge["operationMetrics"] = map[string]any{"numTargetRowsInserted": "1", "numTargetRowsUpdated": "6"}
	s.answers["publish_proof"] = rows(merge)
	p := small()
	p.Params = []plan.Param{{Name: "added_columns", Type: plan.TextsParam}}
	p.Step("settle_published").Statements[0].SQL = "settle_published :added_columns"
	r, err := runner.Run(t.Context(), s, p, options())
	want := runner.Target{Inserted: 1, Updated: 2, Backfilled: 4, Unchanged: 2}
	if err != nil || r.Result != runner.Published || r.Target != want || r.Rows.Accepted != 9 || r.Rows.Rejected != 1 || r.Reasons["backfilled"] != 0 {
		t.Errorf("%v: %s %+v, rows %+v, reasons %v, failures %v", err, r.Result, r.Target, r.Rows, r.Reasons, r.Failures)
	}
	if !s.Called("settle_published 'k'") {
		t.Errorf("the added column is not named as the contract has it: %v", s.Calls())
	}
}

// A commit that updated fewer rows than are to fill added columns is no publish
// that the report may call one, although all rows together are as many.
func TestFewerUpdatesThanBackfilledRows(t *testing.T) {
	s := newServer()
	s.answers["settle_counts"] = rows(runner.Row{"reason": "backfilled", "rows": int64(4), "rows_with_two": int64(0)})
	merge := commit(5, "MERGE", "contract=1.0.0 id=c batch=b1 run=r1")
	merge["operationMetrics"] = map[string]any{"numTargetRowsInserted": "7", "numTargetRowsUpdated": "3"}
	s.answers["publish_proof"] = rows(merge)
	r, err := runner.Run(t.Context(), s, small(), options())
	if err == nil || r.Result != runner.Unknown || !strings.Contains(strings.Join(r.Failures, "\n"), "with 3 rows updated, the verdicts expected 4") {
		t.Errorf("%v: %s %+v, failures %v", err, r.Result, r.Target, r.Failures)
	}
}

func TestEndingsNameTheirReaders(t *testing.T) {
	p := small()
	p.Endings = []plan.Ending{{Column: "k", EndOfLife: "2999-12-31", Successor: "l", Readers: []string{"board (b@example.com)", "model"}}}
	r, err := runner.Run(t.Context(), newServer(), p, options())
	if want := `deprecated: column "k" ends on 2999-12-31, use "l"; still read by board (b@example.com), model`; err != nil || strings.Join(r.Notes, "\n") != want {
		t.Errorf("%v: notes %q", err, r.Notes)
	}
}
