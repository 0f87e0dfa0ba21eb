// Package landing_test lands files into bronze tables on Iceberg.
package landing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/runner"
	"sluice/runner/land"
	"sluice/runner/runnertest"
)

const header = "upload_date,business_date,basket_id,line_no,store_id,quantity,amount,currency"

// till is a lake whose bronze table does not exist yet.
type till struct {
	*runnertest.Lake
	t        *testing.T
	contract *contracts.Contract
}

func (l *till) write(lines ...string) string {
	l.t.Helper()
	path := filepath.Join(l.t.TempDir(), "till.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		l.t.Fatal(err)
	}
	return path
}

func (l *till) land(batch string, lines ...string) land.Report {
	l.t.Helper()
	return l.Land(l.contract, batch, l.write(lines...))
}

func (l *till) number(sql string) int64 {
	l.t.Helper()
	n, err := l.Rows("SELECT CAST((" + sql + ") AS BIGINT) AS n")[0].Number("n")
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

// Files land in an Iceberg table that the first landing makes, each landing in one
// snapshot, and the batch goes from there through write-audit-publish.
func TestLandOnIceberg(t *testing.T) {
	lake := runnertest.Iceberg(t)
	c, p := lake.Plan("../../../contracts/retail/pos_line.odcs.yaml")
	l := &till{lake, t, c}
	const first, second = "2026-09-30,2026-09-29,B1,1,S1,2,9.90,AUD", "2026-09-30,2026-09-29,B1,2,S1,1,5.00,nzd"
	if r := l.land("b1", header, first, second); r.Rows != 2 || r.Replaced != 0 || r.Added != nil {
		t.Fatalf("first landing: %+v", r)
	}
	l.land("b2", header, strings.ReplaceAll(first, "B1", "B2"), "2026-09-30,short")
	loaded := "SELECT unix_micros(max(_loaded_at)) FROM ~bronze.pos_line WHERE _batch_id = 'b1'"
	before := l.number(loaded)
	if r := l.land("b1", header, second, first); r.Replaced != 2 || !r.Same || l.number(loaded) != before {
		t.Errorf("the same content again: %+v, loaded at %d and %d", r, before, l.number(loaded))
	}
	if r := l.land("b1", header+",till", first+",T1", second+",T2"); r.Replaced != 2 || r.Same || strings.Join(r.Added, " ") != "till" || l.number(loaded) == before {
		t.Errorf("a new column: %+v", r)
	}
	if r := l.land("b2", header); r.Rows != 0 || r.Replaced != 2 {
		t.Errorf("a batch that has no row any more: %+v", r)
	}
	if r := l.land("b3", "currency,basket_id", "AUD,B3"); r.Rows != 1 || len(r.Absent) != 7 {
		t.Errorf("a file of two columns: %+v", r)
	}
	if n := l.number("SELECT count(*) FROM ~bronze.pos_line"); n != 3 {
		t.Errorf("bronze holds %d rows, want 3", n)
	}
	if n := l.number("SELECT count(*) FROM ~bronze.pos_line.snapshots"); n != 6 {
		t.Errorf("%d snapshots of 6 landings", n)
	}
	lake.Do("CREATE SCHEMA ~silver")
	lake.Do("CREATE SCHEMA ~gold")
	lake.Do("CREATE TABLE ~silver.pos_basket (basket_id STRING, upload_date DATE) USING ICEBERG")
	lake.Do("CREATE TABLE ~gold.dim_store USING ICEBERG AS SELECT 'S1' AS store_id")
	r := lake.Run(p, runner.Options{Batch: "b1", Partition: map[string]string{"upload_date": "2026-09-30"}})
	if r.Result != runner.Published || r.Target.Inserted != 2 || r.Commit == nil || r.Commit.Branch == "" {
		t.Errorf("%s, %+v, %v", r.Result, r.Target, r.Failures)
	}
}

// A bronze table of somebody else, whose files mix batches, keeps what it has: the
// error says what is wrong with it.
func TestLandIntoMixedFiles(t *testing.T) {
	runnertest.Once(t)
	lake := runnertest.Iceberg(t)
	c, _ := lake.Plan("../../../contracts/retail/pos_line.odcs.yaml")
	l := &till{lake, t, c}
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE TABLE ~bronze.pos_line USING ICEBERG AS SELECT 'B1' AS basket_id, id AS _source_line, concat('b', id) AS _batch_id FROM range(0, 3, 1, 1)")
	_, err := lake.TryLand(c, "b1", l.write("basket_id", "B9"))
	if err == nil || !strings.Contains(err.Error(), "partition it by its batch column") {
		t.Errorf("landing gives %v", err)
	}
	if n := l.number("SELECT count(*) FROM ~bronze.pos_line WHERE basket_id = 'B1'"); n != 3 {
		t.Errorf("%d rows are left of 3", n)
	}
}
