package runnertest_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
	"sluice/runner/runnertest"

	"gopkg.in/yaml.v3"
)

// hostileFile is <contract>.rows.yaml: one batch, by source column, and what
// must become of each row. Without codes it is published; clean names columns
// whose value is not the text.
type hostileFile struct {
	Lookups  map[string][]string // rows of the one column of a lookup table
	Defaults values
	Rows     []hostileRow
}

type hostileRow struct {
	Row   values
	Codes []string
	Clean values
}

// long stands for LONG_NAME in contracts and rows.
var long = strings.Repeat("long", 2500)

func expandLong(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	return bytes.ReplaceAll(text, []byte("LONG_NAME"), []byte(long)), err
}

func hostileContract(t *testing.T, lake *runnertest.Lake, path string) *contracts.Contract {
	t.Helper()
	c, err := contracts.Load(path, contracts.Options{ReadFile: expandLong, Vars: map[string]string{"HOSTILE": "${spark.app.name}"}})
	if err != nil {
		t.Fatalf("loading: %v", err)
	}
	return c.Rehome(func(schema string) string { return lake.Prefix + schema })
}

func readHostileRows(t *testing.T, path string) hostileFile {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file hostileFile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for i, r := range file.Rows {
		file.Rows[i].Row = lengthen(r.Row)
	}
	return file
}

// lengthen puts the long text in: YAML has no keys of that length in a line.
func lengthen(row values) values {
	out := values{}
	for name, text := range row {
		if text != nil {
			whole := strings.ReplaceAll(*text, "LONG_NAME", long)
			text = &whole
		}
		out[strings.ReplaceAll(name, "LONG_NAME", long)] = text
	}
	return out
}

// text is what bronze holds of a row.
func (h *hostile) text(r hostileRow, source string) *string {
	if text, given := r.Row[source]; given {
		return text
	}
	return h.Defaults[source]
}

// sources are the columns of bronze, but for the batch.
func (h *hostile) sources() []string {
	var out []string
	for _, c := range h.table.Columns {
		out = append(out, c.Sources...)
	}
	return out
}

// land creates bronze and the lookups with their rows. Bronze maps its columns, as
// a table of another loader may, so that its names hold blanks.
func (h *hostile) land() {
	columns := append(h.sources(), h.table.Source.Batch, "_loaded_at")
	var rows, names []string
	for _, r := range h.Rows {
		var cells []string
		for _, source := range h.sources() {
			cells = append(cells, literalOrNull(h.text(r, source)))
		}
		rows = append(rows, "("+strings.Join(append(cells, "'h1'", literalOrNull(nil)), ", ")+")")
		for source := range r.Row {
			if !slices.Contains(columns, source) {
				h.t.Fatalf("a row names the column %q, which the contract does not read", source)
			}
		}
	}
	for _, name := range columns {
		names = append(names, sparksql.Ident(name))
	}
	h.exec("CREATE TABLE " + h.table.Source.Table.SQL() + " USING DELTA TBLPROPERTIES ('delta.columnMapping.mode' = 'name') AS SELECT * FROM VALUES " + strings.Join(rows, ", ") + " AS v(" + strings.Join(names, ", ") + ")")
	for _, t := range h.contract.Tables {
		var rows []string
		for _, text := range h.Lookups[t.Target.Table()] {
			rows = append(rows, "("+sparksql.String(text)+")")
		}
		if len(rows) > 0 {
			h.exec("CREATE TABLE " + t.Target.SQL() + " USING DELTA AS SELECT * FROM VALUES " + strings.Join(rows, ", ") + " AS v(" + sparksql.Ident(t.Columns[0].Name) + ")")
		}
	}
}

func (h *hostile) exec(sql string) {
	if err := h.lake.Exec(h.t.Context(), sql); err != nil {
		h.t.Fatalf("running %.200s: %v", sql, err)
	}
}

func (h *hostile) query(sql string) []runner.Row {
	rows, err := h.lake.Query(h.t.Context(), sql)
	if err != nil {
		h.t.Fatalf("querying %.200s: %v", sql, err)
	}
	return rows
}

// explain has Spark analyse what no run sent: statements that were skipped.
func (h *hostile) explain(p *plan.Plan, sent map[string]bool) {
	values := plan.Values{
		"batch_id": "h1", "run_id": "r1", "started_at": "2026-01-01 00:00:00", "batch_hash": nil, "batch_columns": "a",
		"passed": true, "published": false, "recovered": false, "missing_columns": []plan.Column{{Name: "a'b", Type: "STRING"}}, "added_columns": []string{"a'b"},
	}
	for _, param := range p.Params {
		if _, there := values[param.Name]; !there {
			values[param.Name] = map[bool]any{true: int64(0), false: map[string]string{}}[param.Type == plan.IntegerParam]
		}
	}
	for _, step := range p.Steps {
		for _, s := range step.Statements {
			if sent[s.Name] || strings.HasPrefix(s.Name, "ensure_") {
				continue
			}
			sql, left, err := p.Bind(s.SQL, values)
			if err != nil || len(left) > 0 {
				h.t.Errorf("binding %s leaves %v: %v", s.Name, left, err)
				continue
			}
			plan, err := h.lake.Query(h.t.Context(), "EXPLAIN "+sql)
			if err != nil || strings.Contains(plan[0].Text("plan"), "Exception") {
				h.t.Errorf("explaining %s: %v %v", s.Name, plan, err)
			}
		}
	}
}
