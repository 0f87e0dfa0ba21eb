package wap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// A merge on a branch: what is newer is updated, what is new inserted, and the rest
// gets its verdict against main, as on Delta.
func TestMergeOnABranch(t *testing.T) {
	lake := runnertest.Iceberg(t)
	c, p := lake.Plan("testdata/orders.odcs.yaml")
	lake.Do("CREATE SCHEMA lake.~silver")
	lake.Do("CREATE TABLE ~silver.customers (customer_id STRING) USING ICEBERG")
	lake.Do("INSERT INTO ~silver.customers VALUES ('C1'), ('C2')")
	run := func(batch, want string, options runner.Options, lines ...string) runner.Report {
		t.Helper()
		if len(lines) > 0 {
			path := filepath.Join(t.TempDir(), batch+".csv")
			text := "order_id,customer_id,amount,note,changed_at\n" + strings.Join(lines, "\n") + "\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			lake.Land(c, batch, path)
		}
		options.Batch = batch
		r := lake.Run(p, options)
		if string(r.Result) != want {
			t.Fatalf("batch %s is %s, want %s: %v", batch, r.Result, want, r.Failures)
		}
		return r
	}
	r := run("b1", "published", runner.Options{}, "O1,C1,5.00,a,2026-03-01 09:00:00", "O2,C2,6.00,b,2026-03-01 09:00:00", "O3,C1,7.00,c,2026-03-01 09:00:00", "O4,C1,-1,d,2026-03-01 09:00:00")
	if r.Target != (runner.Target{Inserted: 3}) || r.Reasons["minimum_amount"] != 1 {
		t.Errorf("%+v, %v", r.Target, r.Reasons)
	}
	r = run("b2", "published", runner.Options{}, "O1,C1,5.50,a,2026-03-02 09:00:00", "O2,C2,6.00,b,2026-03-01 09:00:00", "O3,C1,7.00,x,2026-03-01 09:00:00", "O1,C1,1.00,a,2026-02-01 09:00:00", "O5,C2,1.00,,2026-03-02 09:00:00", "O6,C2,1.00,,2026-03-02 09:00:00")
	if r.Target != (runner.Target{Inserted: 2, Updated: 1, Unchanged: 1}) || r.Reasons["ambiguous_duplicate"] != 1 || r.Reasons["duplicate_superseded"] != 1 {
		t.Errorf("%+v, %v", r.Target, r.Reasons)
	}
	before := lake.Rows("SELECT snapshot_id FROM ~silver.orders.refs WHERE name = 'main'")[0]["snapshot_id"]
	if r = run("b2", "published", runner.Options{}); r.Commit != nil || r.Target.Unchanged != 4 {
		t.Errorf("a replay: %+v, %+v", r.Target, r.Commit)
	}
	r = run("b3", "refused", runner.Options{}, "O7,C2,1001,,2026-03-03 09:00:00")
	if failed(r) != "cheap" || r.Rows.Refused != 1 {
		t.Errorf("failed %s, %+v", failed(r), r.Rows)
	}
	if now := lake.Rows("SELECT snapshot_id FROM ~silver.orders.refs WHERE name = 'main'")[0]["snapshot_id"]; now != before {
		t.Errorf("main moved from %v to %v", before, now)
	}
	other := lake.Again()
	r = run("b4", "published", runner.Options{AfterStatement: after("settle_scope", func() {
		other.Do("INSERT INTO ~silver.orders VALUES ('O8', 'C1', 2.00, 'theirs', TIMESTAMP '2026-03-04 09:00:00')")
	})}, "O8,C2,1.00,ours,2026-03-04 09:00:00", "O9,C2,1.00,,2026-03-04 09:00:00")
	if r.Attempt != 2 || r.Target.Inserted != 1 || r.Reasons["ambiguous_duplicate"] != 1 {
		t.Errorf("beside another writer: attempt %d, %+v, %v", r.Attempt, r.Target, r.Reasons)
	}
	if rows := lake.Rows("SELECT array_join(array_sort(collect_list(concat_ws(' ', order_id, amount, note))), ', ') AS rows FROM ~silver.orders")[0].Text("rows"); rows != "O1 5.50 a, O2 6.00 b, O3 7.00 c, O5 1.00, O6 1.00, O8 2.00 theirs, O9 1.00" {
		t.Errorf("the table holds %s", rows)
	}
}

// Without ANSI the whole way gives the same rows.
func TestWithoutANSI(t *testing.T) {
	runnertest.Once(t)
	s := newTill(t, 40, plan.Setting{Key: "spark.sql.ansi.enabled", Value: "false"})
	s.deliverDirty(0)
	for _, deleted := range []int64{0, s.rows()} {
		o := s.options(0, "b"+day(0))
		r := s.publishDirty(t, 0, o.Batch)
		if r.Target.Inserted != s.rows() || r.Target.Deleted != deleted || r.Rows.Rejected != 2 {
			t.Errorf("%+v, %v", r.Target, r.Reasons)
		}
	}
}
