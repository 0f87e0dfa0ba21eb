package runnertest_test

import (
	"testing"

	"sluice/runner"
	"sluice/runner/runnertest"
)

// A typed source gives its nested values to the digit, its rows break the same
// promises, and maps are the same by their entries, to the microsecond, in any order. constraint: batch leaves NOT NULL off the table: rows are
// rejected, but another writer is not held to it.
func TestTypedSource(t *testing.T) {
	lake := runnertest.Spark(t)
	_, p := lake.Plan("testdata/rules/typed.odcs.yaml")
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do(`CREATE TABLE ~bronze.typed (
  id BIGINT, changed_at TIMESTAMP, owner STRING,
  line STRUCT<at: TIMESTAMP, local: TIMESTAMP_NTZ, price: DECIMAL(18,4), weight: DOUBLE, day: DATE>,
  tags ARRAY<STRING>, counts MAP<STRING, BIGINT>, seen MAP<STRING, TIMESTAMP>, _batch_id STRING, _loaded_at TIMESTAMP) USING delta`)
	lake.Do(`INSERT INTO ~bronze.typed
SELECT id, TIMESTAMP '2026-03-01 08:00:00Z', owner, line, tags, counts, seen, 'b1', TIMESTAMP '2026-03-01 12:00:00Z'
FROM VALUES
  (1, 'a', named_struct('at', TIMESTAMP '2026-03-01 08:00:00.123456Z', 'local', TIMESTAMP_NTZ '2026-03-01 08:00:00.123456', 'price', 12345678901234.5678BD, 'weight', 0.1D, 'day', DATE '2026-03-01'), array('x', NULL), map('k', 9223372036854775807L), NULL),
  (2, 'a', NULL, NULL, NULL, NULL),
  (3, 'a', named_struct('at', NULL, 'local', NULL, 'price', -0.0001BD, 'weight', NULL, 'day', NULL), array(), map(), NULL),
  (4, 'a', NULL, array('x', 'y', 'z'), NULL, NULL),
  (5, NULL, NULL, NULL, NULL, NULL),
  (6, 'a', named_struct('at', NULL, 'local', NULL, 'price', NULL, 'weight', double('NaN'), 'day', NULL), NULL, NULL, NULL),
  (8, 'a', NULL, NULL, NULL, map('k', TIMESTAMP '2026-03-01 08:00:00.123456Z')),
  (8, 'a', NULL, NULL, NULL, map('k', TIMESTAMP '2026-03-01 08:00:00.123457Z')),
  (9, 'a', NULL, NULL, map('a', 1L, 'b', 2L), NULL),
  (9, 'a', NULL, NULL, map('b', 2L, 'a', 1L), NULL)
  AS rows (id, owner, line, tags, counts, seen)`)
	r := lake.Run(p, runner.Options{Batch: "b1"})
	if r.Result != runner.Published || r.Rows.Accepted != 3 {
		t.Fatalf("%s, rows %+v, %v", r.Result, r.Rows, r.Failures)
	}
	wantReasons(t, r, map[string]int64{"minimum_line_price": 1, "max_items_tags": 1, "missing_owner": 1, "bad_line": 1, "ambiguous_duplicate": 2, "duplicate_superseded": 1})
	got := lake.Rows("SELECT CAST(line AS STRING) AS line, CAST(tags AS STRING) AS tags, CAST(counts AS STRING) AS counts FROM ~silver.typed WHERE id = 1")[0]
	for column, want := range map[string]string{
		"line": "{2026-03-01 08:00:00.123456, 2026-03-01 08:00:00.123456, 12345678901234.5678, 0.1, 2026-03-01}", "tags": "[x, null]", "counts": "{k -> 9223372036854775807}",
	} {
		if got.Text(column) != want {
			t.Errorf("%s is %s, want %s", column, got.Text(column), want)
		}
	}
	again := lake.Run(p, runner.Options{Batch: "b1"})
	if again.Commit != nil || again.Target.Unchanged != 3 {
		t.Errorf("replay: commit %v, target %+v, %v", again.Commit, again.Target, again.Failures)
	}
	lake.Do("INSERT INTO ~silver.typed (id, changed_at) VALUES (7, TIMESTAMP '2026-03-01 08:00:00Z')")
}
