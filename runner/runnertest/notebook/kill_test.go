package notebook_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"sluice/gen/notebook"
	"sluice/runner/runnertest"
)

var kills = regexp.MustCompile(`\d+ kills, \d+ recovered`)

// A session that dies behind any statement of a notebook's run loses no row and
// publishes none twice: the batch run again is whole, and what was published
// without a record is recorded. A usual test run takes the last statements, from the
// write on, and two others; with SLUICE_LONG=1 it is all of them.
func TestKilledNotebookIsRunAgain(t *testing.T) {
	runnertest.Once(t)
	points := 3
	if os.Getenv("SLUICE_LONG") == "1" {
		points = 22
	}
	script, err := os.ReadFile("testdata/kills.py")
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	var merged, replaced []string
	days := "DAYS = {"
	for i := range points + 3 {
		for row, amount := range []string{"5.00", "6.00", "x"} {
			merged = append(merged, fmt.Sprintf("(%d, 'k%d', 'k%d.%d', 'C1', '%s', '2026-03-01 09:00:00')", row+1, i, i, row, amount))
		}
		day := fmt.Sprintf("2026-09-%02d", i+1)
		days += fmt.Sprintf("'k%d': '%s', ", i, day)
		for row, quantity := range []string{"1", "2", "0"} {
			replaced = append(replaced, fmt.Sprintf("('%s', 'k%d.%d', '%s', 'k%d')", day, i, row, quantity, i))
		}
	}
	// The ceiling of the till is one percent; one row of three is another matter here.
	text, err := os.ReadFile(till.contract)
	if err != nil {
		t.Fatal(err)
	}
	lenient := strings.Replace(string(text), "maxPercent: 1.0}", "maxPercent: 50}", 1)
	if lenient == string(text) {
		t.Fatal("the till has no ceiling of one percent any more")
	}
	contract := d.dir + "/lenient.odcs.yaml"
	if err := os.WriteFile(contract, []byte(lenient), 0o600); err != nil {
		t.Fatal(err)
	}
	plain := func(all []string) []string {
		out := make([]string, len(all))
		for i, sql := range all {
			out[i] = strings.ReplaceAll(sql, "~", "")
		}
		return out
	}
	of := func(target, quarantine, log, key string) job {
		return job{Code: fmt.Sprintf("TABLE, QUARANTINE, LOG, KEY, POINTS = %q, %q, %q, %q, %d\n%s}\n%s", target, quarantine, log, key, points, days, script)}
	}
	landed := append(plain(orders.setup[:4]), "CREATE TABLE bronze.orders USING DELTA AS "+sales+strings.Join(merged, ", ")+" AS rows (row, batch, order_id, customer_id, amount, changed_at)")
	rung := append(plain(till.setup[:4]), "CREATE TABLE lake.silver.pos_basket (basket_id STRING, upload_date DATE) USING ICEBERG",
		"CREATE TABLE lake.bronze.pos_line USING ICEBERG AS SELECT day AS upload_date, '2026-09-29' AS business_date, basket AS basket_id, '1' AS line_no, 'S1' AS store_id, quantity, '9.90' AS amount, 'NZD' AS currency, 'till.csv' AS _source_file, TIMESTAMP '2026-10-01 05:00:00' AS _loaded_at, batch AS _batch_id FROM VALUES "+
			strings.Join(replaced, ", ")+" AS rows (day, basket, quantity, batch)")
	results := d.execute(
		statements("", landed...),
		job{Notebook: d.write(orders.contract, notebook.Options{}), Parameters: map[string]string{"batch_id": "none"}}, // defines, and is refused
		of("silver.orders", "quarantine.orders", "ops.audit_log", "order_id"),
		statements("", rung...),
		job{Notebook: d.write(contract, notebook.Options{}), Parameters: map[string]string{"batch_id": "none", "partition_upload_date": "2026-09-01"}},
		of("lake.gold.fct_pos_line", "lake.quarantine.fct_pos_line", "lake.ops.audit_log", "basket_id"),
	)
	for i, r := range results {
		if refused := i == 1 || i == 4; refused != strings.HasPrefix(r.Error, "Refused: empty_batch") || !refused && r.Error != "" {
			t.Fatalf("job %d, cell %s: %s\n%s", i, r.Cell, r.Error, r.progress())
		}
		if told := kills.FindString(r.Text); told != "" {
			t.Log(told)
		}
	}
}
