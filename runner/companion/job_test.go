package companion_test

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/runner"
	"sluice/runner/companion"
	"sluice/runner/runnertest"

	"github.com/google/go-cmp/cmp"
)

const aviation = root + "/contracts/aviation/"

// Real departures run as jobs: a day is published, a day with too many rejects
// turns the caller of spark-submit red, a replay changes nothing. The tables and
// the audit log are those of the direct way.
func TestFlightsAsJobs(t *testing.T) {
	l := jobs(t, aviation+"flights.odcs.yaml", aviation+"airlines.odcs.yaml", aviation+"planes.odcs.yaml")
	data, err := filepath.Abs(aviation + "data")
	if err != nil {
		t.Fatal(err)
	}
	if code, said := l.submit("testdata/session.py", l.bundle, data, t.TempDir()); code != 0 || !strings.Contains(said, "SESSION HOLDS") {
		t.Fatalf("one session of several commands: exit %d: %s", code, tail(said))
	}
	report := filepath.Join(t.TempDir(), "out", "day.json")
	code, said := l.job("2013-01-01", "--report", report)
	if code != 0 || !strings.Contains(said, "PUBLISHED") {
		t.Fatalf("day 1: exit %d: %s", code, tail(said))
	}
	if text, err := os.ReadFile(report); err != nil || !strings.Contains(string(text), `"result": "published"`) {
		t.Errorf("the report of day 1: %s, %v", text, err)
	}
	code, said = l.job("2013-01-16")
	if code != 4 || !strings.Contains(said, "sluice ended with 4 (the batch is refused): reject_ceiling") {
		t.Errorf("day 16: exit %d, want 4: %s", code, tail(said))
	}
	if code, said = l.job("2013-01-01"); code != 0 || !strings.Contains(said, "842 unchanged") {
		t.Errorf("day 1 again: exit %d: %s", code, tail(said))
	}
	got := l.rows(state("silver.flights", "quarantine.flights", "ops.audit_log")...)
	if diff := cmp.Diff(direct(t), got); diff != "" {
		t.Errorf("tables of the jobs (+) differ from those of the direct way (-):\n%s", diff)
	}
}

// state asks for everything of the tables that two ways of running a batch have
// in common: not the ids and times of runs, nor the folder that a file was in.
func state(silver, quarantine, log string) []string {
	rows := func(table, drop string) string {
		return "SELECT to_json(map_filter(from_json(to_json(struct(t.*)), 'MAP<STRING,STRING>'), (k, v) -> k NOT IN (" + drop + "))) AS r FROM " + table + " AS t ORDER BY r"
	}
	return []string{
		rows(silver, "'_loaded_at', '_source_file'"),
		rows(quarantine, "'_loaded_at', '_source_file', 'raw__loaded_at', '_run_id', '_quarantined_at'"),
		`SELECT to_json(struct(contract_id, contract_version, batch_id, attempt, input_rows, accepted_rows, rejected_rows, refused_rows, array_sort(map_entries(reasons)) AS reasons,
			array_sort(map_entries(filled)) AS filled, array_sort(map_entries(segments)) AS segments, array_sort(map_entries(target_counts)) AS target_counts, commit_version,
			batch_hash, batch_columns, owner, passed, published, recovered, failures,
			transform(filter(checks, c -> c.code <> 'freshness'), c -> concat_ws(' ', c.code, c.result, c.value)) AS checks)) AS r
			FROM ` + log + ` WHERE batch_id LIKE '2013-01%' ORDER BY started_at`,
	}
}

// direct runs the same days from here against the local server.
func direct(t *testing.T) [][]string {
	lake := runnertest.Spark(t)
	c, p := lake.Plan(aviation + "flights.odcs.yaml")
	lake.Do("CREATE SCHEMA ~silver")
	for name, key := range map[string]string{"airlines": "carrier", "planes": "tailnum"} {
		lookup(t, lake, name, key)
	}
	for _, date := range []string{"2013-01-01", "2013-01-16"} {
		lake.Land(c, date, aviation+"data/flights_"+date+".csv.gz")
	}
	for _, date := range []string{"2013-01-01", "2013-01-16", "2013-01-01"} {
		if r := lake.Run(p, runner.Options{Batch: date}); r.Result == runner.Failed {
			t.Fatalf("%s: %v", date, r.Failures)
		}
	}
	var out [][]string
	for _, query := range state(lake.Prefix+"silver.flights", lake.Prefix+"quarantine.flights", lake.Prefix+"ops.audit_log") {
		var texts []string
		for _, row := range lake.Rows(query) {
			texts = append(texts, strings.ReplaceAll(row.Text("r"), lake.Prefix, ""))
		}
		out = append(out, texts)
	}
	if len(out[0]) != 842 || len(out[1]) != 24 || len(out[2]) != 3 {
		t.Fatalf("the direct way has %d, %d and %d rows", len(out[0]), len(out[1]), len(out[2]))
	}
	return out
}

// lookup is a table that somebody else made: only its key is asked for.
func lookup(t *testing.T, lake *runnertest.Lake, name, key string) {
	t.Helper()
	c, err := contracts.Load(aviation+name+".odcs.yaml", contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c = c.Rehome(func(schema string) string { return lake.Prefix + schema })
	lake.Land(c, "2013", aviation+"data/"+name+".csv.gz")
	lake.Do("CREATE TABLE ~silver." + name + " USING DELTA AS SELECT " + key + " FROM ~bronze." + name)
}

// A Spark without the classes of Connect names the package that has them.
func TestMissingConnectNamesItsPackage(t *testing.T) {
	l := jobs(t, aviation+"airlines.odcs.yaml")
	if !strings.HasPrefix(l.app.Spark, "3.") {
		t.Skipf("Spark %s has Connect inside", l.app.Spark)
	}
	code, said := l.submit("--conf", "spark.jars=", "--conf", "spark.sql.extensions=", "--conf", "spark.sql.catalogImplementation=in-memory", filepath.Join(l.bundle, "sluice_job.py"), "lint")
	if want := "--packages org.apache.spark:spark-connect_2.12:" + l.app.Spark; code != 3 || !strings.Contains(said, want) {
		t.Errorf("exit %d, want 3 and %q: %s", code, want, tail(said))
	}
}

// A platform puts the files of a job where it likes: here the main file lies
// alone, the binary comes in an archive and the contracts as one of the files.
func TestFilesOfTheJob(t *testing.T) {
	runnertest.Once(t)
	everywhere(t)
	l := jobs(t, aviation+"airlines.odcs.yaml")
	alone := filepath.Join(t.TempDir(), "main.py")
	if err := os.WriteFile(alone, companion.Main("test"), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "program.zip")
	name := companion.BinaryName(runtime.GOARCH)
	if err := pack(archive, filepath.Join(l.bundle, name)); err != nil {
		t.Fatal(err)
	}
	code, said := l.submit("--archives", archive+"#program", "--files", filepath.Join(l.bundle, "contracts.zip"), alone, "lint", "contracts/airlines.odcs.yaml")
	if code != 0 || !strings.Contains(said, "1 contract, no problem") {
		t.Errorf("exit %d: %s", code, tail(said))
	}
}

func pack(archive, path string) error {
	out, err := os.Create(archive)
	if err != nil {
		return err
	}
	z := zip.NewWriter(out)
	w, err := z.Create(filepath.Base(path))
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return errors.Join(err, z.Close(), out.Close())
}
