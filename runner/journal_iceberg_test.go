package runner_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest/fake"
)

// state is a snapshot that was committed at the second of its id.
func state(id, parent int64, operation, run string, edit ...func(runner.Row)) runner.Row {
	r := runner.Row{"snapshot_id": id, "committed_at": id * 1_000_000, "operation": operation, "changes_rows": true}
	if parent > 0 {
		r["parent_id"] = parent
	}
	if run != "" {
		r["user_metadata"] = "contract=2.1.0 id=c batch=b" + run[1:] + " run=" + run
	}
	for _, e := range edit {
		e(r)
	}
	return r
}

func main(r runner.Row)  { r["is_main"] = true }
func empty(r runner.Row) { r["changes_rows"] = false }

func pinned(by string) func(runner.Row) {
	return func(r runner.Row) { r["pin"] = by }
}

// loaded is a run that replaced a partition; merged is one that did not.
func loaded(run string, snapshot int64) runner.Row {
	r := runRow(run, int(snapshot))
	delete(r, "commit_version")
	r["snapshot_id"], r["partition"] = snapshot, "day=2026-09-01"
	return r
}

func merged(run string, snapshot int64) runner.Row {
	r := loaded(run, snapshot)
	delete(r, "partition")
	return r
}

func TestSnapshotJournal(t *testing.T) {
	for name, c := range map[string]struct {
		commits, runs []runner.Row
		replaces      bool
		want          string
		more          bool
	}{
		"the first snapshot, a day, a day again": {
			commits:  []runner.Row{state(5, 4, "append", "r5", main), state(4, 3, "overwrite", "r5"), state(3, 2, "append", "r3"), state(2, 1, "delete", ""), state(1, 0, "append", "", empty)},
			runs:     []runner.Row{loaded("r5", 5), loaded("r3", 3)},
			replaces: true, want: "r5 5 append; r3 3 append",
		},
		"no stamps": {
			commits: []runner.Row{state(3, 2, "append", "", main), state(2, 1, "delete", ""), state(1, 0, "append", "", empty)},
			runs:    []runner.Row{loaded("r3", 3)}, replaces: true, want: "r3 3 append",
		},
		"a stranger below and above a day": {
			commits: []runner.Row{state(6, 5, "overwrite", "", main), state(5, 4, "append", "r5"), state(4, 3, "delete", ""), state(3, 2, "delete", ""), state(2, 1, "append", "r2")},
			runs:    []runner.Row{loaded("r5", 5), loaded("r2", 2)}, replaces: true,
			want: "6 overwrite stray; r5 5 append; 3 delete stray; r2 2 append", more: true,
		},
		"a merge has no delete of its own": {
			commits: []runner.Row{state(3, 2, "append", "r3", main), state(2, 1, "delete", ""), state(1, 0, "append", "r1")},
			runs:    []runner.Row{merged("r3", 3), merged("r1", 1)}, want: "r3 3 append; 2 delete stray; r1 1 append",
		},
		"a compaction, a branch that nobody published": {
			commits: []runner.Row{state(4, 3, "append", "r4"), state(3, 2, "append", ""), state(2, 1, "replace", "", main), state(1, 0, "append", "r1")},
			runs:    []runner.Row{merged("r1", 1)}, want: "r1 1 append",
		},
		"a killed run, stamped": {
			commits: []runner.Row{state(3, 2, "append", "r3", main), state(2, 1, "delete", ""), state(1, 0, "append", "", empty)}, replaces: true, want: "r3 3 append unrecorded",
		},
		"a killed run, by its tag alone": {
			commits: []runner.Row{state(3, 2, "append", "", main, pinned("sluice/b7/r7")), state(2, 1, "delete", ""), state(1, 0, "append", "", empty)}, replaces: true, want: "r7 3 append unrecorded",
		},
		"a migration": {
			commits: []runner.Row{state(2, 1, "overwrite", "", main, func(r runner.Row) { r["user_metadata"] = "contract=2.2.0 id=c migration" }), state(1, 0, "append", "r1")},
			runs:    []runner.Row{merged("r1", 1)}, want: "2 overwrite; r1 1 append",
		},
		"somebody with our stamp": {
			commits: []runner.Row{state(2, 1, "append", "r1", main), state(1, 0, "append", "r1")},
			runs:    []runner.Row{merged("r1", 1)}, want: "r1 2 append stray; r1 1 append",
		},
		"rolled back, and made anew": {
			commits: []runner.Row{state(3, 1, "append", "r3", main), state(2, 1, "append", "r2"), state(1, 0, "append", "r1")},
			runs:    []runner.Row{merged("r3", 3), merged("r2", 2), merged("r1", 1), merged("r0", 77)}, want: "r0 77 lost; r3 3 append; r2 2 lost; r1 1 append",
		},
		"expired": {
			commits: []runner.Row{state(5, 4, "append", "r5", main), state(4, 3, "append", "r4")},
			runs:    []runner.Row{merged("r5", 5), merged("r4", 4), merged("r3", 3)}, want: "r5 5 append; r4 4 append; r3 3", more: true,
		},
	} {
		h := plan.History{Table: "gold.t", Snapshots: true, Replaces: c.replaces, Most: 100, Refresh: plan.Statement{SQL: "refresh"}, Commits: plan.Statement{SQL: "commits"}, Runs: plan.Statement{SQL: "runs :snapshots"}}
		s := &fake.Session{Answer: func(sql string) ([]runner.Row, error) {
			switch {
			case sql == "commits":
				return c.commits, nil
			case strings.HasPrefix(sql, "runs '"):
				return c.runs, nil
			default:
				return nil, nil
			}
		}}
		j, err := runner.ReadJournal(t.Context(), s, h, runner.JournalOptions{Entries: 20})
		if err != nil || j.More != c.more {
			t.Errorf("%s: more is %v, %v", name, j.More, err)
		}
		var out []string
		for _, e := range j.Entries {
			out = append(out, strings.Join(strings.Fields(strings.Join([]string{e.Run, e.Commit.Snapshot, e.Commit.Operation, string(e.Mark)}, " ")), " "))
		}
		if got := strings.Join(out, "; "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// Snapshot ids are texts in JSON: many readers hold numbers as doubles.
func TestTableCommitJSON(t *testing.T) {
	for want, c := range map[string]runner.TableCommit{
		`{"operation":"append","snapshot":"9223372036854775807","userMetadata":""}`: {Snapshot: "9223372036854775807", Operation: "append"},
		`{"operation":"MERGE","userMetadata":"x","version":0}`:                      {Operation: "MERGE", UserMetadata: "x"},
	} {
		if got, err := json.Marshal(c); err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
