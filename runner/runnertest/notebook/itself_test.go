package notebook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/contracts/fixture"
	"sluice/gen"
	"sluice/gen/notebook"
	"sluice/gen/plan"
	lab "sluice/runner/fixture"
	"sluice/runner/runnertest"
)

const airlines = root + "/contracts/aviation/airlines"

// tested writes a notebook with the fixtures of a file, one of them changed.
func (d desk) tested(name, old, instead string) string {
	d.t.Helper()
	text, err := os.ReadFile(airlines + ".fixtures.yaml")
	if err != nil {
		d.t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		d.t.Fatalf("the fixtures of airlines have no %q", old)
	}
	dir := filepath.Join(d.dir, name)
	few := strings.Split(string(text), "\n  - name: ")
	text = []byte(strings.Join(append(few[:4], few[len(few)-4:]...), "\n  - name: "))
	contract, err := os.ReadFile(airlines + ".odcs.yaml")
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	for path, content := range map[string]string{"airlines.odcs.yaml": string(contract), "airlines.fixtures.yaml": strings.Replace(string(text), old, instead, 1)} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, path), []byte(content), 0o600)
		}
	}
	if err != nil {
		d.t.Fatal(err)
	}
	file, err := fixture.Load(filepath.Join(dir, "airlines.fixtures.yaml"), contracts.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	fixtures, err := lab.Book(d.t.Context(), file)
	if err != nil {
		d.t.Fatal(err)
	}
	p, err := gen.Build(file.Contract, file.Table)
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := notebook.Write(notebook.Subject{Plan: p, File: "airlines.odcs.yaml", Options: notebook.Options{Fixtures: true}, Fixtures: fixtures})
	if err != nil {
		d.t.Fatal(err)
	}
	path := filepath.Join(dir, "airlines.ipynb")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// sqlMagic is the %%sql of Fabric and Databricks.
const sqlMagic = "from IPython.core.magic import register_cell_magic\n@register_cell_magic\ndef sql(line, cell):\n    spark.sql(cell).collect()"

// A notebook tests itself with the fixtures of its table, in schemas that are gone
// then, and says which does not hold. Cells of SQL publish the batch that they were
// written for, once.
func TestNotebookTestsItself(t *testing.T) {
	runnertest.Once(t)
	d := newDesk(t)
	pasted, again := d.pasted(false), d.pasted(true)
	schemas, own := filepath.Join(d.dir, "schemas.json"), []string{}
	for _, sql := range orders.setup {
		own = append(own, strings.ReplaceAll(sql, "~", ""))
	}
	const held = "rejected: {duplicate_superseded: 1}"
	results := d.execute(
		job{Notebook: d.tested("holds", held, held)},
		job{Notebook: d.tested("fails", held, "rejected: {duplicate_superseded: 2}")},
		statements(schemas, "SHOW SCHEMAS"),
		job{Code: sqlMagic}, statements("", own...),
		job{Notebook: pasted},
		statements("", "SELECT assert_true(count(*) = 2) FROM silver.orders", "SELECT assert_true(count_if(published AND input_rows = 2) = 1) FROM ops.audit_log"),
		job{Notebook: again},
	)
	if r := results[0]; r.Error != "" || !strings.Contains(r.Text, " fixtures hold") {
		t.Errorf("fixtures: %s\n%s", r.Error, r.progress())
	}
	if r := results[1]; !strings.HasPrefix(r.Error, "Failed: 1 expectations of fixtures do not hold") || !strings.Contains(r.Error, "rejected: expected {'duplicate_superseded': 2}, got {'duplicate_superseded': 1}") {
		t.Errorf("a fixture that does not hold: %s\n%s", r.Error, r.progress())
	}
	if left := rowsOf(t, schemas); len(left[0]) != 1 {
		t.Errorf("fixtures left schemas: %v", left)
	}
	for i, r := range results[2:7] {
		if r.Error != "" {
			t.Errorf("job %d, cell %s: %s", i+2, r.Cell, r.Error)
		}
	}
	if r := results[7]; !strings.Contains(r.Error, "this run id was staged before") {
		t.Errorf("pasted twice: %q", r.Error)
	}
}

// pasted writes the notebook of SQL cells for the batch clean.
func (d desk) pasted(existing bool) string {
	d.t.Helper()
	p := planOf(d.t, orders.contract)
	o := notebook.Options{Format: notebook.Magic, Batch: "clean", Run: "by-hand", Existing: existing}
	p, err := p.Filled(plan.Values{"batch_id": o.Batch, "run_id": o.Run}, o.Occasion())
	if err != nil {
		d.t.Fatal(err)
	}
	text, err := notebook.Write(notebook.Subject{Plan: p, File: "orders.odcs.yaml", Options: o})
	if err != nil {
		d.t.Fatal(err)
	}
	path := filepath.Join(d.dir, fmt.Sprintf("pasted-%t.ipynb", existing))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}
