package snapshots_test

import (
	"strings"
	"testing"

	"sluice/gen"
	"sluice/runner"
)

func (s *sales) check(metadataOnly bool) runner.TableReport {
	s.Helper()
	p, err := gen.Check(s.contract, s.contract.Published()[0])
	if err != nil {
		s.Fatal(err)
	}
	r, err := runner.Check(s.Context(), s.lake.Session, p, runner.CheckOptions{MetadataOnly: metadataOnly, Migrate: "sluice migrate sales.odcs.yaml"})
	if err != nil {
		s.Fatal(err)
	}
	return r
}

func failed(r runner.TableReport) map[string]string {
	out := map[string]string{}
	for _, c := range r.Checks {
		if c.Result == "failed" && c.Code != "missing_source_column" {
			out[c.Rule] = c.Value
		}
	}
	return out
}

// A check judges main, whatever the audit branch holds; a reader goes by the
// property of the table.
func TestCheckAndReader(t *testing.T) {
	s := newSales(t, "property: publish", merged)
	if got := failed(s.check(false)); !strings.Contains(got["target_missing"], "the first run creates it") {
		t.Fatalf("without a table: %v", got)
	}
	s.bring("b1", "2026-09-01", "'S1', '1', '1.00', NULL, NULL", "'S2', '2', '2.25', 'gift', NULL")
	s.publish("b1", "2026-09-01")
	if r := s.check(false); r.Result != runner.TablePassed {
		t.Fatalf("a tidy table: %s, %+v", r.Result, r.Checks)
	}
	s.lake.Do("INSERT INTO ~gold.sales.branch_audit SELECT DATE '2026-09-09', 'S1', -1, 1.00, NULL, TIMESTAMP '2026-09-09 00:00:00'")
	if err := s.lake.Set(t.Context(), "spark.wap.branch", "audit"); err != nil {
		t.Fatal(err)
	}
	if r := s.check(false); r.Result != runner.TablePassed {
		t.Errorf("the branch is judged, not main: %v", failed(r))
	}
	if err := s.lake.Unset(t.Context(), "spark.wap.branch"); err != nil {
		t.Fatal(err)
	}
	s.lake.Do("INSERT INTO ~gold.sales SELECT DATE '2026-09-09', 'S1', -1, 1.00, NULL, TIMESTAMP '2026-09-09 00:00:00'")
	got := failed(s.check(false))
	if len(got) != 2 || got["minimum_pieces"] != "1" || got["primaryKey"] != "1" {
		t.Errorf("a stranger's row: %v", got)
	}

	pin, err := runner.CheckPin(t.Context(), s.lake.Session, s.plan, 1, false)
	if err != nil || !pin.OK || pin.Found != "1.0.0" {
		t.Errorf("%+v, %v", pin, err)
	}
	if pin, err = runner.CheckPin(t.Context(), s.lake.Session, s.plan, 2, false); err != nil || pin.OK {
		t.Errorf("%+v, %v", pin, err)
	}
	queries, err := gen.History(s.contract, s.contract.Published()[0], 20)
	if err != nil {
		t.Fatal(err)
	}
	written, err := runner.WrittenSnapshots(t.Context(), s.lake.Session, queries)
	if err != nil || len(written) != 1 || written[0].Batch != "b1" || written[0].Snapshot == "" {
		t.Errorf("%+v, %v", written, err)
	}
	guard, err := gen.EmitReader(s.contract, s.contract.Published()[0], gen.Reader{Major: 1, Columns: s.contract.Published()[0].Columns[:2]}, gen.ReaderSQL)
	if err != nil {
		t.Fatal(err)
	}
	for i, sql := range strings.Split(strings.TrimSpace(guard), ";\n\n") { // pasted, one after the other
		rows := s.lake.Rows(strings.TrimSuffix(sql, ";"))
		if i == 0 && (len(rows) != 1 || rows[0].Text("value") != "1.0.0") || i == 1 && len(rows) != 3 {
			t.Errorf("statement %d: %v", i, rows)
		}
	}
}
