package change_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// tighter is a version of the window's contract with a rule on note, which is for
// few eyes in it, a required channel and a lower ceiling.
func tighter(t *testing.T, lake *runnertest.Lake, replace ...string) (gen.Version, *plan.Plan) {
	t.Helper()
	const path = "testdata/window/orders_2.1.odcs.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, p := lake.PlanText(strings.NewReplacer(replace...).Replace(string(text)))
	return gen.Version{Contract: c, Table: c.Published()[0]}, p
}

const (
	note    = "{name: note, logicalType: string, physicalType: STRING}"
	ceiling = "    customProperties:\n      - {property: source"
)

// What impact says of a change is what runs of the changed contract then do.
func TestImpactIsWhatRunsDo(t *testing.T) {
	runnertest.Once(t)
	t.Parallel()
	lake := runnertest.Spark(t, plan.Setting{Key: "spark.sql.ansi.enabled", Value: "false"})
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE TABLE ~bronze.orders (order_id STRING, note STRING, changed_at STRING, channel STRING, _source_file STRING, _source_line BIGINT, _malformed STRING, _batch_id STRING, _loaded_at TIMESTAMP) USING delta")
	lake.Do(`INSERT INTO ~bronze.orders SELECT concat('o', id), CASE WHEN id % 10 = 0 THEN 'Müller 7' ELSE 'ok' END, CASE WHEN id = 5 THEN 'never' ELSE '2026-03-01 08:00:00' END,
		CASE WHEN id % 25 = 0 THEN NULL ELSE 'web' END, 'f', id, IF(id = 6, 'o6,raw,Secret', NULL), IF(id < 60, 'b1', 'b2'), current_timestamp() FROM range(100)`)
	before, old := tighter(t, lake)
	for _, batch := range []string{"b1", "b2"} {
		if r := lake.Run(old, runner.Options{Batch: batch}); r.Result != runner.Published {
			t.Fatalf("%s: %v", r.Result, r.Failures)
		}
	}
	tables := lake.Rows("SHOW TABLES IN ~staging")
	after, next := tighter(t, lake, "version: 2.1.0", "version: 2.2.0",
		note, "{name: note, logicalType: string, physicalType: STRING, classification: PII, logicalTypeOptions: {maxLength: 5}}",
		"{name: channel, logicalType: string, physicalType: STRING}", "{name: channel, logicalType: string, physicalType: STRING, required: true, customProperties: [{property: constraint, value: batch, vendor: sluice}]}",
		ceiling, "    quality:\n      - {name: few, type: custom, engine: sluice, implementation: {check: rejectRatio, maxPercent: 10}}\n"+ceiling)
	q, err := gen.Impact(before, after, []string{"order_id", "note", "changed_at", "channel", "_source_file", "_source_line", "_malformed", "_batch_id", "_loaded_at"}, 14)
	if err != nil {
		t.Fatal(err)
	}
	got, err := runner.ReadImpact(t.Context(), lake.Session, q, old, next, nil)
	if err != nil {
		t.Fatal(err)
	}
	// 0 10 … 90 break the length; 0 25 50 75 have no channel; 0 and 50 both.
	if want := (runner.ImpactRows{Input: 100, Rejected: 12}); got.Rows != want {
		t.Errorf("rows %+v, want %+v", got.Rows, want)
	}
	wantChanges(t, got, "rejects max_length_note 10 of 2, rejects missing_channel 4 of 2")
	for _, e := range got.Examples {
		if text := *e.Row["note"]; text != "Xxxxxx 9" && text != "xx" {
			t.Errorf("note %q is not masked", text)
		}
	}
	if len(got.Examples) != 5 || len(lake.Rows("SHOW TABLES IN ~staging")) != len(tables) {
		t.Errorf("%d examples, or a table was made", len(got.Examples))
	}
	lake.Do("ALTER TABLE ~silver.orders SET TBLPROPERTIES ('contract.version' = '2.2.0')")
	for _, b := range got.Batches {
		r := lake.Run(next, runner.Options{Batch: b.Batch})
		if refused := r.Result == runner.Refused; refused != b.Refused() || r.Rows.Rejected != b.NewRejected {
			t.Errorf("batch %s is %s with %d rejects, impact said %d and ceiling %+v: %v", b.Batch, r.Result, r.Rows.Rejected, b.NewRejected, b.NewCeiling, r.Failures)
		}
	}
	looser(t, lake, after, before, next, old)
}

// looser is the way back: rows that are rejected now would be accepted.
func looser(t *testing.T, lake *runnertest.Lake, before, after gen.Version, old, next *plan.Plan) {
	t.Helper()
	q, err := gen.Impact(before, after, []string{"order_id", "note", "changed_at", "_batch_id"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := runner.ReadImpact(t.Context(), lake.Session, q, old, next, []string{"b2", "b9"})
	if err != nil {
		t.Fatal(err)
	}
	// Without its column in bronze no row of b2 has a channel.
	if want := (runner.ImpactRows{Input: 40, Accepted: 40}); got.Rows != want {
		t.Errorf("rows %+v, want %+v", got.Rows, want)
	}
	wantChanges(t, got, "accepts missing_channel 40 of 1, accepts max_length_note 4 of 1")
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "bronze has no column channel") || !strings.Contains(notes, "batch b9 has no row") {
		t.Errorf("notes %s", notes)
	}
}

func wantChanges(t *testing.T, i runner.Impact, want string) {
	t.Helper()
	var got []string
	for _, c := range i.Changes {
		got = append(got, strings.Join([]string{string(c.Effect), c.Code, fmt.Sprint(c.Rows), "of", fmt.Sprint(len(c.Batches))}, " "))
	}
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("changes %s\nwant    %s", text, want)
	}
}
