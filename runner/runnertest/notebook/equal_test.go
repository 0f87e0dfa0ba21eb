package notebook_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sluice/gen/notebook"
	"sluice/runner"
	"sluice/runner/runnertest"

	"github.com/google/go-cmp/cmp"
)

// scene is a table with batches. ~ stands before the name of each schema: what a
// direct run has there, and a notebook's own lake does not need.
type scene struct {
	contract string
	setup    []string
	visits   []visit
	names    [5]string // target, quarantine, staging, verdict and audit log
}

// visit is one run, and how it must end.
type visit struct {
	batch, partition string
	before           []string // statements
	want             runner.Result
	code             string // that the failure begins with
}

const sales = "SELECT order_id, customer_id, amount, changed_at, 'till.csv' AS _source_file, CAST(row AS BIGINT) AS _source_line, CAST(NULL AS STRING) AS _malformed, TIMESTAMP '2026-10-01 05:00:00' AS _loaded_at, batch AS _batch_id FROM VALUES "

// orders are merged into a table of Delta.
var orders = scene{
	contract: root + "/runner/runnertest/testdata/shop/orders.odcs.yaml",
	setup: []string{
		"CREATE SCHEMA ~silver", "CREATE SCHEMA ~bronze",
		"CREATE TABLE ~silver.customers (customer_id STRING NOT NULL) USING DELTA", "INSERT INTO ~silver.customers VALUES ('C1'), ('C2')",
		"CREATE TABLE ~bronze.orders USING DELTA AS " + sales + `
			(1, 'clean', 'O1', 'C1', '5.00', '2026-03-01 09:00:00'), (2, 'clean', 'O2', 'C2', '7.00', '2026-03-01 09:00:00'),
			(1, 'dirty', 'O1', 'C1', '6.00', '2026-03-02 09:00:00'), (2, 'dirty', 'O1', 'C1', '5.50', '2026-03-01 12:00:00'), (3, 'dirty', 'O2', 'C1', 'x', '2026-03-02 09:00:00'),
			(4, 'dirty', 'O3', 'C2', '-1.00', '2026-03-02 09:00:00'), (5, 'dirty', 'O2', 'C2', '1.00', '2026-02-01 09:00:00'), (6, 'dirty', 'O4', 'C1', '8.00', '2026-03-02 09:00:00'),
			(7, 'dirty', 'O5', 'C1', '8.00', '2026-03-02 09:00:00'), (8, 'dirty', 'O5', 'C1', '9.00', '2026-03-02 09:00:00'), (9, 'dirty', ' O''6 \\ ', 'C2', '1.10', '2026-03-02 09:00:00'),
			(1, 'stranger', 'O7', 'C9', '1.00', '2026-03-03 09:00:00'), (2, 'stranger', 'O8', 'C1', '1.00', '2026-03-03 09:00:00')
			AS rows (row, batch, order_id, customer_id, amount, changed_at)`,
	},
	visits: []visit{
		{batch: "clean", want: runner.Published},
		{batch: "dirty", want: runner.Published},
		{batch: "stranger", want: runner.Refused, code: "audit_failed"},
		{batch: "none", want: runner.Refused, code: "empty_batch"},
		{batch: "clean", want: runner.Published},
		{batch: "clean", want: runner.Refused, code: "batch_changed", before: []string{"UPDATE ~bronze.orders SET amount = '4.00' WHERE _batch_id = 'clean' AND order_id = 'O1'"}},
		{batch: "dirty", want: runner.Failed, code: "target_drift", before: []string{"ALTER TABLE ~silver.orders ADD COLUMNS (extra STRING)"}},
	},
	names: [5]string{"silver.orders", "quarantine.orders", "staging.orders", "staging.orders_verdict", "ops.audit_log"},
}

const lines = "SELECT '2026-09-' || day AS upload_date, '2026-09-29' AS business_date, basket || id AS basket_id, '1' AS line_no, store AS store_id, quantity, '9.90' AS amount, ' nzd' AS currency, 'till.csv' AS _source_file, TIMESTAMP '2026-10-01 05:00:00' AS _loaded_at, batch AS _batch_id FROM "

// till replaces a day of a table of Iceberg by way of a branch.
var till = scene{
	contract: root + "/contracts/retail/pos_line.odcs.yaml",
	setup: []string{
		"CREATE SCHEMA lake.~gold", "CREATE SCHEMA lake.~bronze", "CREATE SCHEMA lake.~silver",
		"CREATE TABLE lake.~gold.dim_store USING ICEBERG AS SELECT 'S1' AS store_id",
		"CREATE TABLE lake.~silver.pos_basket USING ICEBERG AS SELECT 'B0' AS basket_id, DATE '2026-09-29' AS upload_date",
		"CREATE TABLE lake.~bronze.pos_line USING ICEBERG AS " + lines + "(SELECT id, '29' AS day, 'B' AS basket, 'S1' AS store, '2' AS quantity, 'd1' AS batch FROM range(3))",
		"INSERT INTO lake.~bronze.pos_line " + lines + "(SELECT id, '30' AS day, if(id = 1, 'B', 'C') AS basket, 'S1' AS store, if(id = 7, '0', '2') AS quantity, 'd2' AS batch FROM range(250))",
		"INSERT INTO lake.~bronze.pos_line " + lines + "(SELECT id, '29' AS day, 'B' AS basket, 'S9' AS store, '2' AS quantity, 'strange' AS batch FROM range(3))",
		"INSERT INTO lake.~bronze.pos_line " + lines + "(SELECT id, '29' AS day, 'D' AS basket, 'S1' AS store, '2' AS quantity, 'lost' AS batch FROM range(3))",
	},
	visits: []visit{
		{batch: "d1", partition: "2026-09-29", want: runner.Published},
		{batch: "d2", partition: "2026-09-30", want: runner.Published},
		{batch: "d2", partition: "2026-09-29", want: runner.Refused, code: "wrong_partition"},
		{batch: "strange", partition: "2026-09-29", want: runner.Refused, code: "audit_failed"},
		{batch: "lost", partition: "2026-09-29", want: runner.Refused, code: "audit_failed"}, // on the branch: a raw basket is missing
		{batch: "d1", partition: "2026-09-29", want: runner.Published},
	},
	names: [5]string{"lake.gold.fct_pos_line", "lake.quarantine.fct_pos_line", "lake.staging.fct_pos_line", "lake.staging.fct_pos_line_verdict", "lake.ops.audit_log"},
}

// A generated notebook leaves target, quarantine, staging, verdicts and audit log as
// sluice run does, row for row, and raises with its codes and messages.
func TestNotebookIsARun(t *testing.T) {
	for name, s := range map[string]scene{"Delta": orders, "Iceberg": till} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			lake := runnertest.Spark(t)
			if s.names[0][:5] == "lake." {
				lake = runnertest.Iceberg(t)
			}
			want := s.direct(t, lake)
			got := s.executed(d)
			for i, one := range []string{"target", "quarantine", "staging", "verdicts", "audit log"} {
				if len(want[i]) == 0 {
					t.Errorf("run left no row in %s", one)
				}
				if diff := cmp.Diff(want[i], got[i]); diff != "" {
					t.Errorf("%s of the notebook (+) differs from that of run (-):\n%s", one, diff)
				}
			}
		})
	}
}

// direct runs the visits by package runner.
func (s scene) direct(t *testing.T, lake *runnertest.Lake) [][]string {
	t.Helper()
	_, p := lake.Plan(s.contract)
	for _, sql := range s.setup {
		lake.Do(sql)
	}
	for _, v := range s.visits {
		for _, sql := range v.before {
			lake.Do(sql)
		}
		o := runner.Options{Batch: v.batch}
		if v.partition != "" {
			o.Partition = map[string]string{"upload_date": v.partition}
		}
		r := lake.Run(p, o)
		if r.Result != v.want || v.want != runner.Published && !strings.HasPrefix(strings.Join(r.Failures, "\n"), v.code) {
			t.Fatalf("%s: %s, %v; want %s by %s", v.batch, r.Result, r.Failures, v.want, v.code)
		}
	}
	var out [][]string
	for _, query := range s.state() {
		var texts []string
		for _, row := range lake.Rows(query) {
			texts = append(texts, strings.ReplaceAll(row.Text("r"), lake.Prefix, ""))
		}
		out = append(out, texts)
	}
	return out
}

// executed runs them by the notebook, in one kernel.
func (s scene) executed(d desk) [][]string {
	d.t.Helper()
	own := func(all []string) []string {
		out := make([]string, len(all))
		for i, sql := range all {
			out[i] = strings.ReplaceAll(sql, "~", "")
		}
		return out
	}
	book, into := d.write(s.contract, notebook.Options{}), filepath.Join(d.dir, "rows.json")
	settings := "spark.conf.set('spark.sql.session.timeZone', 'Asia/Tokyo')\nspark.conf.set('spark.sql.sources.partitionOverwriteMode', 'dynamic')\n" +
		"settings_of_session = lambda: sorted((row.key, row.value) for row in spark.sql('SET').collect() if row.key != 'spark.databricks.delta.lastCommitVersionInSession')\nsettings_before = settings_of_session()"
	jobs := []job{statements("", own(s.setup)...), {Code: settings}}
	at := map[int]visit{}
	for _, v := range s.visits {
		if v.before != nil {
			jobs = append(jobs, statements("", own(v.before)...))
		}
		at[len(jobs)] = v
		parameters := map[string]string{"batch_id": v.batch}
		if v.partition != "" {
			parameters["partition_upload_date"] = v.partition
		}
		jobs = append(jobs, job{Notebook: book, Parameters: parameters})
	}
	jobs = append(jobs, job{Code: "settings_after = settings_of_session()\nassert settings_after == settings_before, set(settings_after) ^ set(settings_before)\nassert spark.sql('SELECT current_catalog()').first()[0] == 'spark_catalog'\nspark.conf.set('spark.sql.session.timeZone', 'UTC')"}, statements(into, own(s.state())...))
	results := d.execute(jobs...)
	raised := map[runner.Result]string{runner.Published: "", runner.Refused: "Refused: ", runner.Failed: "Failed: "}
	for i, r := range results {
		if v, visited := at[i]; !visited && r.Error != "" || visited && (!strings.HasPrefix(r.Error, raised[v.want]+v.code) || v.want == runner.Published && r.Error != "") {
			d.t.Fatalf("job %d, %+v: cell %s raised %q, want %q\n%s", i, at[i], r.Cell, r.Error, raised[at[i].want]+at[i].code, r.progress())
		}
	}
	return rowsOf(d.t, into)
}

// state asks for everything that two ways of running have in common: not the ids
// and times of runs.
func (s scene) state() []string {
	table := func(i int) string {
		name := s.names[i]
		if rest, ours := strings.CutPrefix(name, "lake."); ours {
			return "lake.~" + rest
		}
		return "~" + name
	}
	rows := func(from, drop string) string {
		return "SELECT to_json(map_filter(from_json(to_json(struct(t.*)), 'MAP<STRING,STRING>'), (k, v) -> k NOT IN (" + drop + "))) AS r FROM " + from + " AS t ORDER BY r"
	}
	batches := "(SELECT s.*, l.batch_id, l.started_at FROM " + table(2) + " s JOIN " + table(4) + " l ON l.run_id = s._run_id)"
	version := "commit_version,"
	if strings.HasPrefix(s.names[0], "lake.") {
		version = "snapshot_id IS NOT NULL AS committed,"
	}
	return []string{
		rows(table(0), "''"),
		rows(table(1), "'_run_id', '_quarantined_at'"),
		rows(batches, "'_run_id', '_row_number', 'started_at'"),
		rows("(SELECT s.*, v.reason FROM "+batches+" s JOIN "+table(3)+" v ON v._run_id = s._run_id AND v._row_number = s._row_number)", "'_run_id', '_row_number', 'started_at'"),
		`SELECT to_json(struct(contract_id, contract_version, batch_id, attempt, partition, input_rows, accepted_rows, rejected_rows, refused_rows, array_sort(map_entries(reasons)) AS reasons,
			array_sort(map_entries(filled)) AS filled, array_sort(map_entries(segments)) AS segments, array_sort(map_entries(target_counts)) AS target_counts, ` + version + `
			batch_hash, batch_columns, owner, passed, published, recovered, failures, array_sort(map_keys(step_seconds)) AS steps,
			transform(filter(checks, c -> c.code <> 'freshness'), c -> if(c.rule = 'branch_is_this_run', to_json(struct(c.code, c.rule, c.result)), to_json(c))) AS checks)) AS r
			FROM ` + table(4) + ` WHERE contract_id IS NOT NULL ORDER BY started_at`,
	}
}
