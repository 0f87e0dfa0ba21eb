package runnertest_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/runner"
	"sluice/runner/runnertest"
)

// A typed source gives its nested values to the digit, its rows break the same
// promises, and maps are the same by their entries, to the microsecond, in any order. constraint: batch leaves NOT NULL off the table: rows are
// rejected, but another writer is not held to it.
func TestTypedSource(t *testing.T) {
	t.Parallel()
	lake := runnertest.Spark(t)
	c, p := lake.Plan("testdata/rules/typed.odcs.yaml")
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do(`CREATE TABLE ~bronze.typed (
  id BIGINT, changed_at TIMESTAMP, owner STRING,
  line STRUCT<at: TIMESTAMP, local: TIMESTAMP_NTZ, price: DECIMAL(18,4), weight: DOUBLE, day: DATE>,
  tags ARRAY<STRING>, counts MAP<STRING, BIGINT>, seen MAP<STRING, TIMESTAMP>,
  payload BINARY, seal BINARY, loose BINARY, code STRING, written STRING, parts ARRAY<STRUCT<data: BINARY>>, _batch_id STRING, _loaded_at TIMESTAMP) USING delta`)
	lake.Do(`INSERT INTO ~bronze.typed (id, changed_at, owner, line, tags, counts, seen, _batch_id, _loaded_at)
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
	typedBytes(lake)
	r := lake.Run(p, runner.Options{Batch: "b1"})
	if r.Result != runner.Published || r.Rows.Accepted != 7 {
		t.Fatalf("%s, rows %+v, %v", r.Result, r.Rows, r.Failures)
	}
	wantReasons(t, r, map[string]int64{"minimum_line_price": 1, "max_items_tags": 1, "missing_owner": 1, "bad_line": 1, "ambiguous_duplicate": 6, "duplicate_superseded": 2,
		"max_length_payload": 1, "bad_written": 1, "min_length_parts_item_data": 1})
	sameVerdicts(t, lake, c, p, "b1", r)
	publishedBytes(t, lake)
	got := lake.Rows("SELECT CAST(line AS STRING) AS line, CAST(tags AS STRING) AS tags, CAST(counts AS STRING) AS counts FROM ~silver.typed WHERE id = 1")[0]
	for column, want := range map[string]string{
		"line": "{2026-03-01 08:00:00.123456, 2026-03-01 08:00:00.123456, 12345678901234.5678, 0.1, 2026-03-01}", "tags": "[x, null]", "counts": "{k -> 9223372036854775807}",
	} {
		if got.Text(column) != want {
			t.Errorf("%s is %s, want %s", column, got.Text(column), want)
		}
	}
	again := lake.Run(p, runner.Options{Batch: "b1"})
	if again.Commit != nil || again.Target.Unchanged != 7 {
		t.Errorf("replay: commit %v, target %+v, %v", again.Commit, again.Target, again.Failures)
	}
	lake.Do("INSERT INTO ~silver.typed (id, changed_at) VALUES (7, TIMESTAMP '2026-03-01 08:00:00Z')")
}

// typedBytes are rows with bytes: as they are, as text, in a list. Those of one
// id tie at one change time.
func typedBytes(lake *runnertest.Lake) {
	lake.Do(`INSERT INTO ~bronze.typed (id, changed_at, owner, payload, seal, loose, code, written, parts, _batch_id, _loaded_at)
SELECT id, TIMESTAMP '2026-03-01 08:00:00Z', 'a', payload, seal, loose, code, written, parts, 'b1', TIMESTAMP '2026-03-01 12:00:00Z'
FROM VALUES
  (20, X'00FF80C3', X'00FF80C3', X'00FF80C3', '00ff', 'aGk=', array(named_struct('data', X'FF'), named_struct('data', NULL))),
  (21, CAST(repeat('a', 100) AS BINARY), CAST(repeat('a', 1000) AS BINARY), X'', 'x', NULL, NULL),
  (22, X'', X'20', X'20', NULL, NULL, array()),
  (23, CAST(repeat('a', 101) AS BINARY), NULL, NULL, NULL, NULL, NULL),
  (24, NULL, NULL, NULL, NULL, 'aGk', NULL),
  (25, NULL, NULL, NULL, NULL, NULL, array(named_struct('data', X''))),
  (26, X'01', NULL, NULL, NULL, NULL, NULL),
  (26, X'02', NULL, NULL, NULL, NULL, NULL),
  (27, X'01', NULL, NULL, NULL, NULL, NULL),
  (27, NULL, NULL, NULL, NULL, NULL, NULL),
  (28, X'01', NULL, NULL, NULL, NULL, array(named_struct('data', X'01'))),
  (28, X'01', NULL, NULL, NULL, NULL, array(named_struct('data', X'01')))
  AS rows (id, payload, seal, loose, code, written, parts)`)
}

// publishedBytes: no byte is lost on the way, whatever its text; bytes of length
// zero are missing as empty text is. Quarantine shows base64.
func publishedBytes(t *testing.T, lake *runnertest.Lake) {
	t.Helper()
	var got []string
	for _, r := range lake.Rows(`SELECT concat_ws('|', id, hex(payload), hex(seal), hex(loose), hex(digest), hex(written), array_join(transform(parts, p -> coalesce(hex(p.data), '-')), ',')) AS line
FROM ~silver.typed WHERE id >= 20 ORDER BY id`) {
		got = append(got, r.Text("line"))
	}
	want := []string{
		"20|00FF80C3|00FF80C3|00FF80C3|00FF|6869|FF,-",
		"21|" + strings.Repeat("61", 100) + "|" + strings.Repeat("61", 1000),
		"22|20|20|",
		"28|01|01",
	}
	if !slices.Equal(got, want) {
		t.Errorf("published %q, want %q", got, want)
	}
	raw := lake.Rows("SELECT array_join(array_sort(collect_list(coalesce(raw_payload, '-'))), ' ') AS raw FROM ~quarantine.typed WHERE id IN ('26', '27')")[0].Text("raw")
	if raw != "- AQ== AQ== Ag==" {
		t.Errorf("quarantine shows the bytes as %q", raw)
	}
}
