package render_test

import (
	"bytes"
	"strings"
	"testing"

	"sluice/cmd/internal/render"
	"sluice/runner"
)

// The head of impact counts rows in words that fit their number.
func TestImpactCounts(t *testing.T) {
	for want, rows := range map[string]runner.ImpactRows{
		"would reject 1 row that is accepted now, of 3 rows in 1 batch":                                                  {Input: 3, Rejected: 1},
		"would accept 1 row that is rejected now, change the reasons of 1 row that stays rejected, of 3 rows in 1 batch": {Input: 3, Accepted: 1, Other: 1},
		"would reject 2 rows that are accepted now, of 3 rows in 1 batch":                                                {Input: 3, Rejected: 2},
		"would change no verdict, of 1 row in 1 batch":                                                                   {Input: 1},
	} {
		var b bytes.Buffer
		render.Impact(&b, runner.Impact{Table: "silver.orders", From: "1.0.0", To: "1.1.0", Rows: rows, Batches: []runner.ImpactBatch{{Batch: "b1"}}})
		if head, _, _ := strings.Cut(b.String(), "\n"); !strings.HasSuffix(head, want) {
			t.Errorf("%q does not end in %q", head, want)
		}
	}
}
