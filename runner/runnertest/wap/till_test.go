// Package wap_test takes till lines through write-audit-publish on Iceberg.
package wap_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

const contract = "../../../contracts/retail/pos_line.odcs.yaml"

var firstDay = time.Date(2026, 9, 11, 0, 0, 0, 0, time.UTC)

// till is a shop's lake: raw baskets and lines of upload days, made by Spark from
// numbers alone, so that every run of the test has the same rows.
type till struct {
	*runnertest.Lake
	t        testing.TB
	contract *contracts.Contract
	plan     *plan.Plan
	baskets  int // of a day
}

// Forty baskets in a row have 169 lines: 3, 4, 4, 4, 6 and so on, and one more.
const linesOfForty = 169

func newTill(t testing.TB, baskets int, settings ...plan.Setting) *till {
	return tillOf(t, contract, baskets, settings...)
}

func tillOf(t testing.TB, path string, baskets int, settings ...plan.Setting) *till {
	lake := runnertest.Iceberg(t, settings...)
	s := &till{Lake: lake, t: t, baskets: baskets}
	s.contract, s.plan = lake.Plan(path)
	for _, schema := range []string{"bronze", "silver", "gold"} {
		s.Do("CREATE SCHEMA IF NOT EXISTS lake.~" + schema)
	}
	s.Do("CREATE TABLE ~gold.dim_store (store_id STRING) USING ICEBERG")
	s.Do("INSERT INTO ~gold.dim_store SELECT concat('S', id) FROM range(20)")
	s.Do("CREATE TABLE ~silver.pos_basket (basket_id STRING, upload_date DATE) USING ICEBERG PARTITIONED BY (upload_date)")
	s.Do("CREATE TABLE ~bronze.pos_line (upload_date STRING, business_date STRING, basket_id STRING, line_no STRING, store_id STRING, quantity STRING, amount STRING, currency STRING, _source_file STRING, _loaded_at TIMESTAMP, _batch_id STRING) USING ICEBERG PARTITIONED BY (_batch_id)")
	return s
}

func day(n int) string { return firstDay.AddDate(0, 0, n).Format(time.DateOnly) }

// lines is the query of a day's raw lines. A basket's id holds its day; skip
// leaves baskets out, from the given number on.
func (s *till) lines(n, skipFrom, skipTo int, batch string) string {
	return fmt.Sprintf(`SELECT
  '%[1]s' AS upload_date,
  '%[1]s' AS business_date,
  concat('B%[1]s-', lpad(CAST(b.id AS STRING), 7, '0')) AS basket_id,
  CAST(l.line_no AS STRING) AS line_no,
  concat('S', b.id %% 20) AS store_id,
  CAST(1 + (b.id * 7 + l.line_no) %% 5 AS STRING) AS quantity,
  CAST(CAST((100 + (b.id * 31 + l.line_no * 17) %% 4900) / 100 AS DECIMAL(18,2)) AS STRING) AS amount,
  CASE WHEN b.id %% 20 < 15 THEN 'AUD' ELSE 'nzd ' END AS currency,
  'till_%[1]s.csv' AS _source_file,
  TIMESTAMP '%[1]s 22:00:00' AS _loaded_at,
  '%[2]s' AS _batch_id
FROM range(%[3]d) AS b
LATERAL VIEW explode(sequence(1, CASE WHEN b.id %% 40 = 7 THEN 5 WHEN b.id %% 5 = 0 THEN 3 WHEN b.id %% 5 = 4 THEN 6 ELSE 4 END)) l AS line_no
WHERE NOT b.id BETWEEN %[4]d AND %[5]d`, day(n), batch, s.baskets, skipFrom, skipTo)
}

// deliver puts a whole day into bronze, and its baskets into silver.
func (s *till) deliver(n int, batch string) {
	s.t.Helper()
	s.deliverPart(n, batch, -2, -1)
	s.Do(fmt.Sprintf("INSERT INTO ~silver.pos_basket SELECT concat('B%[1]s-', lpad(CAST(id AS STRING), 7, '0')), DATE '%[1]s' FROM range(%[2]d)", day(n), s.baskets))
}

// deliverPart puts a day without some baskets into bronze.
func (s *till) deliverPart(n int, batch string, skipFrom, skipTo int) {
	s.t.Helper()
	s.Do("INSERT INTO ~bronze.pos_line " + s.lines(n, skipFrom, skipTo, batch))
}

// rows of a whole day.
func (s *till) rows() int64 { return int64(s.baskets) / 40 * linesOfForty }

// again is another client of the same lake.
func (s *till) again() *till {
	other := *s
	other.Lake = s.Again()
	return &other
}

// heads are the snapshots of the branches.
func (s *till) heads() map[string]int64 {
	s.t.Helper()
	out := map[string]int64{}
	for _, r := range s.Rows("SELECT name, snapshot_id FROM ~gold.fct_pos_line.refs") {
		out[r.Text("name")], _ = r["snapshot_id"].(int64)
	}
	return out
}

// after runs do once, behind the named statement of a plan.
func after(name string, do func()) func(plan.Statement) error {
	done := false
	return func(st plan.Statement) error {
		if st.Name == name && !done {
			done = true
			do()
		}
		return nil
	}
}

// failed are the rules of a report that did not hold.
func failed(r runner.Report) string {
	var out []string
	for _, c := range r.Checks {
		if c.Result == "failed" {
			out = append(out, c.Rule)
		}
	}
	return strings.Join(out, " ")
}

func (s *till) options(n int, batch string) runner.Options {
	return runner.Options{Batch: batch, Partition: map[string]string{"upload_date": day(n)}}
}

func (s *till) publish(n int, batch string) runner.Report {
	s.t.Helper()
	r := s.Run(s.plan, s.options(n, batch))
	if r.Result != runner.Published {
		s.t.Fatalf("batch %s is %s: %s", batch, r.Result, strings.Join(r.Failures, "\n"))
	}
	return r
}

func (s *till) count(sql string) int64 {
	s.t.Helper()
	n, err := s.Rows(sql)[0].Number("n")
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}
