package connect

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"sluice/gen/plan"
	"sluice/runner"
)

// spark opens a session on the server of SLUICE_SPARK_REMOTE, with a schema that
// is dropped after the test.
func spark(t *testing.T, cfg Config) (s *Session, schema string) {
	t.Helper()
	if cfg.Remote = os.Getenv("SLUICE_SPARK_REMOTE"); cfg.Remote == "" {
		t.Skip("SLUICE_SPARK_REMOTE names no Spark Connect server")
	}
	cfg.RemoteFromEnv = true
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	schema = fmt.Sprintf("conn_%s_%d", strings.ToLower(t.Name()), time.Now().UnixNano())
	run(t, s, "CREATE SCHEMA "+schema)
	t.Cleanup(func() {
		if err := s.Exec(context.Background(), "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, schema
}

func run(t *testing.T, s *Session, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if err := s.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

func TestSparkDescribe(t *testing.T) {
	s, schema := spark(t, Config{})
	run(t, s,
		"CREATE TABLE "+schema+".a (id STRING NOT NULL, amount DECIMAL(18,2), tags ARRAY<STRING>, m MAP<STRING,BIGINT>) USING delta",
		"CREATE TABLE "+schema+".b (n BIGINT) USING delta")
	a := []runner.Column{
		{Name: "id", Type: "STRING"},
		{Name: "amount", Type: "DECIMAL(18,2)", Nullable: true},
		{Name: "tags", Type: "ARRAY<STRING>", Nullable: true},
		{Name: "m", Type: "MAP<STRING,BIGINT>", Nullable: true},
	}
	both := []runner.Column{
		{Name: "t", Type: "STRUCT<id:STRING,amount:DECIMAL(18,2),tags:ARRAY<STRING>,m:MAP<STRING,BIGINT>>", Fields: a},
		{Name: "u", Type: "STRUCT<n:BIGINT>", Fields: []runner.Column{{Name: "n", Type: "BIGINT", Nullable: true}}},
	}
	for sql, want := range map[string][]runner.Column{
		"SELECT * FROM " + schema + ".a LIMIT 0": a,
		"SELECT struct(t.*) AS t, struct(u.*) AS u FROM " + schema + ".a AS t CROSS JOIN " + schema + ".b AS u LIMIT 0": both,
	} {
		got, err := s.Describe(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %+v\nwant %+v", sql, got, want)
		}
	}
}

func TestSparkQueriesOfAControlKind(t *testing.T) {
	s, schema := spark(t, Config{})
	table := schema + ".a"
	run(t, s, "CREATE TABLE "+table+" (id BIGINT) USING delta TBLPROPERTIES ('contract.version'='1.2.0')")
	const key = "spark.databricks.delta.commitInfo.userMetadata"
	if err := s.Set(t.Context(), key, "contract=1.2.0"); err != nil {
		t.Fatal(err)
	}
	run(t, s, "INSERT INTO "+table+" VALUES (1), (2)")
	if err := s.Unset(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	run(t, s, "INSERT INTO "+table+" VALUES (3)")
	history := query(t, s, "DESCRIBE HISTORY "+table+" LIMIT 20")
	if len(history) != 3 || history[0].Text("userMetadata") != "" || history[1].Text("userMetadata") != "contract=1.2.0" {
		t.Fatalf("history is %+v", history)
	}
	if m, _ := history[1]["operationMetrics"].(map[string]any); m["numOutputRows"] != "2" {
		t.Errorf("metrics are %+v", history[1]["operationMetrics"])
	}
	if n, err := history[1].Number("version"); err != nil || n != 1 {
		t.Errorf("version %d, %v", n, err)
	}
	found := ""
	for _, r := range query(t, s, "SHOW TBLPROPERTIES "+table) {
		if r.Text("key") == "contract.version" {
			found = r.Text("value")
		}
	}
	if found != "1.2.0" {
		t.Errorf("the property is %q", found)
	}
	if rows := query(t, s, "SHOW TABLES IN "+schema); len(rows) != 1 || rows[0].Text("tableName") != "a" || rows[0]["isTemporary"] != false {
		t.Errorf("tables are %+v", rows)
	}
	if rows := query(t, s, "DESCRIBE DETAIL "+table); len(rows) != 1 || rows[0].Text("format") != "delta" {
		t.Errorf("detail is %+v", rows)
	}
	if rows := query(t, s, "SELECT id FROM "+table+" WHERE false"); len(rows) != 0 {
		t.Errorf("rows are %+v", rows)
	}
}

func query(t *testing.T, s *Session, sql string) []runner.Row {
	t.Helper()
	rows, err := s.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

func TestSparkViewRoundTrip(t *testing.T) {
	s, _ := spark(t, Config{})
	fields := []Field{{"a b", "STRING"}, {"_source_line", "BIGINT"}}
	rows := [][]any{{"it's ${x} \\ \"q\"\n", int64(1)}, {"", int64(2)}, {nil, int64(3)}, {"ü😀", nil}}
	if err := s.View(t.Context(), "conn_view", fields, rows); err != nil {
		t.Fatal(err)
	}
	got := query(t, s, "SELECT `a b`, _source_line FROM conn_view ORDER BY _source_line NULLS LAST")
	for i, r := range got {
		if r["a b"] != rows[i][0] || r["_source_line"] != rows[i][1] {
			t.Errorf("row %d is %+v", i, r)
		}
	}
	if err := s.View(t.Context(), "conn_view", fields, nil); err != nil {
		t.Fatal(err)
	}
	if rows := query(t, s, "SELECT * FROM conn_view"); len(rows) != 0 {
		t.Errorf("an empty view has %+v", rows)
	}
}

func TestSparkRefusals(t *testing.T) {
	s, schema := spark(t, Config{})
	run(t, s, "CREATE TABLE "+schema+".a (id BIGINT) USING delta",
		"CREATE TABLE "+schema+".b (id BIGINT NOT NULL) USING delta",
		"ALTER TABLE "+schema+".a ADD CONSTRAINT positive CHECK (id > 0)")
	missing := schema + ".missing"
	for sql, want := range map[string]string{
		"SELECT * FROM " + missing:                   "TABLE_OR_VIEW_NOT_FOUND",
		"INSERT INTO " + missing + " SELECT 1":       "TABLE_OR_VIEW_NOT_FOUND",
		"SHOW TABLES IN conn_no_such_schema":         "SCHEMA_NOT_FOUND",
		"SELEC 1":                                    "PARSE_SYNTAX_ERROR",
		"INSERT INTO " + schema + ".a VALUES (-1)":   "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
		"INSERT INTO " + schema + ".b VALUES (NULL)": "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
	} {
		err := s.Exec(t.Context(), sql)
		e := statementError(t, err)
		if e.Class != want || e.Unknown || strings.Contains(e.Message, sql) {
			t.Errorf("%s: class %q, unknown %t: %q", sql, e.Class, e.Unknown, e.Message)
		}
		if runner.NotFound(err) != strings.HasSuffix(want, "NOT_FOUND") {
			t.Errorf("%s: NotFound is %t", sql, runner.NotFound(err))
		}
	}
	_, err := s.Query(t.Context(), "SELECT 1/(id - 1) AS x FROM range(1, 3)")
	if e := statementError(t, err); e.Class != "DIVIDE_BY_ZERO" {
		t.Errorf("a division by zero while collecting: %+v", e)
	}
	_, err = s.Query(t.Context(), "SELECT CAST(1.5 AS DECIMAL(5,2)) AS d")
	if err == nil || !strings.Contains(err.Error(), "cast it to STRING") {
		t.Errorf("a decimal: %v", err)
	}
}

func TestSparkSettings(t *testing.T) {
	s, _ := spark(t, Config{Settings: plan.SessionSettings(false), Catalog: "spark_catalog"})
	rows := query(t, s, "SELECT CAST(CAST('x' AS INT) AS STRING) AS x, '${y}' AS y, current_catalog() AS c, current_timezone() AS z")
	if rows[0]["x"] != nil || rows[0].Text("y") != "${y}" || rows[0].Text("c") != "spark_catalog" || rows[0].Text("z") != "UTC" {
		t.Errorf("got %+v", rows)
	}
	_, err := Open(t.Context(), Config{Remote: os.Getenv("SLUICE_SPARK_REMOTE"), RemoteFromEnv: true, Settings: []plan.Setting{{Key: "spark.sql.warehouse.dir", Value: "/"}}})
	if err == nil || !strings.HasPrefix(err.Error(), "setting spark.sql.warehouse.dir: ") || !strings.Contains(strings.ReplaceAll(err.Error(), "_", " "), map[bool]string{true: "CANNOT MODIFY", false: "annot modify"}[s.Version() >= "4"]) {
		t.Errorf("a static setting: %v", err)
	}
	_, err = Open(t.Context(), Config{Remote: os.Getenv("SLUICE_SPARK_REMOTE"), RemoteFromEnv: true, Catalog: "conn_no_such_catalog"})
	if err == nil || !strings.Contains(err.Error(), `changing to catalog "conn_no_such_catalog"`) {
		t.Errorf("a catalog that is not there: %v", err)
	}
}

// A write whose caller is gone must not commit later.
func TestSparkCancelStopsAWrite(t *testing.T) {
	s, schema := spark(t, Config{Heartbeat: 200 * time.Millisecond})
	run(t, s, "CREATE TABLE "+schema+".a (id BIGINT) USING delta")
	write := "INSERT INTO " + schema + ".a SELECT count(*) FROM range(0, 30000000000, 1, 4) WHERE hash(id) % 7 = 3"
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if e := statementError(t, s.Exec(ctx, write)); !e.Unknown {
		t.Errorf("got %+v", e)
	}
	go func() {
		time.Sleep(2 * time.Second)
		if err := s.Interrupt(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	begin := time.Now()
	if e := statementError(t, s.Exec(t.Context(), write)); !e.Unknown || e.Class == "" {
		t.Errorf("interrupted from beside: %+v", e)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("the interrupt took %s", took)
	}
	if rows := query(t, s, "DESCRIBE HISTORY "+schema+".a LIMIT 5"); len(rows) != 1 {
		t.Errorf("history is %+v", rows)
	}
}

// After its session is gone, a statement must not run in a fresh one without our
// settings. Spark 3.5 has no id to tell the two apart.
func TestSparkLostSession(t *testing.T) {
	s, _ := spark(t, Config{})
	if strings.HasPrefix(s.Version(), "3.") {
		t.Skip("Spark " + s.Version() + " does not tell its sessions apart")
	}
	lost, err := Open(t.Context(), Config{Remote: os.Getenv("SLUICE_SPARK_REMOTE"), RemoteFromEnv: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lost.conn.Close() }()
	if err := lost.release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := statementError(t, lost.Exec(t.Context(), "SELECT 1")); !strings.HasPrefix(e.Class, "INVALID_HANDLE.SESSION") || e.Unknown {
		t.Errorf("got %+v", e)
	}
}
