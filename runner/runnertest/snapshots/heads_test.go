package snapshots_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
)

// told are the entries of the history, newest first: batch or -, operation, mark.
func (s *sales) told(quiet bool) string {
	s.Helper()
	queries, err := gen.History(s.contract, s.contract.Published()[0], 20)
	if err != nil {
		s.Fatal(err)
	}
	j, err := runner.ReadJournal(s.Context(), s.lake.Session, queries, runner.JournalOptions{Entries: 20, Quiet: quiet})
	if err != nil {
		s.Fatal(err)
	}
	var out []string
	for _, e := range j.Entries {
		operation := "none"
		if e.Commit != nil {
			operation = e.Commit.Operation
		}
		out = append(out, strings.Join(strings.Fields(e.Batch+" "+operation+" "+string(e.Mark)), " "))
	}
	return strings.Join(out, "; ")
}

// heads are the references: name, type, rows, batch, contract, what says so.
func (s *sales) heads() (told string, all []runner.Ref) {
	s.Helper()
	queries, err := gen.Heads(s.contract, s.contract.Published()[0])
	if err != nil {
		s.Fatal(err)
	}
	found, err := runner.ReadRefs(s.Context(), s.lake.Session, queries)
	if err != nil {
		s.Fatal(err)
	}
	var out []string
	for _, h := range found.Heads {
		out = append(out, fmt.Sprintf("%s %s %d %s %s", strings.Split(h.Name, "/")[0], h.Type, *h.Rows, h.Batch, h.Contract))
	}
	return strings.Join(out, "; "), found.Heads
}

func (s *sales) expect(what, got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

// from is what says which run wrote a snapshot that is recorded.
func (s *sales) from() runner.RefSource {
	if s.stamps() {
		return runner.FromStamp
	}
	return runner.FromAuditLog
}

// A day is two snapshots, and a table begins with an empty one: none of them is a
// stray. What others write on main is; what they write on a branch, and what a
// compaction writes, is not. A killed run is known by its tag.
func TestHeadsAndHistory(t *testing.T) {
	s := newSales(t)
	s.bring("b1", "2026-09-01", "'S1', '1', '1.00', NULL, NULL", "'S2', '2', '2.00', NULL, NULL")
	s.publish("b1", "2026-09-01")
	s.publish("b1", "2026-09-01")
	s.expect("history of a replayed day", s.told(false), "b1 append; b1 append")
	s.expect("with what changes no row", s.told(true), "b1 append; b1 append; append")
	told, heads := s.heads()
	s.expect("heads", told, "main branch 2 b1 1.0.0; audit branch 2 b1 1.0.0")
	if heads[0].Source != s.from() || heads[0].Remark != "what readers see" || heads[1].Remark != "published" || heads[0].Committed < "2026" {
		t.Errorf("heads %+v", heads)
	}

	s.bring("b2", "2026-09-02", "'S3', '0', '1.00', NULL, NULL", "'S4', '1', '1.00', NULL, NULL")
	s.publish("b2", "2026-09-02")
	s.lake.Do("DELETE FROM ~gold.sales WHERE day = DATE '2026-09-02'") // somebody
	s.publish("b1", "2026-09-01")
	s.expect("a stranger's DELETE below a day", s.told(false), "b1 append; delete stray; b2 append; b1 append; b1 append")

	s.kill("b2", "2026-09-02")
	unrecorded := "b2 append unrecorded; b1 append; delete stray; b2 append; b1 append; b1 append"
	s.expect("a run that was killed", s.told(false), unrecorded)
	told, heads = s.heads()
	if want := "main branch 3 b2 1.0.0; audit branch 3 b2 1.0.0; sluice tag 3 b2 1.0.0"; s.stamps() {
		s.expect("its tag", told, want)
	} else {
		s.expect("its tag", told, "main branch 3 b2 ; audit branch 3 b2 ; sluice tag 3 b2 ")
	}
	if !strings.Contains(heads[2].Remark, "published, not recorded; run batch b2 again") {
		t.Errorf("the tag: %+v", heads[2])
	}
	s.publish("b2", "2026-09-02")
	if told, heads = s.heads(); len(heads) != 2 {
		t.Errorf("the tag stays: %s", told)
	}
	s.expect("recovered", s.told(false), strings.Replace("b2 append; "+unrecorded, " unrecorded", "", 1))
	s.strangers()
}

// strangers: on the branch, on main, by a compaction; then main is taken back.
func (s *sales) strangers() {
	s.Helper()
	before := s.told(false)
	s.lake.Do("INSERT INTO ~gold.sales.branch_audit SELECT DATE '2026-09-09', 'X1', 1, 1.00, NULL, TIMESTAMP '2026-09-09 00:00:00'")
	s.expect("a stranger on the branch", s.told(false), before)
	_, heads := s.heads()
	if h := heads[1]; h.Name != "audit" || !strings.HasPrefix(h.Remark, "not published") || h.Source != runner.FromNothing {
		s.Errorf("the branch of a stranger: %+v", h)
	}
	s.lake.Do("CALL lake.system.rewrite_data_files(table => '~gold.sales', options => map('rewrite-all', 'true'))")
	s.expect("a compaction", s.told(false), before)
	if _, heads = s.heads(); !strings.Contains(heads[0].Remark, "a compaction wrote it") {
		s.Errorf("main after a compaction: %+v", heads[0])
	}
	s.lake.Do("INSERT INTO ~gold.sales SELECT DATE '2026-09-09', 'X1', 1, 1.00, NULL, TIMESTAMP '2026-09-09 00:00:00'")
	s.expect("a stranger on main", s.told(false), "append stray; "+before)
	first := s.lake.Rows("SELECT CAST(min_by(snapshot_id, committed_at) AS STRING) AS id FROM ~gold.sales.snapshots")[0].Text("id")
	s.lake.Do("CALL lake.system.rollback_to_snapshot('~gold.sales', " + first + ")")
	if told := s.told(false); strings.Count(told, "lost") != 6 || strings.Contains(told, "stray") {
		s.Errorf("after a rollback: %s", told)
	}
}

// kill ends a run when main has moved and nothing is recorded.
func (s *sales) kill(batch, day string) {
	s.Helper()
	o := runner.Options{Batch: batch, Partition: map[string]string{"day": day}, AfterStatement: func(st plan.Statement) error {
		if st.Name == "publish_proof" {
			return errors.New("killed")
		}
		return nil
	}}
	if r := s.lake.Run(s.plan, o); r.Result != runner.Unknown {
		s.Fatalf("the run that is killed: %s, %v", r.Result, r.Failures)
	}
}
