package render_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sluice/cmd/internal/render"
	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/land"
	"sluice/runner/local"

	"github.com/google/go-cmp/cmp"
)

// golden compares got with a file; SLUICE_UPDATE=1 rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if os.Getenv("SLUICE_UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, d)
	}
}

func samplePlan() *plan.Plan {
	return &plan.Plan{
		Format: plan.Format, Contract: "sales-orders-silver", Version: "2.2.0", Table: "silver.orders", Mode: "merge",
		Tables: []plan.Table{
			{Role: plan.TargetTable, Name: "silver.orders", SQL: "`silver`.`orders`"},
			{Role: plan.QuarantineTable, Name: "quarantine.orders", SQL: "`quarantine`.`orders`"},
		},
		Params: []plan.Param{
			{Name: "batch_id", Type: plan.TextParam, Why: "the batch: --batch"},
			{Name: "run_id", Type: plan.TextParam, Why: "this attempt, fresh for each"},
			{Name: "failures", Type: plan.JSONParam, Why: "never left in this plan"},
		},
		Steps: []plan.Step{
			{
				Name: "guard_columns", Kind: plan.Guard, Why: "every table has the columns that the contract reads", OnFailure: plan.FailRun,
				Statements: []plan.Statement{{Name: "guard_columns", Use: plan.Describe, SQL: "SELECT * FROM `bronze`.`orders` LIMIT 0"}},
			},
			{
				Name: "settle_duplicates", Kind: plan.Settle, Why: "one version of each key is left", SkipIfZero: "repeated_keys", OnFailure: plan.FailRun,
				Statements: []plan.Statement{{Name: "settle_duplicates", Use: plan.Exec, SQL: "INSERT INTO v\nSELECT ':run_id', :run_id -- author's; comment"}},
			},
			{
				Name: "judge", Kind: plan.Judge, Why: "rules over the accepted rows\nDROP TABLE x", OnFailure: plan.FailRun,
				Checks: []plan.Check{
					{Code: "reject_ceiling", Rule: "ceiling", Kind: plan.CheckCeiling, Bounds: []string{"1"}, Severity: "error"},
					{Code: "audit_failed", Rule: "total_not_wild", Kind: plan.CheckValue, Statement: "judge_1", Op: "mustBeLessThan", Bounds: []string{"5"}, Severity: "warning"},
				},
			},
			{
				Name: "publish", Kind: plan.Publish, Why: "the rows that change something, in one commit", OnFailure: plan.FailPublish, SkipIfZero: "changing_rows",
				Settings:   []plan.Setting{{Key: "spark.databricks.delta.commitInfo.userMetadata", Value: "contract=2.2.0 id=a`b;-- batch=:batch_id run=:run_id"}},
				Statements: []plan.Statement{{Name: "publish", Use: plan.Exec, SQL: "MERGE INTO `silver`.`orders` …\n"}},
			},
		},
	}
}

func TestScript(t *testing.T) {
	var b bytes.Buffer
	render.Script(&b, samplePlan(), "contracts/sales/orders.odcs.yaml", "")
	golden(t, "script", b.String())
}

func TestStatements(t *testing.T) {
	one := []plan.Statement{{Name: "stage", SQL: "SELECT 1\n"}}
	var b bytes.Buffer
	render.Statements(&b, one)
	if b.String() != "SELECT 1\n" {
		t.Errorf("one statement is %q", b.String())
	}
	b.Reset()
	render.Statements(&b, append(one, plan.Statement{Name: "next", SQL: "SELECT 2 -- two"}))
	if want := "-- stage\nSELECT 1;\n\n-- next\nSELECT 2 -- two\n;\n"; b.String() != want {
		t.Errorf("two statements are %q, want %q", b.String(), want)
	}
}

func published() runner.Report {
	return runner.Report{
		Contract: "sales-orders-silver", Version: "2.2.0", Table: "silver.orders", Batch: "2026-08-01", Run: "00c0ffee00c0ffee", Attempt: 2,
		Result: runner.Published,
		Rows:   runner.Rows{Input: 1000, Accepted: 990, Rejected: 10},
		Reasons: map[string]int64{
			"duplicate_superseded": 7, "bad_amount": 2, "unknown_currency": 1,
		},
		Target: runner.Target{Inserted: 900, Updated: 60, Unchanged: 30},
		Checks: []runner.CheckResult{
			{Code: "empty_batch", Rule: "batch_not_empty", Result: "passed", Value: "1000", Bound: "> 0", Severity: "error"},
			{Code: "reject_ceiling", Rule: "reject_ceiling", Result: "passed", Value: "0.30 % (3 of 993)", Bound: "at most 1 %", Owner: "orders-oncall@example.com"},
			{Code: "audit_failed", Rule: "total_not_wild", Result: "warned", Value: "7", Bound: "< 5", Severity: "warning", Owner: "finance-data@example.com"},
		},
		Warnings: map[string]int64{"newest_rejected": 1, "total_not_wild": 1},
		Notes:    []string{"attempt 1 of 3 is discarded: another writer\x1b[31m"},
		Commit:   &runner.Commit{Version: 12, UserMetadata: "contract=2.2.0 id=sales-orders-silver batch=2026-08-01 run=00c0ffee00c0ffee"},
		Steps:    []runner.StepReport{{Name: "guard", Statements: 3, Seconds: 1.25}, {Name: "ensure", Skipped: true}, {Name: "stage", Statements: 2, Seconds: 4.5}},
	}
}

func TestSummary(t *testing.T) {
	refused := published()
	refused.Result, refused.Commit, refused.Target, refused.Attempt = runner.Refused, nil, runner.Target{}, 1
	refused.Rows.Refused = 960
	refused.Failures = []string{
		"reject_ceiling: rule reject_ceiling: 2.40 % (24 of 1000), allowed is at most 1 %; ask orders-oncall@example.com",
		"empty_batch: one\nmissing_source_column: two",
	}
	unstarted := runner.Report{Contract: "c", Version: "1.0.0", Table: "silver.orders", Batch: "b", Result: runner.Failed, Failures: []string{"connecting to sc://spark:15002: refused"}}
	unknown := published()
	unknown.Result, unknown.Commit = runner.Unknown, nil
	unknown.Failures = []string{"running step publish, statement publish: stream lost; the outcome is unknown, look for run=00c0ffee00c0ffee in DESCRIBE HISTORY silver.orders"}
	replay := runner.Report{
		Contract: "c", Version: "1.0.0", Table: "silver.orders", Batch: "b", Run: "r", Result: runner.Published,
		Rows: runner.Rows{Input: 5, Accepted: 5}, Target: runner.Target{Stale: 5},
	}
	owned := published()
	owned.Checks = slices.Clone(owned.Checks)
	for i := range owned.Checks {
		owned.Checks[i].Owner = "orders-oncall@example.com"
	}
	for name, report := range map[string]runner.Report{
		"published": published(), "refused": refused, "unstarted": unstarted, "unknown": unknown, "replay": replay, "one_owner": owned,
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			render.Summary(&b, report, samplePlan())
			golden(t, "summary_"+name, b.String())
		})
	}
}

func TestProgress(t *testing.T) {
	events := []runner.Event{
		{Step: "guard_columns", Why: "every table has the columns that the contract reads and more", State: "begin", Number: 1, Of: 28},
		{Step: "guard_columns", State: "end", Seconds: 0.31, Number: 1, Of: 28},
		{Step: "ensure_target", Why: "the table is there", State: "skip", Number: 2, Of: 28},
		{Step: "stage", Why: "every row, typed", State: "begin", Number: 3, Of: 28},
		{State: "note", Text: "two\nlines"},
		{Step: "stage", State: "end", Seconds: 123.4, Number: 3, Of: 28},
	}
	for name, terminal := range map[string]bool{"progress_log": false, "progress_terminal": true} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			p := render.NewProgress(&b, terminal, 0)
			for _, e := range events {
				p.Event(e)
			}
			golden(t, name, b.String())
		})
	}
}

func TestSmallForms(t *testing.T) {
	var b bytes.Buffer
	problems := []contracts.Problem{{Position: contracts.Position{File: "a.odcs.yaml", Line: 3, Column: 7}, ID: "unknown-key", Path: "schema.x", Text: "unknown key \"nmae\"\nsecond line"}}
	render.Problems(&b, problems)
	if err := render.JSON(&b, render.ProblemList(problems)); err != nil {
		t.Fatal(err)
	}
	if err := render.JSON(&b, render.ProblemList(nil)); err != nil {
		t.Fatal(err)
	}
	render.Landing(&b, land.Report{Table: "bronze.orders", Files: 2, Rows: 10, Malformed: 1, Replaced: 8, Added: []string{"new"}, Absent: []string{"old"}}, "b1")
	render.Landing(&b, land.Report{Table: "bronze.orders", Files: 1, Rows: 10, Replaced: 10, Same: true}, "b1")
	render.Servers(&b, nil)
	render.Servers(&b, []local.Server{{Spark: "4.1.3", Remote: "sc://localhost:1", PID: 7, Started: time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC), Log: "/log"}})
	render.Changes(&b, "sql", []render.Change{
		{Name: "orders/01_a.sql", New: "a\n", Created: true},
		{Name: "orders/02_b.sql", Old: "a\nb\n", New: "a\nc\n"},
		{Name: "orders/03_c.sql", Old: "c\n", Removed: true},
	})
	golden(t, "small", b.String())
}

// A line fits a narrow terminal: one that wraps shows the time of a step below it.
func TestProgressFits(t *testing.T) {
	for _, width := range []int{60, 80, 100, 120, 200} {
		var b bytes.Buffer
		p := render.NewProgress(&b, true, width)
		step := runner.Event{Number: 7, Of: 37, Step: "ensure_constraint_distance_minimum", Why: strings.Repeat("why ", 30)}
		for _, state := range []string{"begin", "end", "skip"} {
			step.State = state
			p.Event(step)
		}
		for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
			if n := utf8.RuneCountInString(line); n > width || width >= 105 && n != 105 {
				t.Errorf("in %d columns: %d of %q", width, n, line)
			}
		}
	}
}
