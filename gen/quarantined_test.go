package gen_test

import (
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/sparksql"

	"github.com/google/go-cmp/cmp"
)

// TestQuarantineQueries: whatever is asked for stays inside of its literal, names
// are quoted, and no query reads without a bound.
func TestQuarantineQueries(t *testing.T) {
	for _, path := range []string{"../contracts/sales/orders.odcs.yaml", "../contracts/aviation/flights.odcs.yaml", "../runner/runnertest/testdata/hostile/names.odcs.yaml"} {
		c, err := contracts.Load(path, contracts.Options{Vars: map[string]string{"HOSTILE": "h"}})
		if err != nil {
			t.Fatal(err)
		}
		table := c.Published()[0]
		asked := gen.Rejects{Batch: "b'1\\", Code: "x' OR '1'='1 -- ${y}", Limit: 3}
		for name, query := range map[string]string{
			"rows": gen.RejectedRows(table, asked), "tied": gen.TiedRows(table, asked), "counts": gen.RejectCounts(table, asked.Batch),
		} {
			if err := sparksql.Closed(query); err != nil {
				t.Errorf("%s of %s: %v\n%s", name, path, err, query)
			}
			if !strings.Contains(query, "`_batch_id` = "+sparksql.String(asked.Batch)) || name != "counts" && !strings.Contains(query, "\nLIMIT ") {
				t.Errorf("%s of %s has no bound:\n%s", name, path, query)
			}
		}
	}
}

func TestQuarantinedTexts(t *testing.T) {
	c, err := contracts.Load("../contracts/sales/orders.odcs.yaml", contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, text := range gen.QuarantinedTexts(c.Published()[0]) {
		got = append(got, text.Column+" "+text.SQL)
	}
	want := []string{
		"order_id q.`raw_order_id`", "customer_id q.`raw_customer_id`", "order_ts q.`raw_order_ts`", "order_total q.`raw_order_total`", "currency q.`raw_currency`",
		"source_updated_at q.`raw_source_updated_at`", "_loaded_at q.`raw__loaded_at`", "_source_file CAST(q.`_source_file` AS STRING)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
