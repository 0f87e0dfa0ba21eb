package companion_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/runner/companion"
	"sluice/runner/runnertest"
)

// notebook writes code cells as a notebook, and executes it as Jupyter does.
func (l lake) notebook(cells ...string) (int, string) {
	l.t.Helper()
	type cell struct {
		Type     string            `json:"cell_type"`
		Source   string            `json:"source"`
		Metadata map[string]string `json:"metadata"`
		Outputs  []string          `json:"outputs"`
		Count    *int              `json:"execution_count"`
	}
	book := struct {
		Cells    []cell         `json:"cells"`
		Metadata map[string]any `json:"metadata"`
		Format   int            `json:"nbformat"`
		Minor    int            `json:"nbformat_minor"`
	}{Metadata: map[string]any{"kernelspec": map[string]string{"name": "python3", "display_name": "Python 3"}}, Format: 4, Minor: 4}
	for _, source := range cells {
		book.Cells = append(book.Cells, cell{Type: "code", Source: source, Metadata: map[string]string{}, Outputs: []string{}})
	}
	text, err := json.Marshal(book)
	if err != nil {
		l.t.Fatal(err)
	}
	path := filepath.Join(l.t.TempDir(), "book.ipynb")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		l.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := l.command(ctx, filepath.Join(runnertest.Jupyter(l.t), "bin", "jupyter"), "execute", path)
	// The kernel's Python finds the pyspark of the tested Spark, which reads the settings of its lake.
	cmd.Env = append(cmd.Env, "PYTHONPATH="+filepath.Dir(l.app.Home), "PYSPARK_SUBMIT_ARGS=--properties-file "+l.app.Conf+" pyspark-shell")
	return l.run(cmd)
}

// A notebook runs a batch, runs it again, sees a refused one as an exception with
// its failures, and has its session as it was. The last cell does not catch the
// exception, and so the notebook fails, as an activity of a pipeline shall.
func TestNotebook(t *testing.T) {
	runnertest.Once(t)
	everywhere(t)
	l := jobs(t, aviation+"airlines.odcs.yaml")
	data, err := filepath.Abs(aviation + "data")
	if err != nil {
		t.Fatal(err)
	}
	code, said := l.notebook(
		`import os, socket, sys, threading
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", "3")
spark.range(3).createOrReplaceTempView("mine")
settings = lambda: sorted((row.key, row.value) for row in spark.sql("SET").collect())
application = lambda: sorted((kv._1(), kv._2()) for kv in spark.sparkContext._jsc.sc().conf().getAll())
before = settings(), application()
bundle, data = `+quoted(l.bundle)+", "+quoted(data),
		`sys.path.insert(0, bundle)
import sluice_job
sluice_job.run(["land", "airlines.odcs.yaml", data + "/airlines.csv.gz", "--batch", "2013"])`,
		`report = sluice_job.run(["run", "airlines.odcs.yaml", "--batch", "2013"])
assert report["result"] == "published" and report["target"]["inserted"] == 16, report
again = sluice_job.run(["run", "airlines.odcs.yaml", "--batch", "2013"])
assert again["target"] == dict(report["target"], inserted=0, unchanged=16) and again["commit"] is None, again
assert spark.table("silver.airlines").count() == 16`,
		// Pasted into a cell: only run is defined, and the files are named.
		string(companion.Main("pasted")),
		`try:
    run(["--sluice-binary", bundle, "--contracts", bundle + "/contracts.zip", "run", "airlines.odcs.yaml", "--batch", "none"])
    raise AssertionError("nothing was raised")
except SluiceError as e:
    assert e.code == 4 and e.failures[0].startswith("empty_batch") and e.report["result"] == "refused", (e.code, e.failures)`,
		`assert (settings(), application()) == before, "settings differ"
assert spark.table("mine").count() == 3 and spark.conf.get("spark.sql.shuffle.partitions") == "3"`,
		`sluice_job.run(["run", "airlines.odcs.yaml", "--batch", "none", "--quiet"])`,
	)
	if code == 0 || !strings.Contains(said, "SluiceError: sluice ended with 4 (the batch is refused): empty_batch") || strings.Contains(said, "AssertionError") {
		t.Errorf("exit %d, want the failure of the last cell: %s", code, tail(said))
	}
	if !strings.Contains(said, "In[7]") {
		t.Errorf("another cell failed: %s", tail(said))
	}
}

// quoted is a text in Python.
func quoted(text string) string {
	out, _ := json.Marshal(text) //nolint:errchkjson // a text
	return string(out)
}
