package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// paster is a person who pastes the statements of a printed plan one by one.
type paster struct {
	*runnertest.Lake
	t *testing.T
}

// tillIn is the till contract in schemas of its own, with a day of raw lines.
func tillIn(t *testing.T, lake *runnertest.Lake, prefix string) string {
	t.Helper()
	text, err := os.ReadFile("../../../contracts/retail/pos_line.odcs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	moved := regexp.MustCompile(`\b(gold|bronze|silver|quarantine)\.(fct_pos_line|dim_store|pos_line|pos_basket)\b`).ReplaceAllString(string(text), prefix+"$1.$2")
	moved = strings.Replace(moved, "      - property: keepFor\n", "      - property: staging\n        vendor: sluice\n        value: {table: "+prefix+"staging.lines, auditLog: "+prefix+"ops.audit_log}\n      - property: keepFor\n", 1)
	path := filepath.Join(t.TempDir(), "pos_line.odcs.yaml")
	if err := os.WriteFile(path, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{"gold", "bronze", "silver"} {
		lake.Do("CREATE SCHEMA " + prefix + schema)
	}
	lake.Do("CREATE TABLE " + prefix + "gold.dim_store USING ICEBERG AS SELECT 'S1' AS store_id")
	lake.Do("CREATE TABLE " + prefix + "silver.pos_basket USING ICEBERG AS SELECT 'B0' AS basket_id, DATE '2026-09-30' AS upload_date")
	lake.Do("CREATE TABLE " + prefix + "bronze.pos_line USING ICEBERG AS SELECT '2026-09-30' AS upload_date, '2026-09-29' AS business_date, concat('B', id) AS basket_id, '1' AS line_no, 'S1' AS store_id, '2' AS quantity, '9.90' AS amount, ' nzd' AS currency, 'till.csv' AS _source_file, TIMESTAMP '2026-10-01 05:00:00' AS _loaded_at, 'b1' AS _batch_id FROM range(3)")
	return path
}

// paste sends the statements of a script as they are: what a first run of a clean batch
// would not send stands as a comment. Nothing but the printed text reaches Spark.
func (n *paster) paste(script string) {
	n.t.Helper()
	var statement strings.Builder
	for line := range strings.Lines(script) {
		statement.WriteString(line)
		if strings.HasSuffix(line, ";\n") { // in a comment too: simple clients part statements so
			n.send(strings.TrimSuffix(statement.String(), ";\n"))
			statement.Reset()
		}
	}
}

func (n *paster) send(sql string) {
	n.t.Helper()
	for _, token := range sparksql.Tokens(sql) {
		if token.Kind == sparksql.Marker {
			n.t.Fatalf("%s is left in this statement:\n%s", token.Text, sql)
		}
	}
	if _, err := n.Query(n.t.Context(), sql); err != nil {
		n.t.Fatalf("%v\n%s", err, sql)
	}
}

// What plan prints is what run does, also where a person pastes it.
func TestPastedPlanIsARun(t *testing.T) {
	lake := runnertest.Iceberg(t)
	const day = "2026-09-30"
	load := func(path string) (*contracts.Contract, *plan.Plan) {
		c, err := contracts.Load(path, contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := gen.Build(c, c.Published()[0])
		if err != nil {
			t.Fatal(err)
		}
		return c, p
	}
	ran, pasted := tillIn(t, lake, lake.Prefix+"r_"), tillIn(t, lake, lake.Prefix+"p_")
	_, p := load(ran)
	if r := lake.Run(p, runner.Options{Batch: "b1", Partition: map[string]string{"upload_date": day}}); r.Result != runner.Published || r.Target.Inserted != 3 {
		t.Fatalf("%s, %+v, %v", r.Result, r.Target, r.Failures)
	}
	b := newBench()
	if code := b.main("plan", pasted, "--batch", "b1", "--run", "by-hand", "--partition", "upload_date="+day); code != 0 {
		t.Fatalf("plan exits %d: %s", code, b.err.String())
	}
	n := &paster{lake, t}
	n.paste(b.out.String())
	for _, table := range []string{"gold.fct_pos_line", "quarantine.fct_pos_line", "gold.fct_pos_line.branch_audit"} {
		left, right := "SELECT * FROM "+lake.Prefix+"r_"+table, "SELECT * FROM "+lake.Prefix+"p_"+table
		if rows := lake.Rows(fmt.Sprintf("(%[1]s EXCEPT ALL %[2]s) UNION ALL (%[2]s EXCEPT ALL %[1]s)", left, right)); len(rows) != 0 {
			t.Errorf("%s differs: %v", table, rows)
		}
	}
	n.after(lake.Prefix+"p_", day)
}

// after checks what pasting leaves beside the rows: no setting, no tag, one recorded
// run, and a table on which the next run finds nothing to mend.
func (n *paster) after(prefix, day string) {
	n.t.Helper()
	for _, key := range []string{"spark.wap.branch", "spark.sql.iceberg.snapshot-property.userMetadata"} {
		if row := n.Rows("SET " + sparksql.Ident(key)); row[0].Text("value") != "<undefined>" {
			n.t.Errorf("%s is still %v", key, row)
		}
	}
	if refs := n.Rows("SELECT name FROM " + prefix + "gold.fct_pos_line.refs ORDER BY name"); len(refs) != 2 {
		n.t.Errorf("references %v, want audit and main", refs)
	}
	main := n.Rows("SELECT snapshot_id FROM " + prefix + "gold.fct_pos_line.refs WHERE name = 'main'")
	log := n.Rows("SELECT run_id, partition, snapshot_id, CAST(published AS STRING) AS published FROM " + prefix + "ops.audit_log")
	if len(log) != 1 || log[0].Text("run_id") != "by-hand" || log[0].Text("partition") != "upload_date="+day || log[0].Text("published") != "true" || log[0]["snapshot_id"] != main[0]["snapshot_id"] {
		n.t.Errorf("the audit log has %v", log)
	}
	if strings.HasPrefix(n.Version(), "4.") {
		stamps := n.Rows("SELECT summary['userMetadata'] AS stamp FROM " + prefix + "gold.fct_pos_line.snapshots WHERE summary['userMetadata'] IS NOT NULL")
		if len(stamps) == 0 || stamps[0].Text("stamp") != "contract=1.3.0 id=retail-pos-line-gold batch=b1 run=by-hand" {
			n.t.Errorf("snapshots are stamped %v", stamps)
		}
	}
}
