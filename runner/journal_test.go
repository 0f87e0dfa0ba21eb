package runner_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest/fake"
)

func commitRow(version int, operation, run string) runner.Row {
	r := runner.Row{"version": int64(version), "operation": operation, "timestamp": int64(version) * 1_000_000}
	if run != "" {
		r["userMetadata"] = "contract=2.1.0 id=c batch=b" + run[1:] + " run=" + run
	}
	return r
}

// runRow is a run that ended half a second after its commit; no commit is -1.
func runRow(run string, commit int) runner.Row {
	r := runner.Row{
		"batch_id": "b" + run[1:], "run_id": run, "contract_version": "2.1.0", "ended_at": int64(commit)*1_000_000 + 500_000,
		"input_rows": int64(10), "accepted_rows": int64(9), "rejected_rows": int64(1), "refused_rows": int64(0), "published": true, "recovered": false,
	}
	if commit >= 0 {
		r["commit_version"] = int64(commit)
	}
	return r
}

func TestJournal(t *testing.T) {
	h := plan.History{Table: "silver.t", Most: 100, Commits: plan.Statement{SQL: "commits"}, Runs: plan.Statement{SQL: "runs :runs"}}
	commits := []runner.Row{
		commitRow(12, "MERGE", "r12"), commitRow(13, "DROP COLUMNS", ""), commitRow(11, "OPTIMIZE", ""), commitRow(10, "WRITE", "r9"), commitRow(9, "MERGE", "r9"),
		commitRow(8, "SET TBLPROPERTIES", ""), commitRow(7, "UPDATE", ""), commitRow(6, "MERGE", "r6"),
		commitRow(5, "WRITE", "r5"), commitRow(4, "MERGE", "r5"), // of a script that recorded no version
	}
	runs := []runner.Row{runRow("r9", 9), runRow("r6", 6), runRow("r7", 7), runRow("r2", 2), runRow("r0", -1), runRow("r5", -1)}
	s := &fake.Session{Answer: func(sql string) ([]runner.Row, error) {
		if sql == "commits" {
			return commits, nil
		}
		return runs, nil
	}}
	told := func(o runner.JournalOptions) string {
		j, err := runner.ReadJournal(t.Context(), s, h, o)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, e := range j.Entries {
			commit := "-"
			if e.Commit != nil {
				commit = strings.TrimSpace(fmt.Sprint(e.Commit.Version, " ", e.Commit.Operation))
			}
			out = append(out, strings.TrimSpace(e.Run+" "+commit+" "+string(e.Mark)))
		}
		return strings.Join(out, "; ")
	}
	want := "r12 12 MERGE unrecorded; r9 10 WRITE stray; r9 9 MERGE; r7 7 lost; 7 UPDATE stray; r6 6 MERGE; r5 5 WRITE stray; r2 2; r0 -; r5 4 MERGE"
	if got := told(runner.JournalOptions{Entries: 20}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := told(runner.JournalOptions{Entries: 20, Quiet: true}); !strings.Contains(got, "11 OPTIMIZE; ") || !strings.Contains(got, "; 8 SET TBLPROPERTIES; ") {
		t.Errorf("quiet commits are not shown: %s", got)
	}
	if got := told(runner.JournalOptions{Entries: 2}); got != "r12 12 MERGE unrecorded; r9 10 WRITE stray" {
		t.Errorf("two entries are %s", got)
	}
	if !s.Called("runs 'r12', 'r9', 'r6', 'r5'") {
		t.Errorf("the runs of the commits are not asked for: %v", s.Calls())
	}
}

// A table that sluice never wrote has no audit log; all its writers are strays.
func TestJournalWithoutLog(t *testing.T) {
	h := plan.History{Table: "silver.t", Most: 1, Commits: plan.Statement{SQL: "commits"}, Runs: plan.Statement{SQL: "runs :runs"}}
	s := &fake.Session{Answer: func(sql string) ([]runner.Row, error) {
		if sql == "commits" {
			return []runner.Row{commitRow(3, "CREATE TABLE AS SELECT", "")}, nil
		}
		return nil, &runner.StatementError{Class: "TABLE_OR_VIEW_NOT_FOUND"}
	}}
	j, err := runner.ReadJournal(t.Context(), s, h, runner.JournalOptions{Entries: 5})
	if err != nil || len(j.Entries) != 1 || j.Entries[0].Mark != runner.Stray || j.Entries[0].When != "1970-01-01T00:00:03Z" || !j.More {
		t.Errorf("%+v, %v", j, err)
	}
	if !s.Called("runs ''") {
		t.Errorf("calls %v", s.Calls())
	}
}
