package runnertest_test

import (
	"strings"
	"testing"

	"sluice/runner"
	"sluice/runner/runnertest"
)

const parcelColumns = "parcel_id, changed_at, amount, state, note, weight, old_code, box, attributes"

// parcels puts rows into bronze as text; each is the VALUES list of parcelColumns.
func parcels(lake *runnertest.Lake, batch string, rows ...string) {
	for i := range rows {
		rows[i] = "(" + rows[i] + ", '" + batch + "', TIMESTAMP '2026-03-01 12:00:00Z')"
	}
	lake.Do("INSERT INTO ~bronze.parcels (" + parcelColumns + ", _batch_id, _loaded_at) VALUES " + strings.Join(rows, ", "))
}

func results(r runner.Report) map[string]string {
	out := map[string]string{}
	for _, c := range r.Checks {
		out[c.Rule] = c.Result + ": " + c.Value
	}
	return out
}

func wantResults(t *testing.T, r runner.Report, want map[string]string) {
	t.Helper()
	got := results(r)
	for rule, result := range want {
		if !strings.HasPrefix(got[rule], result) {
			t.Errorf("batch %s, rule %s: %q, want %q", r.Batch, rule, got[rule], result)
		}
	}
}

// Every kind of batch rule says what it counted; nested columns are typed,
// merged, compared on a replay and held to their own promises.
func TestRules(t *testing.T) {
	lake := runnertest.Spark(t)
	_, p := lake.Plan("testdata/rules/parcels.odcs.yaml")
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE TABLE ~bronze.parcels (" + strings.ReplaceAll(parcelColumns, ",", " STRING,") + " STRING, _batch_id STRING, _loaded_at TIMESTAMP) USING delta")
	parcels(lake, "b1",
		`'p1', '2026-03-01 08:00:00', '10.00', 'open', 'a', '5', NULL, '{"width": 10, "labels": ["x"]}', '{"a": "1", "b": "2"}'`,
		`'p2', '2026-03-01 08:00:00', '2000', 'open', 'b', '5', NULL, NULL, NULL`,
		`'p3', '2026-03-01 08:00:00', '2000', 'done', 'c', '500', NULL, '{"width": 10}', '{}'`,
		`'p4', '2026-03-01 08:00:00', '1', '?', NULL, NULL, NULL, '{"width": 0}', '{}'`,
		`'p5', '2026-03-01 08:00:00', '1', '?', NULL, '7', 'old', '{"labels": ["fragile"]}', '{}'`,
		`'p6', '2026-03-01 08:00:00', '1', 'open', 'd', '8', 'old', '{"width": 500}', 'x'`,
		`'p7', '2026-03-01 08:00:00', '1', 'OTHER', NULL, '9', NULL, '[]', '{}'`,
	)
	first := lake.Run(p, runner.Options{Batch: "b1"})
	if first.Result != runner.Published {
		t.Fatalf("%s: %v", first.Result, first.Failures)
	}
	wantReasons(t, first, map[string]int64{"too_expensive": 1, "minimum_box_width": 1, "missing_box_width": 1, "bad_attributes": 1, "bad_box": 1})
	wantResults(t, first, map[string]string{
		"state_known": "passed: 0", "state_valid": "passed: 0", "state_lower": "passed: 0.00 % (0 of 2)", "state_text": "passed: open",
		"note_given": "passed: 0.00 % (0 of 2)", "note_once": "passed: 0", "weight_positive": "passed: 0", "light": "warned: 1",
		"pair_once": "passed: 0", "not_negative": "passed: 0", "table_filled": "failed: 2", "table_unique": "passed: 0",
		"table_states": "passed: 2", "table_cheap": "failed: 2", "freshness_changed_at": "warned: ",
	})
	if first.Warnings["deprecated"] != 1 || !strings.Contains(strings.Join(first.Notes, "\n"), `"old_code" ends on 2020-01-31`) {
		t.Errorf("warnings %v, notes %q: the end of life is not told", first.Warnings, first.Notes)
	}
	nestedReplay(t, lake, first)
	tableConstraint(t, lake)
	refusedByRules(t, lake)
}

func wantReasons(t *testing.T, r runner.Report, want map[string]int64) {
	t.Helper()
	for code, n := range want {
		if r.Reasons[code] != n {
			t.Errorf("batch %s: %d rows of %s, want %d; all: %v", r.Batch, r.Reasons[code], code, n, r.Reasons)
		}
	}
}

// nestedReplay: the same rows change nothing, a map in another order of keys is
// another text only in bronze, and other content at the same time is ambiguous.
func nestedReplay(t *testing.T, lake *runnertest.Lake, first runner.Report) {
	t.Helper()
	_, p := lake.Plan("testdata/rules/parcels.odcs.yaml")
	again := lake.Run(p, runner.Options{Batch: "b1"})
	if again.Commit != nil || again.Target.Unchanged != 2 || again.Rows.Rejected != first.Rows.Rejected {
		t.Errorf("replay: commit %v, target %+v, rows %+v", again.Commit, again.Target, again.Rows)
	}
	row := lake.Rows("SELECT box.width AS width, box.labels[0] AS label, attributes['b'] AS b, typeof(box) AS box FROM ~silver.parcels WHERE parcel_id = 'p1'")
	if len(row) != 1 || row[0].Text("label") != "x" || row[0].Text("b") != "2" || row[0].Text("box") != "struct<width:int,labels:array<string>>" {
		t.Errorf("published %v", row)
	}
	parcels(lake, "b2",
		`'p1', '2026-03-01 08:00:00', '10.00', 'open', 'a', '5', NULL, '{"width": 10, "labels": ["x"]}', '{"a": "1", "b": "3"}'`,
		`'p3', '2026-03-02 08:00:00', '2000', 'done', 'c', '50', NULL, '{"width": 11}', '{}'`,
	)
	second := lake.Run(p, runner.Options{Batch: "b2"})
	wantReasons(t, second, map[string]int64{"ambiguous_duplicate": 1})
	if second.Target.Updated != 1 {
		t.Errorf("b2: %s, target %+v, %v", second.Result, second.Target, second.Failures)
	}
}

// tableConstraint: a row expression with constraint: table holds every writer.
func tableConstraint(t *testing.T, lake *runnertest.Lake) {
	t.Helper()
	insert := lake.Names("INSERT INTO ~silver.parcels (parcel_id, changed_at, amount, state) VALUES ('p8', TIMESTAMP '2026-03-01 08:00:00Z', ")
	if err := lake.Exec(t.Context(), insert+"5000, 'open')"); err == nil || !strings.Contains(err.Error(), "row_affordable") {
		t.Errorf("another writer may break the constraint: %v", err)
	}
	if err := lake.Exec(t.Context(), insert+"5000, 'done')"); err != nil {
		t.Errorf("another writer may not keep the constraint: %v", err)
	}
	lake.Do("DELETE FROM ~silver.parcels WHERE parcel_id = 'p8'")
}

func refusedByRules(t *testing.T, lake *runnertest.Lake) {
	t.Helper()
	_, p := lake.Plan("testdata/rules/parcels.odcs.yaml")
	parcels(lake, "b3",
		`'p10', '2026-03-03 08:00:00', '-1', 'OTHER', NULL, '-5', NULL, NULL, NULL`,
		`'p11', '2026-03-03 08:00:00', '1', 'odd', NULL, '-5', NULL, NULL, NULL`,
		`'p12', '2026-03-03 08:00:00', '1', '-', 'x', '1', NULL, NULL, NULL`,
		`'p13', '2026-03-03 08:00:00', '1', 'zz', 'x', '1', NULL, NULL, NULL`,
		`'p14', '2026-03-03 08:00:00', '1', 'zz', 'y', '1', NULL, NULL, NULL`,
		`'p15', '2026-03-03 08:00:00', '1', 'zz', 'y', '1', NULL, NULL, NULL`,
	)
	third := lake.Run(p, runner.Options{Batch: "b3"})
	if third.Result != runner.Refused || third.Rows.Refused != 6 {
		t.Errorf("b3: %s, rows %+v, %v", third.Result, third.Rows, third.Failures)
	}
	wantResults(t, third, map[string]string{
		"state_known": "warned: 1", "state_valid": "failed: 6", "state_lower": "passed: 33.33 % (2 of 6)", "state_text": "failed: zz",
		"note_given": "passed: 33.33 % (2 of 6)", "note_once": "failed: 2", "weight_positive": "failed: 2", "light": "passed: 0",
		"pair_once": "passed: 1", "not_negative": "failed: 1",
	})
	for _, c := range third.Checks {
		if strings.HasPrefix(c.Rule, "table_") || c.Code == "freshness" {
			t.Errorf("rule %s over the table was judged, although nothing was published", c.Rule)
		}
	}
}
