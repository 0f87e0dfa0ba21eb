package runnertest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// namedLine: each reject names the file that it came in and the line on which it
// begins, as an editor counts them: a quoted line break and a blank line count.
// Of two identical rows the first line is published. Each file is read by its own
// header.
func namedLine(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan) {
	files := map[string]string{
		"one.csv": runnertest.ShopHeader + "\n\"O50\nsecond line\",C1,5.00,2026-03-13 09:00:00\n\n" + // lines 2 and 3, and a blank one
			"O51,C1,\"5,00\",2026-03-13 09:00:00\r\n" + // 5
			"O52,C1\n" + // 6
			"O53,C1,5.00,2026-03-13 09:00:00\nO53,C1,5.00,2026-03-13 09:00:00\n", // 7 and 8
		"two.csv":   runnertest.ShopHeader + "\n,C1,\"-5.00\",2026-03-13 09:00:00\n\"O54\n\n\",C1,\"\nx\",2026-03-13 09:00:00\n", // 2, and 3 to 6
		"three.csv": "changed_at,amount,customer_id,order_id\n2026-03-13 09:00:00,8.00,C2,O55\n",
	}
	dir := t.TempDir()
	var paths []string
	for _, name := range []string{"two.csv", "one.csv", "three.csv"} {
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(paths[len(paths)-1], []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lake.Land(c, "b12", paths...)
	if r := lake.Run(p, runner.Options{Batch: "b12"}); r.Result != runner.Published || r.Target.Inserted != 3 {
		t.Fatalf("%s, %+v, %v", r.Result, r.Target, r.Failures)
	}
	want := []string{
		filepath.Join(dir, "one.csv") + ":5 bad_amount", filepath.Join(dir, "one.csv") + ":6 malformed_row", filepath.Join(dir, "one.csv") + ":8 duplicate_superseded",
		filepath.Join(dir, "two.csv") + ":2 missing_order_id; minimum_amount", filepath.Join(dir, "two.csv") + ":3 bad_amount",
	}
	var got []string
	for _, r := range lake.Rows("SELECT _source_file AS file, _source_line AS line, _reject_reasons AS reasons FROM ~quarantine.orders WHERE _batch_id = 'b12' ORDER BY 1, 2") {
		line, _ := r.Number("line")
		got = append(got, fmt.Sprintf("%s:%d %s", r.Text("file"), line, r.Text("reasons")))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("quarantine says %q, want %q", got, want)
	}
	if n := lake.Number("SELECT count(*) FROM ~silver.orders WHERE order_id = 'O55' AND customer_id = 'C2' AND amount = 8"); n != 1 {
		t.Error("the third file was read by the header of another one")
	}
}
