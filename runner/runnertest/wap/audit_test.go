package wap_test

import (
	"testing"

	"sluice/runner"
	"sluice/runner/runnertest"
)

// The four audits as scanning queries, as a contract of other tools has them: no
// line twice, every raw basket there, other days as readers see them, both ways, no
// invalid line.
func TestScanningAudits(t *testing.T) {
	runnertest.Once(t)
	s := tillOf(t, "testdata/scanning.odcs.yaml", 40)
	s.deliver(0, "b0")
	s.publish(0, "b0")
	s.deliver(1, "b1")
	other := s.again()
	for _, fault := range []struct{ do, failed string }{
		{"DELETE FROM ~gold.fct_pos_line.branch_audit WHERE upload_date = DATE '" + day(0) + "' AND line_no = 1", "history_changed"},
		{"UPDATE ~gold.fct_pos_line.branch_audit SET amount = amount + 1 WHERE upload_date = DATE '" + day(0) + "' AND line_no = 2", "history_changed"},
		{"DELETE FROM ~gold.fct_pos_line.branch_audit WHERE basket_id = 'B" + day(1) + "-0000005'", "raw_basket_missing"},
		{"UPDATE ~gold.fct_pos_line.branch_audit SET quantity = 0 WHERE basket_id = 'B" + day(1) + "-0000005'", "invalid_line"},
	} {
		o := s.options(1, "b1")
		o.AfterStatement = after("branch_insert", func() { other.Do(fault.do) })
		if r := s.Run(s.plan, o); r.Result != runner.Refused || !judged(r, fault.failed, "failed") {
			t.Errorf("%s: %s, failed %s: %v", fault.do, r.Result, failed(r), r.Failures)
		}
	}
	for range 2 {
		r := s.publish(1, "b1")
		for _, rule := range []string{"unique_line", "raw_basket_missing", "history_changed", "invalid_line"} {
			if !judged(r, rule, "passed") {
				t.Errorf("%s did not pass: %+v", rule, r.Checks)
			}
		}
	}
}

func judged(r runner.Report, rule, result string) bool {
	for _, c := range r.Checks {
		if c.Rule == rule {
			return c.Result == result
		}
	}
	return false
}

// A batch's rejects are replaced in one commit, also where a compaction has put
// several batches into one file.
func TestQuarantineAfterCompaction(t *testing.T) {
	s := newTill(t, 200)
	for n := range 2 {
		s.deliverDirty(n)
		s.publish(n, "b"+day(n))
	}
	s.Do("ALTER TABLE ~quarantine.fct_pos_line DROP PARTITION FIELD _batch_id")
	s.Rows("CALL lake.system.rewrite_data_files(table => '~quarantine.fct_pos_line', options => map('rewrite-all', 'true'))")
	if files := s.count("SELECT count(*) AS n FROM ~quarantine.fct_pos_line.files"); files != 1 {
		t.Fatalf("the compaction left %d files", files)
	}
	snapshots := s.count("SELECT count(*) AS n FROM ~quarantine.fct_pos_line.snapshots")
	s.publish(1, "b"+day(1))
	if now := s.count("SELECT count(*) AS n FROM ~quarantine.fct_pos_line.snapshots"); now != snapshots+1 {
		t.Errorf("%d commits replaced the rejects, want one", now-snapshots)
	}
	for n := range 2 {
		if rows := s.count("SELECT count(*) AS n FROM ~quarantine.fct_pos_line WHERE _batch_id = 'b" + day(n) + "'"); rows != 2 {
			t.Errorf("batch %d has %d rejects, want 2", n, rows)
		}
	}
}
