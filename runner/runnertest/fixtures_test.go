package runnertest_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
	"sluice/runner/runnertest"

	"gopkg.in/yaml.v3"
)

// fixtureFile is the format of <table>.fixtures.yaml as far as the ten first bad inputs use it.
type fixtureFile struct {
	Contract string
	Defaults values
	Fixtures []fixture
}

type fixture struct {
	Name       string
	Given      []values
	Clean      *[]values
	Rejected   map[string]int64
	Batches    []batch
	Table      *[]values
	Quarantine map[string]int64
}

type batch struct {
	Given    []values
	Replay   int
	Rejected map[string]int64
	Target   map[string]int64
}

type values map[string]*string

// The ten bad inputs give the verdicts that their file states, through the
// plan's own statements, whether ANSI is on or off. Fixtures share tables: their
// keys are their own, and each batch has its own id.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/orders.fixtures.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file fixtureFile
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Fixtures) != 10 {
		t.Fatalf("%d fixtures, want 10", len(file.Fixtures))
	}
	for _, ansi := range ansiSample() {
		t.Run("ansi="+ansi, func(t *testing.T) {
			lake := runnertest.Spark(t, plan.Setting{Key: "spark.sql.ansi.enabled", Value: ansi})
			_, p := lake.Plan("testdata/" + file.Contract)
			bronze(lake, file.Defaults)
			play(t, lake, p, file)
		})
	}
}

// ansiSample is one setting on each Spark, the one that its users meet first, and
// both with SLUICE_LONG=1. What reads values is tested with both in TestValues.
func ansiSample() []string {
	switch {
	case os.Getenv("SLUICE_LONG") == "1":
		return []string{"true", "false"}
	case os.Getenv("SLUICE_SPARK") == "3.5":
		return []string{"false"}
	default:
		return []string{"true"}
	}
}

// play runs all first batches as one, all second ones as one, then the replay.
// Keys of one fixture are its own, so each verdict can be told by key.
func play(t *testing.T, lake *runnertest.Lake, p *plan.Plan, file fixtureFile) {
	rounds := [][]values{nil, nil}
	wants := []map[string]int64{{}, {}}
	for _, f := range file.Fixtures {
		batches := f.Batches
		if batches == nil {
			batches = []batch{{Given: f.Given, Rejected: f.Rejected}}
		}
		for i, b := range batches {
			if b.Replay == 0 {
				rounds[i] = append(rounds[i], b.Given...)
				for code, n := range b.Rejected {
					wants[i][code] += n
				}
			}
		}
	}
	var first runner.Report
	for i, given := range rounds {
		id := fmt.Sprintf("round%d", i+1)
		insert(lake, file.Defaults, id, given)
		r := lake.Run(p, runner.Options{Batch: id})
		judgeRound(t, id, r, int64(len(given)), wants[i])
		if i == 0 {
			first = r
		}
	}
	again := lake.Run(p, runner.Options{Batch: "round1"})
	judgeRound(t, "round1 again", again, int64(len(rounds[0])), wants[0])
	if (again.Target != runner.Target{Unchanged: first.Rows.Accepted}) || again.Commit != nil {
		t.Errorf("replay: target %+v, want %d unchanged and no commit", again.Target, first.Rows.Accepted)
	}
	held := reasons(lake, "_batch_id = 'round1'")
	if !maps.Equal(held, wants[0]) {
		t.Errorf("quarantine after the replay %v, want %v", held, wants[0])
	}
	for _, f := range file.Fixtures {
		t.Run(f.Name, func(t *testing.T) { check(t, lake, f) })
	}
	t.Run("warnings", func(t *testing.T) { warned(t, lake, p, file.Defaults) })
}

// warned: the newest version of B1 is broken while an older one is published, the
// published version of A2 comes again and breaks a rule, and no row has a customer.
func warned(t *testing.T, lake *runnertest.Lake, p *plan.Plan, defaults values) {
	text := func(s string) *string { return &s }
	insert(lake, defaults, "warned", []values{
		{"order_id": text("B1"), "customer_id": nil, "amount": text("x"), "source_updated_at": text("2026-03-25 09:00:00")},
		{"order_id": text("A2"), "customer_id": nil, "amount": text("-1.00")},
		{"order_id": text("C9"), "customer_id": nil},
	})
	r := lake.Run(p, runner.Options{Batch: "warned"})
	want := map[string]int64{"newest_rejected": 1, "rejected_but_published": 1, "column_vanished": 1}
	if r.Result != runner.Published || !maps.Equal(r.Warnings, want) {
		t.Errorf("%s, warnings %v, want %v: %v", r.Result, r.Warnings, want, r.Failures)
	}
}

func judgeRound(t *testing.T, id string, r runner.Report, given int64, want map[string]int64) {
	t.Helper()
	if r.Result != runner.Published {
		t.Fatalf("%s: %s: %v", id, r.Result, r.Failures)
	}
	if !maps.Equal(r.Reasons, want) {
		t.Errorf("%s: rejected %v, want %v", id, r.Reasons, want)
	}
	if r.Rows.Input != given || r.Rows.Input != r.Rows.Accepted+r.Rows.Rejected {
		t.Errorf("%s: rows %+v of %d given do not add up", id, r.Rows, given)
	}
}

func reasons(lake *runnertest.Lake, where string) map[string]int64 {
	out := map[string]int64{}
	for _, r := range lake.Rows("SELECT _reject_reason AS reason, count(*) AS n FROM ~quarantine.orders WHERE " + where + " GROUP BY 1") {
		out[r.Text("reason")], _ = r.Number("n")
	}
	return out
}

// check looks at one fixture by its keys: what is published, and the reasons of
// its rows in quarantine. Rows without a key of their own were counted above.
func check(t *testing.T, lake *runnertest.Lake, f fixture) {
	want, keyless := map[string]int64{}, map[string]bool{"missing_order_id": true, "header_row": true}
	for _, b := range append([]batch{{Given: f.Given, Rejected: f.Rejected}}, f.Batches...) {
		for code, n := range b.Rejected {
			if b.Replay == 0 && !keyless[code] {
				want[code] += n
			}
		}
	}
	if keys := keysOf(f); len(keys) > 0 {
		if got := reasons(lake, "order_id IN ("+strings.Join(keys, ", ")+")"); !maps.Equal(got, want) {
			t.Errorf("quarantine %v, want %v", got, want)
		}
	}
	for _, table := range []*[]values{f.Clean, f.Table} {
		if table != nil {
			published(t, lake, f, *table)
		}
	}
}

func keysOf(f fixture) []string {
	given := f.Given
	for _, b := range f.Batches {
		given = append(given, b.Given...)
	}
	keys := map[string]bool{}
	for _, g := range given {
		if id := g["order_id"]; id != nil && *id != "" && *id != "order_id" {
			keys[sparksql.String(strings.ToUpper(strings.TrimSpace(*id)))] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

func bronze(lake *runnertest.Lake, defaults values) {
	columns := []string{"`order_id` STRING"}
	for name := range defaults {
		columns = append(columns, sparksql.Ident(name)+" STRING")
	}
	sort.Strings(columns)
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE TABLE ~bronze.orders (" + strings.Join(columns, ", ") + ", `_batch_id` STRING) USING DELTA")
}

func insert(lake *runnertest.Lake, defaults values, id string, given []values) {
	names := []string{"order_id"}
	for name := range defaults {
		names = append(names, name)
	}
	var rows []string
	for _, g := range given {
		cells := []string{sparksql.String(id)}
		for _, name := range names {
			v, ok := g[name]
			if !ok {
				v = defaults[name]
			}
			if v == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, sparksql.String(*v))
			}
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	lake.Do("INSERT INTO ~bronze.orders (_batch_id, " + strings.Join(names, ", ") + ") VALUES " + strings.Join(rows, ", "))
}

// published compares the columns that want names, for the keys that the fixture gives.
func published(t *testing.T, lake *runnertest.Lake, f fixture, want []values) {
	t.Helper()
	keys := append(keysOf(f), "''")
	rows := lake.Rows("SELECT order_id, customer_id, CAST(amount AS STRING) AS amount, currency FROM ~silver.orders WHERE order_id IN (" + strings.Join(keys, ", ") + ") ORDER BY order_id")
	if len(rows) != len(want) {
		t.Fatalf("%d rows are published (%v), want %d", len(rows), rows, len(want))
	}
	for i, w := range want {
		for name, v := range w {
			if rows[i].Text(name) != *v {
				t.Errorf("row %d: %s = %q, want %q", i+1, name, rows[i].Text(name), *v)
			}
		}
	}
}
