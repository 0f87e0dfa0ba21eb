package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/runner/runnertest"
)

// A script replaces a partition of a Delta table too, and leaves no marker to a person:
// first of no table, then beside a day that another script has published.
func TestPastedPartition(t *testing.T) {
	lake := runnertest.Spark(t)
	text, err := os.ReadFile("../../../runner/runnertest/partition/testdata/days.odcs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.NewReplacer("schema: silver", "schema: "+lake.Prefix+"silver", "bronze.days", lake.Prefix+"bronze.days",
		"      - {property: publish", "      - {property: staging, vendor: sluice, value: {table: "+lake.Prefix+"staging.days, auditLog: "+lake.Prefix+"ops.audit_log}}\n"+
			"      - {property: quarantine, vendor: sluice, value: {table: "+lake.Prefix+"quarantine.days}}\n      - {property: publish").Replace(string(text))
	path := filepath.Join(t.TempDir(), "days.odcs.yaml")
	if err := os.WriteFile(path, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE TABLE ~bronze.days USING DELTA AS SELECT concat('2026-09-0', d.id) AS day, concat('k', d.id * 2 + k.id) AS id, '7' AS amount, TIMESTAMP '2026-10-01 05:00:00' AS _loaded_at, concat('b', d.id) AS _batch_id FROM range(1, 3) AS d CROSS JOIN range(3) AS k")
	for _, batch := range [][]string{{"--batch", "b1", "--partition", "day=2026-09-01"}, {"--batch", "b2", "--partition", "day=2026-09-02", "--existing"}} {
		b := newBench()
		if code := b.main(append([]string{"plan", path}, batch...)...); code != 0 {
			t.Fatalf("plan exits %d: %s", code, b.err.String())
		}
		n := &paster{lake, t}
		n.paste(b.out.String())
		_, again, _ := strings.Cut(b.out.String(), "-- fresh_run\n")
		again, _, _ = strings.Cut(again, ";\n")
		if _, err := lake.Query(t.Context(), again); err == nil || !strings.Contains(err.Error(), "this run id was staged before") {
			t.Errorf("a second pass over the script of %s is not stopped: %v\n%s", batch[1], err, again)
		}
	}
	var got []string
	for _, r := range lake.Rows("SELECT CAST(day AS STRING) AS day, id FROM ~silver.days UNION ALL SELECT _reject_reason, id FROM ~quarantine.days ORDER BY 1, 2") {
		got = append(got, r.Text("day")+" "+r.Text("id"))
	}
	// k4 is of the first day: the second one brings it again.
	want := "2026-09-01 k2, 2026-09-01 k3, 2026-09-01 k4, 2026-09-02 k5, 2026-09-02 k6, already_published k4"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}
