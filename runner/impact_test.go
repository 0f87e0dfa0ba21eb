package runner_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest/fake"
)

func groupRow(batch, old, new, gained, lost string, n int) runner.Row {
	r := runner.Row{"batch_id": batch, "old_verdict": old, "new_verdict": new, "gained": gained, "lost": lost, "rows": int64(n)}
	if gained+lost != "" {
		r["example"] = fmt.Sprintf(`{"id":"%s-%s","currency":"NZD","note":null}`, batch, gained)
	}
	return r
}

// Ten percent is the ceiling of small(): b1 stays under it by what its last run
// recorded, b2 goes over it.
func TestReadImpact(t *testing.T) {
	q := plan.Impact{
		Table: "silver.t", Batches: plan.Statement{SQL: "batches"}, Compare: plan.Statement{SQL: "compare :batches"}, Key: []string{"id"},
		Origins: map[string]plan.Origin{
			"unknown_currency": {Column: "currency", Rule: "enum", Sources: []string{"currency"}}, "bad_amount": {Column: "amount", Rule: "type", Sources: []string{"amount"}},
			"missing_note": {Column: "note", Rule: "required", Sources: []string{"note"}}, "own": {Rule: "own_rule"},
		},
	}
	s := &fake.Session{Answer: func(sql string) ([]runner.Row, error) {
		if sql == "batches" {
			return []runner.Row{
				{"batch_id": "b2", "reasons": `{"late_superseded":40,"bad_amount":4}`},
				{"batch_id": "b1", "reasons": `{"ambiguous_duplicate":2}`}, {"batch_id": "b0"},
			}, nil
		}
		return []runner.Row{
			groupRow("b1", "accepted", "accepted", "", "", 92), groupRow("b1", "accepted", "unknown_currency", "unknown_currency", "", 2),
			groupRow("b1", "accepted", "unknown_currency", "unknown_currency", "", 6), // another place
			groupRow("b2", "accepted", "accepted", "", "", 86), groupRow("b2", "accepted", "unknown_currency", "unknown_currency; own", "", 10),
			groupRow("b2", "bad_amount", "bad_amount", "unknown_currency", "missing_note", 3), groupRow("b2", "missing_note", "accepted", "", "missing_note", 1),
		}, nil
	}}
	got, err := runner.ReadImpact(t.Context(), s, q, small(), small(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Called("compare 'b2', 'b1', 'b0'") || len(s.Calls()) != 2 {
		t.Errorf("calls %v", s.Calls())
	}
	if want := (runner.ImpactRows{Input: 200, Rejected: 18, Accepted: 1, Other: 3}); got.Rows != want {
		t.Errorf("rows %+v, want %+v", got.Rows, want)
	}
	var changes []string
	for _, c := range got.Changes {
		changes = append(changes, fmt.Sprint(c.Effect, " ", c.Code, " ", c.Rows, " ", len(c.Batches), " ", c.Column, "/", c.Rule))
	}
	const want = "rejects unknown_currency 18 2 currency/enum; rejects own 10 1 /own_rule; accepts missing_note 1 1 note/required; gains unknown_currency 3 1 currency/enum; loses missing_note 3 1 note/required"
	if text := strings.Join(changes, "; "); text != want {
		t.Errorf("changes %s\nwant    %s", text, want)
	}
	impactBatches(t, got)
	if len(got.Examples) != 5 || strings.Join(got.Examples[0].Columns, " ") != "currency id note" || *got.Examples[1].Row["id"] != "b1-unknown_currency" || strings.Join(got.Examples[1].Columns, " ") != "id currency" {
		t.Errorf("examples %+v", got.Examples)
	}
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "batch b0 has no row in bronze") {
		t.Errorf("notes %s", notes)
	}
}

func impactBatches(t *testing.T, got runner.Impact) {
	t.Helper()
	if len(got.Batches) != 2 {
		t.Fatalf("batches %+v", got.Batches)
	}
	b2, b1 := got.Batches[0], got.Batches[1]
	if b1.Refused() || b1.NewRejected != 8 || b1.NewCeiling.Value != "10.00 % (10 of 100)" {
		t.Errorf("b1 %+v, ceiling %+v", b1, b1.NewCeiling)
	}
	if !b2.Refused() || b2.OldRejected != 4 || b2.NewRejected != 13 || b2.OldCeiling.Value != "6.67 % (4 of 60)" || b2.NewCeiling.Value != "21.67 % (13 of 60)" {
		t.Errorf("b2 %+v, ceilings %+v, %+v", b2, b2.OldCeiling, b2.NewCeiling)
	}
}

// Without an audit log there is no newest batch; named ones are compared all the same.
func TestReadImpactWithoutLog(t *testing.T) {
	q := plan.Impact{Table: "silver.t", Batches: plan.Statement{SQL: "batches"}, Compare: plan.Statement{SQL: "compare :batches"}}
	s := &fake.Session{Answer: func(sql string) ([]runner.Row, error) {
		if sql == "batches" {
			return nil, &runner.StatementError{Class: "TABLE_OR_VIEW_NOT_FOUND"}
		}
		return []runner.Row{groupRow("b1", "accepted", "accepted", "", "", 92)}, nil
	}}
	if _, err := runner.ReadImpact(t.Context(), s, q, small(), small(), nil); err == nil || !strings.Contains(err.Error(), "--batch") {
		t.Errorf("%v", err)
	}
	got, err := runner.ReadImpact(t.Context(), s, q, small(), small(), []string{"b1"})
	if err != nil || got.Rows.Input != 92 || len(got.Changes) != 0 || len(got.Batches) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
