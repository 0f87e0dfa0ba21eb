package runner_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest/fake"
)

func headRow(name, kind string, snapshot int64, onMain bool) runner.Row {
	return runner.Row{"name": name, "type": kind, "snapshot_id": snapshot, "committed_at": int64(1767225600_000000), "operation": "append", "records": int64(7), "on_main": onMain}
}

var headQueries = plan.Heads{
	Table: "gold.t", Branch: "audit", Refresh: plan.Statement{SQL: "refresh"}, Properties: plan.Statement{SQL: "properties"},
	Heads: plan.Statement{SQL: "heads"}, Runs: plan.Statement{SQL: "runs"},
}

// What names the run of a snapshot is said; what nothing names is said as well.
func TestRefs(t *testing.T) {
	stamped := headRow("main", "BRANCH", 9223372036854775807, true)
	stamped["user_metadata"] = "contract=2.1.0 id=c batch=b9 run=r9"
	moved := headRow("before", "BRANCH", 7, false)
	moved["user_metadata"] = "contract=2.0.0 id=c migration"
	compacted := headRow("backup", "TAG", 5, true)
	compacted["operation"], compacted["records"] = "replace", nil
	answers := map[string][]runner.Row{
		"heads": {
			stamped, moved, headRow("audit", "BRANCH", 8, false), headRow("old", "BRANCH", 6, true), compacted,
			headRow("sluice/b3/r3", "TAG", 4, false), headRow("sluice/b2/r2", "TAG", 3, true), headRow("sluice/b1/r1", "TAG", 2, true), headRow("sluice/b1", "TAG", 1, true),
		},
		"properties": {{"key": "contract.commit", "value": "snapshot=6 contract=2.0.0 id=c batch=b6 run=r6"}},
		"runs": {
			{"snapshot_id": int64(2), "contract_version": "1.1.0", "batch_id": "b1", "run_id": "r1"},
			{"snapshot_id": int64(2), "contract_version": "1.0.0", "batch_id": "b0", "run_id": "r0"},
		},
	}
	s := &fake.Session{Answer: func(sql string) ([]runner.Row, error) { return answers[sql], nil }}
	found, err := runner.ReadRefs(t.Context(), s, headQueries)
	if err != nil || s.Calls()[0] != "refresh" {
		t.Fatalf("%v, %v", err, s.Calls())
	}
	want := []string{
		"main branch 9223372036854775807 b9 2.1.0 stamp: what readers see",
		"before branch 7  2.0.0 : a migration wrote it",
		"audit branch 8   : not published: refused, stopped or going on; the next run replaces it; no stamp, audit row or property names its run",
		"old branch 6 b6 2.0.0 property: ",
		"backup tag 5   : a compaction wrote it",
		"sluice/b3/r3 tag 4 b3  tag: of a run that was killed before it published, or goes on; the next run of batch b3 drops it",
		"sluice/b2/r2 tag 3 b2  tag: of a run that was killed: published, not recorded; run batch b2 again, which records it",
		"sluice/b1/r1 tag 2 b1 1.1.0 audit_log: of a run that is recorded; its tag stayed, and expires by itself",
		"sluice/b1 tag 1   : no stamp, audit row or property names its run",
	}
	for i, h := range found.Heads {
		if got := strings.Join([]string{h.Name, h.Type, h.Snapshot, h.Batch, h.Contract, string(h.Source) + ":", h.Remark}, " "); i >= len(want) || got != want[i] {
			t.Errorf("head %d: %q", i, got)
		}
	}
	if *found.Heads[0].Rows != 7 || found.Heads[4].Rows != nil || found.Heads[0].Committed != "2026-01-01T00:00:00Z" {
		t.Errorf("%+v", found.Heads)
	}
}

// A table without an audit log has heads all the same; one that is not there has none.
func TestRefsWithoutLog(t *testing.T) {
	for broken, err := range map[string]error{"runs": &runner.StatementError{Class: "TABLE_OR_VIEW_NOT_FOUND"}, "heads": errors.New("gone"), "refresh": errors.New("gone"), "properties": errors.New("gone")} {
		s := &fake.Session{Answer: func(sql string) ([]runner.Row, error) {
			switch {
			case sql == broken:
				return nil, err
			case sql == "heads":
				return []runner.Row{headRow("main", "BRANCH", 1, true)}, nil
			}
			return nil, nil
		}}
		found, err := runner.ReadRefs(t.Context(), s, headQueries)
		if broken == "runs" != (err == nil) || err == nil && len(found.Heads) != 1 {
			t.Errorf("%s: %+v, %v", broken, found, err)
		}
	}
}
