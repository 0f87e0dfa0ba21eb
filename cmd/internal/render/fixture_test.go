package render_test

import (
	"bytes"
	"testing"

	"sluice/cmd/internal/render"
	"sluice/runner/fixture"
)

func sampleFixtures() []fixture.Report {
	return []fixture.Report{{
		File: "contracts/sales/orders.fixtures.yaml", Table: "silver.orders", Seconds: 12.34, Kept: []string{"sluice_test_1_silver"},
		Results: []fixture.Result{
			{Name: "a correction wins", Line: 4, Passed: true},
			{
				Name: "a tie\nis <superseded>", Line: 9,
				Failures: []fixture.Failure{
					{What: "rejected", Want: "duplicate_superseded: 1", Got: "ambiguous_duplicate: 2"},
					{What: "table", Batch: 2, Want: "order_id=A1 amount=15.00\norder_id=A2", Got: "none"},
				},
				Rows: []fixture.RowEnd{
					{Batch: 1, Row: 1, Given: "order_id=A1", Got: "accepted"},
					{Batch: 1, Row: 2, Given: "order_id=A1 amount=\"\x1b[31m\"", Got: "bad_amount; negative_amount"},
					{Batch: 2, Row: 1, Given: "order_id=A1", Got: "accepted, unchanged"},
				},
			},
			{Name: "one batch", Line: 20, Rows: []fixture.RowEnd{{Batch: 1, Row: 1, Given: "(defaults)", Got: "not staged"}}, Failures: []fixture.Failure{{What: "clean", Want: "none", Got: "order_id=X"}}},
		},
	}}
}

func TestFixtures(t *testing.T) {
	var out, junit bytes.Buffer
	render.Fixtures(&out, sampleFixtures()[0])
	text, failed := render.FixtureTally(sampleFixtures())
	if failed != 2 {
		t.Errorf("%d failed", failed)
	}
	golden(t, "fixtures", out.String()+text+"\n")
	if err := render.FixturesJUnit(&junit, sampleFixtures()); err != nil {
		t.Fatal(err)
	}
	golden(t, "fixtures_junit", junit.String())
}
