// Package notebook_test executes generated notebooks without a browser and compares
// what they leave with what sluice run leaves.
package notebook_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/notebook"
	"sluice/gen/plan"
	"sluice/runner/local"
	"sluice/runner/runnertest"
)

const root = "../../.."

// job is what one kernel executes: code, or a notebook with parameters.
type job struct {
	Code       string            `json:"code,omitempty"`
	Notebook   string            `json:"notebook,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
}

// result is how it ended. Error is "" or the name and text of what was raised.
type result struct {
	Error string `json:"error"`
	Cell  string `json:"cell"` // which raised it
	Text  string `json:"text"`
}

// progress is what the notebook said, without the log of Spark.
func (r result) progress() string {
	return strings.Join(slices.DeleteFunc(strings.Split(r.Text, "\n"), func(line string) bool {
		return strings.Contains(line, " WARN ") || strings.HasPrefix(line, `{"ts"`) || strings.HasPrefix(line, "\tat ")
	}), "\n")
}

// desk is a Spark application of its own with a kernel.
type desk struct {
	t   *testing.T
	app local.Application
	dir string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	return desk{t, runnertest.Application(t), t.TempDir()}
}

// write generates the notebook of a contract that publishes one table.
func (d desk) write(path string, o notebook.Options) string {
	d.t.Helper()
	text, err := notebook.Write(notebook.Subject{Plan: planOf(d.t, path), File: filepath.Base(path), Options: o})
	if err != nil {
		d.t.Fatal(err)
	}
	out := filepath.Join(d.dir, strings.TrimSuffix(filepath.Base(path), ".odcs.yaml")+".ipynb")
	if err := os.WriteFile(out, text, 0o600); err != nil {
		d.t.Fatal(err)
	}
	return out
}

// planOf is the plan of the table that a contract publishes.
func planOf(t *testing.T, path string) *plan.Plan {
	t.Helper()
	c, err := contracts.Load(path, contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := gen.Build(c, c.Published()[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// execute runs jobs in one kernel, whose Python finds the pyspark of the tested Spark.
func (d desk) execute(jobs ...job) []result {
	d.t.Helper()
	in, out := filepath.Join(d.dir, "jobs.json"), filepath.Join(d.dir, "results.json")
	text, err := json.Marshal(jobs)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(in, text, 0o600); err != nil {
		d.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(d.t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(runnertest.Jupyter(d.t), "bin", "python"), "testdata/execute.py", in, out)
	cmd.Env = append(d.app.Env, "PYTHONPATH="+filepath.Dir(d.app.Home), "PYSPARK_SUBMIT_ARGS=--properties-file "+d.app.Conf+" pyspark-shell")
	if said, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("executing notebooks: %v: %s", err, said)
	}
	var results []result
	if text, err = os.ReadFile(out); err == nil {
		err = json.Unmarshal(text, &results)
	}
	if err != nil || len(results) != len(jobs) {
		d.t.Fatalf("%d results, %v", len(results), err)
	}
	return results
}

// statements is code that runs SQL; with into, the last column of each goes to a
// file, as a list a statement.
func statements(into string, sql ...string) job {
	text, _ := json.Marshal(sql) //nolint:errchkjson // texts
	code := "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\nimport json\nrows = [[row[-1] for row in spark.sql(one).collect()] for one in " + string(text) + "]\n"
	if into != "" {
		path, _ := json.Marshal(into) //nolint:errchkjson // a text
		code += "with open(" + string(path) + ", 'w', encoding='utf-8') as out:\n    json.dump(rows, out)\n"
	}
	return job{Code: code}
}

func rowsOf(t *testing.T, path string) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	var rows [][]string
	if err == nil {
		err = json.Unmarshal(text, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
