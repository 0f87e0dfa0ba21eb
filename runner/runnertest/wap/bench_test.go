package wap_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/runner"
)

var (
	benchDays    = flag.Int("days", 20, "BenchmarkDay: upload days that are published already (126 are 5.8 million lines)")
	benchBaskets = flag.Int("baskets", 10880, "BenchmarkDay: baskets of a day (10,880 are 45,968 lines)")
)

// BenchmarkDay publishes one day by hand and by a run, in turns, on the same lake:
//
//	go test -run xxx -bench Day -benchtime 3x ./runner/runnertest/wap -days 126
//
// By hand is what a careful job does: a branch, DELETE, INSERT of the deduplicated
// and typed lines that no earlier day has, the four audits as queries that scan the
// table, fast_forward. It has no staging, no verdicts, no quarantine and no record.
func BenchmarkDay(b *testing.B) {
	s := newTill(b, *benchBaskets)
	s.fill(*benchDays)
	n := *benchDays
	s.deliver(n, "bench")
	s.byHand(n) // the first of each is not measured: plans and files are cold
	s.publish(n, "bench")
	var hand, run []float64
	for b.Loop() {
		began := time.Now()
		steps := s.byHand(n)
		hand = append(hand, time.Since(began).Seconds())
		b.Logf("by hand %5.1f s: %s", hand[len(hand)-1], steps)
		began = time.Now()
		r := s.publish(n, "bench")
		run = append(run, time.Since(began).Seconds())
		b.Logf("run     %5.1f s: %s", run[len(run)-1], stepsOf(r))
	}
	b.ReportMetric(median(run)/median(hand), "run/hand")
	b.ReportMetric(median(hand), "hand-s")
	b.ReportMetric(median(run), "run-s")
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

func stepsOf(r runner.Report) string {
	var out []string
	for _, one := range r.Steps {
		if one.Seconds >= 0.05 {
			out = append(out, fmt.Sprintf("%s %.1f", one.Name, one.Seconds))
		}
	}
	return strings.Join(out, ", ")
}

// fill publishes the days before, in one statement behind a first run that makes the tables.
func (s *till) fill(days int) {
	s.deliver(0, "b"+day(0))
	s.publish(0, "b"+day(0))
	s.Do(fmt.Sprintf("INSERT INTO ~silver.pos_basket SELECT concat('B', d, '-', lpad(CAST(b.id AS STRING), 7, '0')), d FROM range(%d) AS b LATERAL VIEW explode(sequence(DATE '%s', DATE '%s')) x AS d", s.baskets, day(1), day(days-1)))
	for from := 1; from < days; from += 21 {
		var of []string
		for n := from; n < min(from+21, days); n++ {
			of = append(of, s.lines(n, -2, -1, "x"))
		}
		s.Do("INSERT INTO ~gold.fct_pos_line SELECT CAST(upload_date AS DATE), CAST(business_date AS DATE), basket_id, CAST(line_no AS INT), store_id, CAST(quantity AS INT), CAST(amount AS DECIMAL(18,2)), upper(trim(currency)), _loaded_at FROM (" + strings.Join(of, " UNION ALL ") + ")")
	}
	s.t.Logf("%d lines in %d days", s.count("SELECT count(*) AS n FROM ~gold.fct_pos_line"), days)
}

// byHand is the day's job as a careful person would write it.
func (s *till) byHand(n int) string {
	s.t.Helper()
	const branch, main = "~gold.fct_pos_line VERSION AS OF 'audit'", "~gold.fct_pos_line VERSION AS OF 'main'"
	date := "DATE '" + day(n) + "'"
	var out []string
	step := func(name string, do func()) {
		began := time.Now()
		do()
		out = append(out, fmt.Sprintf("%s %.1f", name, time.Since(began).Seconds()))
	}
	none := func(sql string) {
		if bad := s.count(sql); bad != 0 {
			s.t.Fatalf("an audit by hand finds %d: %s", bad, sql)
		}
	}
	step("branch and delete", func() {
		s.Do("ALTER TABLE ~gold.fct_pos_line CREATE OR REPLACE BRANCH audit RETAIN 7 DAYS")
		s.onBranch()
		s.Do("DELETE FROM ~gold.fct_pos_line WHERE upload_date = " + date)
	})
	step("insert", func() {
		s.Do(`INSERT INTO ~gold.fct_pos_line
			SELECT upload_date, business_date, basket_id, line_no, store_id, quantity, amount, currency, _loaded_at FROM (
				SELECT *, row_number() OVER (PARTITION BY basket_id, line_no ORDER BY _loaded_at DESC) AS rn FROM (
					SELECT CAST(upload_date AS DATE) AS upload_date, CAST(business_date AS DATE) AS business_date, trim(basket_id) AS basket_id, CAST(line_no AS INT) AS line_no, store_id,
						CAST(quantity AS INT) AS quantity, CAST(amount AS DECIMAL(18,2)) AS amount, upper(trim(currency)) AS currency, _loaded_at
					FROM ~bronze.pos_line WHERE _batch_id = 'bench')) AS d
			WHERE rn = 1 AND NOT EXISTS (SELECT 1 FROM ` + main + ` AS t WHERE t.upload_date <> ` + date + ` AND t.basket_id = d.basket_id AND t.line_no = d.line_no)`)
		s.offBranch()
	})
	step("no line twice", func() {
		none("SELECT count(*) AS n FROM (SELECT basket_id, line_no FROM " + branch + " GROUP BY basket_id, line_no HAVING count(*) > 1)")
	})
	step("raw baskets", func() {
		none("SELECT count(*) AS n FROM ~silver.pos_basket AS b LEFT ANTI JOIN " + branch + " AS t ON b.basket_id = t.basket_id WHERE b.upload_date = " + date)
	})
	step("other days", func() {
		day := func(of string) string {
			return "SELECT upload_date, count(*) AS n, sum(amount) AS s FROM " + of + " WHERE upload_date <> " + date + " GROUP BY upload_date"
		}
		none("SELECT count(*) AS n FROM ((" + day(branch) + " EXCEPT " + day(main) + ") UNION ALL (" + day(main) + " EXCEPT " + day(branch) + "))")
	})
	step("invalid lines", func() {
		none("SELECT count(*) AS n FROM " + branch + " WHERE quantity <= 0 OR amount < 0")
	})
	step("fast_forward", func() {
		s.Do("CALL lake.system.fast_forward('~gold.fct_pos_line', 'main', 'audit')")
	})
	return strings.Join(out, ", ")
}

func (s *till) onBranch() {
	if err := s.Set(s.t.Context(), "spark.wap.branch", "audit"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *till) offBranch() {
	if err := s.Unset(s.t.Context(), "spark.wap.branch"); err != nil {
		s.t.Fatal(err)
	}
}
