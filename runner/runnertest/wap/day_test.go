package wap_test

import (
	"os"
	"strings"
	"testing"

	"sluice/runner"
)

// Twenty days of till lines (two with -short). Readers of main see the old head, then the audited
// one, and nothing between; what is refused never touches main.
func TestTwentyDays(t *testing.T) {
	days := 20
	if testing.Short() && os.Getenv("SLUICE_LONG") != "1" {
		days = 2
	}
	s := newTill(t, 9440) // 39,876 lines a day
	for n := range days {
		s.deliver(n, "b"+day(n))
		if r := s.publish(n, "b"+day(n)); r.Target.Inserted != s.rows() || r.Target.Deleted != 0 || r.Commit.Snapshot == 0 {
			t.Fatalf("day %d: %+v, %+v", n, r.Target, r.Commit)
		}
	}
	t.Run("a clean day", func(t *testing.T) { s.cleanDay(t, days) })
	t.Run("raw baskets are missing", func(t *testing.T) { s.missingBaskets(t, days+1) })
	t.Run("a line twice on the branch", func(t *testing.T) { s.lineTwice(t, days+2) })
	t.Run("an old day is lost", func(t *testing.T) { s.oldDayLost(t, days+3) })
	t.Run("the repaired day", func(t *testing.T) { s.repairedDay(t, days+1) })
}

func (s *till) cleanDay(t *testing.T, n int) {
	before := s.heads()
	s.deliver(n, "clean")
	w := watch(t, s)
	o := s.options(n, "clean")
	o.AfterStatement = w.phase
	r := s.Run(s.plan, o)
	w.stop()
	if r.Result != runner.Published || r.Target.Inserted != s.rows() {
		t.Fatalf("%s: %+v, %v", r.Result, r.Target, r.Failures)
	}
	w.judge(before["main"], r.Commit.Snapshot, s.rows())
	if now := s.heads(); now["main"] != r.Commit.Snapshot || now["audit"] != r.Commit.Snapshot || r.Commit.Previous != before["main"] || len(now) != 2 {
		t.Errorf("heads %v after %v, commit %+v", now, before, r.Commit)
	}
}

// refused runs a day that must not reach main and returns the report.
func (s *till) refused(t *testing.T, n int, batch, after_ string, do func()) runner.Report {
	t.Helper()
	before := s.heads()["main"]
	o := s.options(n, batch)
	if do != nil {
		o.AfterStatement = after(after_, do)
	}
	w := watch(t, s)
	r := s.Run(s.plan, o)
	w.stop()
	if r.Result != runner.Refused || r.Commit != nil {
		t.Fatalf("%s: %v", r.Result, r.Failures)
	}
	w.only(before)
	if now := s.heads(); now["main"] != before || now["audit"] == before {
		t.Errorf("heads %v, main was %d", now, before)
	}
	if kept := s.count("SELECT count(*) AS n FROM ~quarantine.fct_pos_line WHERE _batch_id = '" + batch + "' AND _reject_reason = 'batch_refused'"); kept != r.Rows.Accepted {
		t.Errorf("%d rows are kept as batch_refused, want %d", kept, r.Rows.Accepted)
	}
	return r
}

func (s *till) missingBaskets(t *testing.T, n int) {
	s.deliver(n, "whole") // its baskets are known; its lines are not run yet
	s.deliverPart(n, "short", 40, 79)
	r := s.refused(t, n, "short", "", nil)
	if r.Rows.Input != s.rows()-linesOfForty || failed(r) != "raw_basket_missing" || !strings.Contains(r.Failures[0], "40, allowed is = 0") {
		t.Errorf("%d rows, failed %s: %v", r.Rows.Input, failed(r), r.Failures)
	}
	if rows := s.count("SELECT count(*) AS n FROM ~gold.fct_pos_line VERSION AS OF 'audit' WHERE upload_date = DATE '" + day(n) + "'"); rows != s.rows()-linesOfForty {
		t.Errorf("the branch has %d rows of the day, for a look", rows)
	}
}

func (s *till) lineTwice(t *testing.T, n int) {
	s.deliver(n, "twice")
	other := s.again()
	r := s.refused(t, n, "twice", "branch_insert", func() {
		other.Do("INSERT INTO ~gold.fct_pos_line.branch_audit SELECT * FROM ~gold.fct_pos_line.branch_audit WHERE upload_date = DATE '" + day(n) + "' AND line_no = 3 LIMIT 1")
	})
	if got := failed(r); got != "branch_is_this_run partition_rows no_key_twice" {
		t.Errorf("failed: %s; %v", got, r.Failures)
	}
}

func (s *till) oldDayLost(t *testing.T, n int) {
	s.deliver(n, "lost")
	other := s.again()
	r := s.refused(t, n, "lost", "branch_insert", func() {
		other.Do("DELETE FROM ~gold.fct_pos_line.branch_audit WHERE upload_date = DATE '" + day(0) + "'")
	})
	if got := failed(r); got != "branch_is_this_run other_partitions_equal history_changed" {
		t.Errorf("failed: %s; %v", got, r.Failures)
	}
	r = s.refused(t, n, "lost", "branch_insert", func() {
		other.Do("INSERT INTO ~gold.fct_pos_line.branch_audit SELECT upload_date, business_date, concat(basket_id, 'x'), line_no, store_id, quantity, amount, currency, _loaded_at FROM ~gold.fct_pos_line WHERE upload_date = DATE '" + day(1) + "' LIMIT 1")
	})
	if got := failed(r); got != "branch_is_this_run other_partitions_equal history_changed" {
		t.Errorf("failed: %s; %v", got, r.Failures)
	}
}

func (s *till) repairedDay(t *testing.T, n int) {
	all := s.count("SELECT count(*) AS n FROM ~gold.fct_pos_line")
	for _, deleted := range []int64{0, s.rows()} {
		r := s.publish(n, "whole")
		if r.Target.Inserted != s.rows() || r.Target.Deleted != deleted {
			t.Errorf("%+v", r.Target)
		}
		if now := s.count("SELECT count(*) AS n FROM ~gold.fct_pos_line"); now != all+s.rows() {
			t.Errorf("%d rows, want %d", now, all+s.rows())
		}
	}
}
