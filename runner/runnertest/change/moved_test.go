package change_test

import (
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

const withChannel = runnertest.ShopHeader + ",channel"

// filling is a table of O1 to O7 to which a migration added a column that their
// batch b1 fills when it comes again. b2 brings O6 and O7 again, and a new O8.
func filling(t *testing.T) *evolving {
	lake, c, p := runnertest.Shop(t)
	e := &evolving{T: t, lake: lake, contract: c, plan: p}
	lines := func(ids ...string) []string {
		out := []string{withChannel}
		for _, id := range ids {
			out = append(out, id+",C1,5.00,2026-03-01 09:00:00,web")
		}
		return out
	}
	e.published(e.run("b1", lines("O1", "O2", "O3", "O4", "O5", "O6", "O7")...), 7)
	e.at(orders{version: "1.1.0", amount: firstOrders.amount, channel: "required: false"})
	if r, err := e.migrate(runner.MigrateOptions{Apply: true}, false); err != nil || r.Result != runner.Applied {
		t.Fatalf("%s, %v", r.Result, err)
	}
	lake.LandLines(e.contract, "b2", lines("O6", "O7", "O8")...)
	return e
}

// meets runs a batch while another writer commits between its last look and the MERGE.
func (e *evolving) meets(batch string, others ...string) runner.Report {
	e.Helper()
	other := e.lake.Open(plan.SessionSettings(true))
	return e.lake.Run(e.plan, runner.Options{Batch: batch, AfterStatement: func(s plan.Statement) error {
		if s.Name != "publish_history" {
			return nil
		}
		for _, sql := range others {
			if err := other.Exec(e.Context(), e.lake.Names(sql)); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Another writer changes rows between their verdict backfilled and the MERGE: they
// are judged again on the version that the MERGE read, and each is counted as what
// became of it.
func TestBackfillMeetsAnotherWriter(t *testing.T) {
	t.Parallel()
	e := filling(t)
	for _, test := range []struct {
		batch  string
		others []string
		target runner.Target
		reject int64
	}{
		{"b2", []string{
			"DELETE FROM ~silver.orders WHERE order_id IN ('O6', 'O7')",
			"INSERT INTO ~silver.orders (order_id, customer_id, amount, changed_at) VALUES ('O8', 'C1', 5, TIMESTAMP '2026-03-01 09:00:00Z')",
		}, runner.Target{Inserted: 2, Backfilled: 1}, 0},
		{"b1", []string{
			"DELETE FROM ~silver.orders WHERE order_id = 'O1'",
			"UPDATE ~silver.orders SET channel = 'phone' WHERE order_id = 'O2'",
			"UPDATE ~silver.orders SET changed_at = changed_at - INTERVAL 1 DAY WHERE order_id = 'O3'",
			"UPDATE ~silver.orders SET changed_at = changed_at + INTERVAL 1 DAY WHERE order_id = 'O5'",
		}, runner.Target{Inserted: 1, Updated: 1, Backfilled: 1, Unchanged: 2, Stale: 1}, 1},
	} {
		r := e.meets(test.batch, test.others...)
		if r.Result != runner.Published || r.Attempt != 1 || r.Target != test.target || r.Reasons["ambiguous_duplicate"] != test.reject || r.Rows.Rejected != test.reject {
			t.Errorf("%s: %s in attempt %d: target %+v, reasons %v, %v", test.batch, r.Result, r.Attempt, r.Target, r.Reasons, r.Failures)
		}
		if !strings.Contains(strings.Join(r.Notes, "\n"), "judged again") {
			t.Errorf("%s: no note says so: %v", test.batch, r.Notes)
		}
	}
	if n := e.lake.Number("SELECT count(*) FROM ~quarantine.orders WHERE _batch_id = 'b1' AND order_id = 'O2'"); n != 1 {
		t.Errorf("quarantine holds %d rows of O2, want 1", n)
	}
	if n := e.lake.Number("SELECT count(*) FROM ~silver.orders WHERE channel = 'web'"); n != 6 {
		t.Errorf("%d rows have the channel of their batch, want 6", n)
	}
}

// A cluster may run with ANSI off, where a cast that fails gives NULL: a migration
// loses no value there either.
func TestMigrateWithoutANSI(t *testing.T) {
	runnertest.Once(t)
	t.Parallel()
	lake, c, p := runnertest.Shop(t, plan.Setting{Key: "spark.sql.ansi.enabled", Value: "false"})
	e := &evolving{T: t, lake: lake, contract: c, plan: p}
	e.published(e.run("b1", runnertest.ShopHeader, "O1,C1,5.00,2026-03-01 09:00:00", "O2,C2,6.25,2026-03-01 09:00:00"), 2)
	e.at(orders{version: "2.0.0", amount: "DECIMAL(4,1), minimum 0", region: "required: true"})
	lake.Do("UPDATE ~silver.orders SET amount = 12345 WHERE order_id = 'O1'")
	r, err := e.migrate(runner.MigrateOptions{Apply: true, AllowDestructive: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	e.waits(r, "add_amount_migrated", "values that the new type cannot hold: 2")
	e.waits(r, "fill_region", "rows without a value: 2")
	lake.Do("UPDATE ~silver.orders SET region = 'EU', amount = CASE order_id WHEN 'O1' THEN 5 ELSE 6.5 END")
	if r, err = e.migrate(runner.MigrateOptions{Apply: true, AllowDestructive: true}, false); err != nil || r.Result != runner.Applied {
		t.Fatalf("%s, %v: %+v", r.Result, err, r.Steps)
	}
	e.mended()
	if got := lake.Number("SELECT CAST(sum(amount) * 10 AS BIGINT) FROM ~silver.orders WHERE region = 'EU'"); got != 115 {
		t.Errorf("the amounts are %d tenths, want 115", got)
	}
	e.published(e.run("b2", runnertest.ShopHeader+",region", "O3,C1,8.5,2026-03-02 09:00:00,EU"), 1)
}
