package runnertest_test

import (
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// refused checks that a batch was refused with a code, and that the target did not change.
func refused(t *testing.T, r runner.Report, code string) {
	t.Helper()
	if r.Result != runner.Refused || len(r.Failures) == 0 || !strings.Contains(strings.Join(r.Failures, "\n"), code) {
		t.Errorf("%s: %v; want refused with %s", r.Result, r.Failures, code)
	}
}

// Each planted fault ends as designed. One lake serves all: a case is a batch.
func TestPlantedFaults(t *testing.T) {
	runnertest.Once(t)
	t.Parallel()
	lake, c, p := runnertest.Shop(t)
	lake.LandLines(c, "b1", runnertest.ShopHeader, "O1,C1,5.00,2026-03-01 09:00:00",
		"O30\U0001FAE0,C1,5.00,2026-03-01 09:00:00", "O31\ue000,C1,5.00,2026-03-01 09:00:00", "\u00a0O32\u200b,C1,5.00,2026-03-01 09:00:00")
	if r := lake.Run(p, runner.Options{Batch: "b1"}); r.Result != runner.Published || r.Target.Inserted != 4 {
		t.Fatalf("first batch: %s, %+v, %v", r.Result, r.Target, r.Failures)
	}
	t.Run("characters that Java does not know", func(t *testing.T) { keptCharacters(t, lake) })
	t.Run("a column that vanished", func(t *testing.T) {
		lake.LandLines(c, "b2", "order_id,customer_id,total,changed_at", "O3,C1,5.00,2026-03-02 09:00:00")
		r := lake.Run(p, runner.Options{Batch: "b2"})
		refused(t, r, "column_all_null")
		if !strings.Contains(strings.Join(r.Failures, "\n"), "total") {
			t.Errorf("the message does not name the new column: %v", r.Failures)
		}
	})
	t.Run("an empty batch", func(t *testing.T) {
		lake.LandLines(c, "b3", runnertest.ShopHeader)
		refused(t, lake.Run(p, runner.Options{Batch: "b3"}), "empty_batch")
	})
	t.Run("another writer between settle and publish", func(t *testing.T) { otherWriter(t, lake, c, p) })
	t.Run("another writer between the last look and the MERGE", func(t *testing.T) { lateWriter(t, lake, c, p) })
	t.Run("a lookup that holds a key twice", func(t *testing.T) {
		lake.Do("INSERT INTO ~silver.customers VALUES ('C2')")
		lake.LandLines(c, "b6", runnertest.ShopHeader, "O7,C2,5.00,2026-03-05 09:00:00")
		refused(t, lake.Run(p, runner.Options{Batch: "b6"}), "rows_not_conserved")
		lake.Do("DELETE FROM ~silver.customers WHERE customer_id = 'C2'")
		lake.Do("INSERT INTO ~silver.customers VALUES ('C2')")
	})
	t.Run("a publish that was never recorded", func(t *testing.T) { unrecorded(t, lake, c, p) })
	t.Run("a batch id that comes back with other content, on a cluster that overwrites dynamically", func(t *testing.T) { goneRejects(t, lake, c, p) })
	t.Run("rejects that name their file and line, and columns in another order", func(t *testing.T) { namedLine(t, lake, c, p) })
	t.Run("a lookup that is not there", func(t *testing.T) {
		lake.Do("ALTER TABLE ~silver.customers RENAME TO ~silver.customers_away")
		r := lake.Run(p, runner.Options{Batch: "b12"})
		if r.Result != runner.Failed || !strings.Contains(strings.Join(r.Failures, "\n"), "lookup_missing") {
			t.Errorf("%s: %v", r.Result, r.Failures)
		}
		lake.Do("ALTER TABLE ~silver.customers_away RENAME TO ~silver.customers")
	})
	t.Run("a CHECK added between guard and publish", func(t *testing.T) { strayCheck(t, lake, c, p) })
}

// otherWriter commits between settle and publish: the attempt is discarded and
// the next one sees the other's row, so the late one is not published.
func otherWriter(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan) {
	lake.LandLines(c, "b5", runnertest.ShopHeader, "O6,C1,5.00,2026-03-04 09:00:00")
	other := lake.Open(plan.SessionSettings(true))
	done := false
	r := lake.Run(p, runner.Options{Batch: "b5", AfterStatement: func(s plan.Statement) error {
		if s.Name != "settle_counts" || done {
			return nil
		}
		done = true
		return other.Exec(t.Context(), lake.Names("INSERT INTO ~silver.orders (order_id, customer_id, amount, changed_at) VALUES ('O6', 'C1', 99.00, TIMESTAMP '2026-03-04 10:00:00Z')"))
	}})
	if r.Result != runner.Published || r.Attempt != 2 || r.Reasons["late_superseded"] != 1 || r.Commit != nil {
		t.Errorf("%s in attempt %d, reasons %v, commit %v, %v", r.Result, r.Attempt, r.Reasons, r.Commit, r.Failures)
	}
}

// lateWriter commits where nobody looks any more: the MERGE changes fewer rows
// than the verdicts said, and the one that it left is late after all.
func lateWriter(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan) {
	lake.LandLines(c, "b9", runnertest.ShopHeader, "O20,C1,5.00,2026-03-10 09:00:00", "O21,C1,5.00,2026-03-10 09:00:00")
	other := lake.Open(plan.SessionSettings(true))
	r := lake.Run(p, runner.Options{Batch: "b9", AfterStatement: func(s plan.Statement) error {
		if s.Name != "publish_history" {
			return nil
		}
		return other.Exec(t.Context(), lake.Names("INSERT INTO ~silver.orders (order_id, customer_id, amount, changed_at) VALUES ('O20', 'C1', 99.00, TIMESTAMP '2026-03-10 10:00:00Z')"))
	}})
	if r.Result != runner.Published || r.Attempt != 1 || r.Reasons["late_superseded"] != 1 || r.Target.Inserted != 1 || r.Rows.Accepted != 1 {
		t.Errorf("%s in attempt %d: reasons %v, target %+v, rows %+v, %v", r.Result, r.Attempt, r.Reasons, r.Target, r.Rows, r.Failures)
	}
	if n := lake.Number("SELECT count(*) FROM ~quarantine.orders WHERE _batch_id = 'b9' AND order_id = 'O20' AND _reject_reason = 'late_superseded'"); n != 1 {
		t.Errorf("quarantine holds %d rows of O20, want 1", n)
	}
	if n := lake.Number("SELECT count(*) FROM ~silver.orders WHERE order_id = 'O20' AND amount = 99"); n != 1 {
		t.Error("the newer row of the other writer was lost")
	}
}

// keptCharacters: new emoji (unassigned for Java 17) and private-use characters
// are data; a zero-width space and a no-break space at the edges are not.
func keptCharacters(t *testing.T, lake *runnertest.Lake) {
	got := lake.Rows("SELECT concat_ws(' ', sort_array(collect_list(order_id))) AS ids FROM ~silver.orders WHERE order_id LIKE 'O3%'")[0].Text("ids")
	if want := "O30\U0001FAE0 O31\ue000 O32"; got != want {
		t.Errorf("published keys %+q, want %+q", got, want)
	}
}

// goneRejects: a batch that comes back with other content is refused and leaves
// quarantine alone, until somebody accepts it. Without its reject it has none there,
// also where the cluster's overwrite mode would leave a partition without new rows.
func goneRejects(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan) {
	const mode = "spark.sql.sources.partitionOverwriteMode"
	if err := lake.Set(t.Context(), mode, "dynamic"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lake.Unset(t.Context(), mode) }()
	lake.LandLines(c, "b11", runnertest.ShopHeader, "O40,C1,5.00,2026-03-12 09:00:00", "O41,C1,x,2026-03-12 09:00:00")
	if r := lake.Run(p, runner.Options{Batch: "b11"}); r.Reasons["bad_amount"] != 1 {
		t.Fatalf("%s, reasons %v, %v", r.Result, r.Reasons, r.Failures)
	}
	if err := lake.Set(t.Context(), mode, "dynamic"); err != nil {
		t.Fatal(err)
	}
	held := func(want int64) {
		if n := lake.Number("SELECT count(*) FROM ~quarantine.orders WHERE _batch_id = 'b11'"); n != want {
			t.Errorf("quarantine holds %d rows of the batch, want %d", n, want)
		}
	}
	lake.LandLines(c, "b11", runnertest.ShopHeader, "O40,C1,9.00,2026-03-12 10:00:00", "O41,C1,6.00,2026-03-12 09:00:00")
	refused(t, lake.Run(p, runner.Options{Batch: "b11"}), "batch_changed")
	held(1)
	if r := lake.Run(p, runner.Options{Batch: "b11", AcceptChanged: true}); r.Result != runner.Published || r.Rows.Rejected != 0 || r.Target.Updated != 1 || r.Target.Inserted != 1 {
		t.Errorf("%s, %+v, %+v, %v", r.Result, r.Rows, r.Target, r.Failures)
	}
	held(0)
}

// strayCheck: the MERGE itself fails after a clean audit.
func strayCheck(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan) {
	lake.LandLines(c, "b8", runnertest.ShopHeader, "O9,C1,5000.00,2026-03-08 09:00:00")
	other := lake.Open(plan.SessionSettings(true))
	r := lake.Run(p, runner.Options{Batch: "b8", AfterStatement: func(s plan.Statement) error {
		if s.Name != "publish_history" {
			return nil
		}
		return other.Exec(t.Context(), lake.Names("ALTER TABLE ~silver.orders ADD CONSTRAINT cheap CHECK (amount < 1000)"))
	}})
	if r.Result != runner.Failed || r.Commit != nil {
		t.Errorf("%s, commit %v, %v", r.Result, r.Commit, r.Failures)
	}
	row := lake.Rows("SELECT CAST(passed AS STRING) AS passed, CAST(published AS STRING) AS published FROM ~ops.audit_log WHERE batch_id = 'b8'")
	if len(row) != 1 || row[0].Text("passed") != "true" || row[0].Text("published") != "false" {
		t.Errorf("audit log: %v; want passed=true, published=false", row)
	}
	again := lake.Run(p, runner.Options{Batch: "b8"})
	if again.Result != runner.Failed || !strings.Contains(strings.Join(again.Failures, "\n"), "target_drift") {
		t.Errorf("run with the stray CHECK in place: %s, %v", again.Result, again.Failures)
	}
	lake.Do("ALTER TABLE ~silver.orders DROP CONSTRAINT cheap")
	if r := lake.Run(p, runner.Options{Batch: "b8"}); r.Result != runner.Published {
		t.Errorf("run after the repair: %s, %v", r.Result, r.Failures)
	}
}

// unrecorded: a run that was killed between MERGE and record is found by its
// run id, recorded, and its rows are unchanged for the run that finds it.
func unrecorded(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan) {
	lake.LandLines(c, "b7", runnertest.ShopHeader, "O8,C1,5.00,2026-03-06 09:00:00", "O8,C1,4.00,2026-03-05 09:00:00")
	func() {
		defer func() { _ = recover() }()
		lake.Run(p, runner.Options{Batch: "b7", NewRunID: func() string { return "lost" }, AfterStatement: func(s plan.Statement) error {
			if s.Name == "publish" {
				panic("killed after the MERGE")
			}
			return nil
		}})
	}()
	r := lake.Run(p, runner.Options{Batch: "b7"})
	if r.Result != runner.Published || r.Target.Inserted != 0 || r.Target.Unchanged != 1 || len(r.Recovered) != 1 || r.Recovered[0] != "lost" {
		t.Errorf("%s, %+v, recovered %v, %v", r.Result, r.Target, r.Recovered, r.Failures)
	}
	row := lake.Rows("SELECT input_rows, accepted_rows, rejected_rows, CAST(published AS STRING) AS published FROM ~ops.audit_log WHERE run_id = 'lost'")
	if len(row) != 1 || row[0]["input_rows"] != int64(2) || row[0]["accepted_rows"] != int64(1) || row[0]["rejected_rows"] != int64(1) || row[0].Text("published") != "true" {
		t.Errorf("the recovered row is %v", row)
	}
}
