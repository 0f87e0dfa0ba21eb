// Package elsewhere_test keeps helper tables away from the published one.
package elsewhere_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// land lands lines of a file as a batch.
func land(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, batch string, lines ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), batch+".csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lake.Land(c, batch, path)
}

// publish runs a batch over a day and checks what it replaced.
func publish(t *testing.T, lake *runnertest.Lake, p *plan.Plan, deleted int64) {
	t.Helper()
	r := lake.Run(p, runner.Options{Batch: "b1", Partition: map[string]string{"day": "2026-03-01"}})
	if r.Result != runner.Published || r.Target.Inserted != 2 || r.Target.Deleted != deleted || r.Rows.Rejected != 1 {
		t.Fatalf("%s, %+v, %+v, %v", r.Result, r.Target, r.Rows, r.Failures)
	}
}

// holds compares the rows of tables.
func holds(t *testing.T, lake *runnertest.Lake, want map[string]int64) {
	t.Helper()
	for table, rows := range want {
		if got := lake.Rows("SELECT count(*) AS n FROM " + table)[0]["n"]; got != rows {
			t.Errorf("%s holds %v rows, want %d", table, got, rows)
		}
	}
}

// Another catalog: the session knows it, nothing else is asked of it.
func TestAnotherCatalog(t *testing.T) {
	runnertest.Once(t)
	t.Parallel()
	lake := runnertest.Iceberg(t)
	for key, value := range map[string]string{"": "org.apache.iceberg.spark.SparkCatalog", ".type": "hadoop", ".warehouse": t.TempDir(), ".cache-enabled": "false"} {
		if err := lake.Set(t.Context(), "spark.sql.catalog.work"+key, value); err != nil {
			t.Fatal(err)
		}
	}
	c, p := lake.Plan("../../../gen/testdata/elsewhere.odcs.yaml")
	land(t, lake, c, "b1", "day,item,pieces", "2026-03-01,A,1", "2026-03-01,B,2", "2026-03-01,C,-1")
	publish(t, lake, p, 0)
	publish(t, lake, p, 2)
	holds(t, lake, map[string]int64{"lake.~gold.stock": 2, "work.~scratch.stock": 6, "work.~held.stock": 1, "work.~ops.runs": 2})
	if got := lake.Rows("SHOW SCHEMAS IN lake LIKE '" + lake.Prefix + "*'"); len(got) != 2 {
		t.Errorf("schemas beside gold and bronze in the table's catalog: %v", got)
	}
}

// Other schemas, named with and without their catalog.
func TestOtherSchemas(t *testing.T) {
	runnertest.Once(t)
	t.Parallel()
	lake := runnertest.Spark(t)
	c, p := lake.Plan("testdata/days.odcs.yaml")
	land(t, lake, c, "b1", "day,id,amount", "2026-03-01,A,1", "2026-03-01,B,2", "2026-03-01,C,x")
	publish(t, lake, p, 0)
	publish(t, lake, p, 2)
	holds(t, lake, map[string]int64{"~silver.days": 2, "~scratch.waiting": 6, "~scratch.waiting_verdict": 0, "~held.days_rejects": 1, "~watch.runs": 2})
}
