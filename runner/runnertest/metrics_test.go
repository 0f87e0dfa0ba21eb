package runnertest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
	"sluice/runner/runnertest"

	"gopkg.in/yaml.v3"
)

// metricTable is testdata/metrics.yaml: rows, and rules over them with the value
// that each counts and the result that its operator makes of it.
type metricTable struct {
	Rows  [][]*string
	Rules []struct {
		On            string
		Rule          map[string]any
		Value, Result string
	}
}

// Every kind of batch rule counts what its line says, with ANSI on and off. All
// rules are of one contract and judge one batch, so it costs few statements.
func TestMetrics(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/metrics.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var table metricTable
	if err := yaml.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	path := metricContract(t, table)
	lake := runnertest.Spark(t)
	_, p := lake.Plan(path)
	metricRows(lake, table)
	for _, ansi := range []bool{true, false} {
		r, err := runner.Run(t.Context(), lake.Open(plan.SessionSettings(ansi)), p, runner.Options{Batch: "b1"})
		if r.Result != runner.Refused || r.Rows.Accepted != int64(len(table.Rows)) {
			t.Fatalf("ansi=%t: %s, %+v, %v, %v", ansi, r.Result, r.Rows, r.Failures, err)
		}
		for i, want := range table.Rules {
			if got := checkOf(r, ruleID(i)); got.Result != want.Result || got.Value != want.Value {
				t.Errorf("ansi=%t, rule %d %v: %s %q, want %s %q", ansi, i+1, want.Rule, got.Result, got.Value, want.Result, want.Value)
			}
		}
	}
}

func ruleID(i int) string { return fmt.Sprintf("rule_%d", i+1) }

func metricContract(t *testing.T, table metricTable) string {
	t.Helper()
	quality := map[string][]any{}
	for i, r := range table.Rules {
		r.Rule["id"] = ruleID(i)
		quality[r.On] = append(quality[r.On], r.Rule)
	}
	column := func(name, logical, physical string) map[string]any {
		return map[string]any{"name": name, "logicalType": logical, "physicalType": physical, "quality": quality[name]}
	}
	key := map[string]any{"name": "id", "logicalType": "string", "required": true, "primaryKey": true}
	changed := map[string]any{"name": "changed_at", "logicalType": "timestamp", "required": true}
	own := func(name string, value map[string]any) map[string]any {
		return map[string]any{"property": name, "vendor": "sluice", "value": value}
	}
	out, err := yaml.Marshal(map[string]any{
		"apiVersion": "v3.2.0", "kind": "DataContract", "id": "metrics", "version": "1.0.0",
		"servers": []any{map[string]any{"server": "local", "type": "custom", "schema": "silver", "format": "delta"}},
		"schema": []any{map[string]any{
			"name": "metrics", "quality": quality[""],
			"properties": []any{key, changed, column("text", "string", "STRING"), column("number", "integer", "INT"), column("day", "date", "DATE")},
			"customProperties": []any{
				own("source", map[string]any{"table": "bronze.metrics"}), own("dedup", map[string]any{"latestBy": []string{"changed_at"}}), own("publish", map[string]any{"mode": "merge"}),
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "metrics.odcs.yaml")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func metricRows(lake *runnertest.Lake, table metricTable) {
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE TABLE ~bronze.metrics (id STRING, changed_at STRING, text STRING, number STRING, day STRING, _batch_id STRING, _loaded_at TIMESTAMP) USING delta")
	var rows []string
	for i, row := range table.Rows {
		cells := []string{fmt.Sprintf("'k%d'", i), "'2026-03-01 08:00:00'"}
		for _, cell := range row {
			if cell == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, sparksql.String(*cell))
			}
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+", 'b1', TIMESTAMP '2026-03-01 12:00:00Z')")
	}
	lake.Do("INSERT INTO ~bronze.metrics VALUES " + strings.Join(rows, ", "))
}
