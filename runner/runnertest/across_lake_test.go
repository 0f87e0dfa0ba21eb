package runnertest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
	"sluice/runner/runnertest"
)

const acrossContract = "testdata/across/across.odcs.yaml"

// across is a lake with the table of testdata/across. Many histories share it:
// their keys are their own.
type across struct {
	t       *testing.T
	lake    *runnertest.Lake
	plan    *plan.Plan
	sources []string
}

func openAcross(t *testing.T) *across {
	t.Helper()
	lake := runnertest.Spark(t)
	c, p := lake.Plan(acrossContract)
	a := &across{t: t, lake: lake, plan: p, sources: sourcesOf(c)}
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE TABLE ~bronze.across (" + strings.Join(a.sources, " STRING, ") + " STRING, _source_file STRING, _source_line BIGINT, _malformed STRING, _batch_id STRING, _loaded_at TIMESTAMP) USING DELTA")
	return a
}

func sourcesOf(c *contracts.Contract) []string {
	var out []string
	for _, column := range c.Published()[0].Columns {
		out = append(out, column.Sources...)
	}
	return out
}

// delivery is a batch as it lands.
type delivery struct {
	batch string
	rows  []row
}

// land writes batches into bronze by one statement, rows in the order given.
func (a *across) land(how string, batches ...delivery) {
	a.t.Helper()
	var all []map[string]any
	for _, b := range batches {
		for _, r := range b.rows {
			out := map[string]any{"_source_file": fileOf(r), "_source_line": r.line, "_malformed": r.raw, "_batch_id": b.batch}
			for name, text := range r.text {
				out[name] = text
			}
			all = append(all, out)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		a.t.Fatal(err)
	}
	shape := strings.Join(a.sources, ": STRING, ") + ": STRING, _source_file: STRING, _source_line: BIGINT, _malformed: STRING, _batch_id: STRING"
	a.lake.Do("INSERT " + how + " ~bronze.across SELECT *, current_timestamp() FROM (SELECT inline(from_json(" + sparksql.String(string(text)) + ", 'array<struct<" + shape + ">>')))")
}

// fileOf: files in the order of their names, so that the first of identical rows is the one with the smallest line.
func fileOf(r row) string { return fmt.Sprintf("file_%05d.csv", r.line/7) }

// verdicts are what a run made of each line: staging and its verdicts. A row
// that has none, and no code, is to change the table.
func (a *across) verdicts(run string) map[int64]string {
	a.t.Helper()
	out := map[int64]string{}
	for _, r := range a.lake.Rows("SELECT s._source_line AS line, coalesce(get(s._reject_reasons, 0), v.reason, 'changed') AS verdict " +
		"FROM ~staging.across AS s LEFT JOIN ~staging.across_verdict AS v ON v._run_id = s._run_id AND v._row_number = s._row_number WHERE s._run_id = " + sparksql.String(run)) {
		line, err := r.Number("line")
		if _, twice := out[line]; err != nil || twice {
			a.t.Errorf("line %d is staged twice or has two verdicts: %v", line, err)
		}
		out[line] = r.Text("verdict")
	}
	return out
}

// reject is a row of quarantine: all that is to stay the same on a replay.
type reject struct {
	Batch   string            `json:"_batch_id"`
	Line    int64             `json:"_source_line"`
	File    string            `json:"_source_file"`
	Reason  string            `json:"_reject_reason"`
	Reasons string            `json:"_reject_reasons"`
	Run     string            `json:"_run_id"`
	ID      *string           `json:"id"`
	Part    *string           `json:"part"`
	Raw     map[string]string `json:"raw"`
}

// rejects reads quarantine by batch and line.
func (a *across) rejects(where string) map[string]map[int64]reject {
	a.t.Helper()
	var raw []string
	for _, name := range a.sources {
		raw = append(raw, sparksql.String(name)+", raw_"+name)
	}
	out := map[string]map[int64]reject{}
	for _, r := range a.lake.Rows("SELECT to_json(struct(id, part, _batch_id, _run_id, _source_file, _source_line, _reject_reason, _reject_reasons, " +
		"map_filter(map(" + strings.Join(raw, ", ") + "), (k, v) -> v IS NOT NULL) AS raw)) AS reject FROM ~quarantine.across WHERE " + where) {
		var q reject
		if err := json.Unmarshal([]byte(r.Text("reject")), &q); err != nil {
			a.t.Fatal(err)
		}
		if out[q.Batch] == nil {
			out[q.Batch] = map[int64]reject{}
		}
		if _, twice := out[q.Batch][q.Line]; twice {
			a.t.Errorf("batch %s, line %d lies in quarantine twice", q.Batch, q.Line)
		}
		out[q.Batch][q.Line] = q
	}
	return out
}

// table reads the published rows by key, each column as text; nested ones are
// JSON with sorted names.
func (a *across) table() map[key]map[string]string {
	a.t.Helper()
	columns := []string{}
	for _, name := range a.sources {
		switch name {
		case "an_array", "a_struct", "a_map":
			columns = append(columns, "to_json("+name+") AS "+name)
		case "a_binary":
			columns = append(columns, "base64("+name+") AS "+name)
		default:
			columns = append(columns, "CAST("+name+" AS STRING) AS "+name)
		}
	}
	out := map[key]map[string]string{}
	for _, r := range a.lake.Rows("SELECT " + strings.Join(columns, ", ") + " FROM ~silver.across") {
		clean := map[string]string{}
		for name, v := range r {
			if v != nil {
				clean[name] = sortedJSON(r.Text(name))
			}
		}
		k := key{r.Text("id"), r.Text("part")}
		if out[k] != nil {
			a.t.Errorf("key %q is published twice", k)
		}
		out[k] = clean
	}
	return out
}

func sortedJSON(text string) string {
	var v any
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	sorted, _ := json.Marshal(v)
	return string(sorted)
}

// run runs a batch and fails the test where it is not published.
func (a *across) run(o runner.Options) runner.Report {
	a.t.Helper()
	r := a.lake.Run(a.plan, o)
	if r.Result != runner.Published {
		a.t.Fatalf("batch %s: %s: %v", o.Batch, r.Result, r.Failures)
	}
	return r
}
