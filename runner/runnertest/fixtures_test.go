package runnertest_test

import (
	"fmt"
	"maps"
	"os"
	"sort"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
	"sluice/runner/runnertest"
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
// plan's own statements, with ANSI on and off. Fixtures share tables: their
// keys are their own, and each batch has its own id.
func TestBadInputs(t *testing.T) {
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
	for _, ansi := range []string{"true", "false"} {
		t.Run("ansi="+ansi, func(t *testing.T) {
			lake := runnertest.Spark(t, plan.Setting{Key: "spark.sql.ansi.enabled", Value: ansi})
			_, p := lake.Plan("testdata/" + file.Contract)
			bronze(lake, file.Defaults)
			for i, f := range file.Fixtures {
				t.Run(f.Name, func(t *testing.T) { check(t, lake, p, file.Defaults, i+1, f) })
			}
		})
	}
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

func check(t *testing.T, lake *runnertest.Lake, p *plan.Plan, defaults values, number int, f fixture) {
	batches := f.Batches
	if batches == nil {
		batches = []batch{{Given: f.Given, Rejected: f.Rejected}}
	}
	var id string
	for i, b := range batches {
		id = fmt.Sprintf("f%d-%d", number, i+1)
		if b.Replay > 0 {
			id = fmt.Sprintf("f%d-%d", number, b.Replay)
		} else {
			insert(lake, defaults, id, b.Given)
		}
		r := lake.Run(p, runner.Options{Batch: id})
		judgeBatch(t, b, r)
	}
	if f.Clean != nil {
		published(t, lake, f, *f.Clean)
	}
	if f.Table != nil {
		published(t, lake, f, *f.Table)
	}
	if f.Quarantine != nil {
		held := map[string]int64{}
		for _, r := range lake.Rows("SELECT _reject_reason AS reason, count(*) AS n FROM ~quarantine.orders WHERE _batch_id = '" + id + "' GROUP BY 1") {
			held[r.Text("reason")], _ = r.Number("n")
		}
		if !maps.Equal(held, f.Quarantine) {
			t.Errorf("quarantine %v, want %v", held, f.Quarantine)
		}
	}
}

func judgeBatch(t *testing.T, b batch, r runner.Report) {
	t.Helper()
	if r.Result != runner.Published {
		t.Fatalf("%s: %v", r.Result, r.Failures)
	}
	want := b.Rejected
	if want == nil {
		want = map[string]int64{}
	}
	if !maps.Equal(r.Reasons, want) {
		t.Errorf("rejected %v, want %v", r.Reasons, want)
	}
	if b.Given != nil && r.Rows.Input != int64(len(b.Given)) || r.Rows.Input != r.Rows.Accepted+r.Rows.Rejected {
		t.Errorf("rows %+v of %d given do not add up", r.Rows, len(b.Given))
	}
	if n, asked := b.Target["unchanged"]; asked && (r.Target != runner.Target{Unchanged: n}) {
		t.Errorf("target %+v, want only %d unchanged", r.Target, n)
	}
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
	given := f.Given
	for _, b := range f.Batches {
		given = append(given, b.Given...)
	}
	keys := map[string]bool{}
	for _, g := range given {
		if g["order_id"] != nil {
			keys[strings.ToUpper(strings.TrimSpace(*g["order_id"]))] = true
		}
	}
	var list []string
	for k := range keys {
		list = append(list, sparksql.String(k))
	}
	rows := lake.Rows("SELECT order_id, customer_id, CAST(amount AS STRING) AS amount, currency FROM ~silver.orders WHERE order_id IN (" + strings.Join(list, ", ") + ") ORDER BY order_id")
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
