// Package snapshots_test looks at Iceberg tables from outside of a run: their
// heads, their history, their readers, and how they follow their contract.
package snapshots_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// sales is a small table, and its contract as a test has it now.
type sales struct {
	*testing.T
	lake     *runnertest.Lake
	contract *contracts.Contract
	plan     *plan.Plan
}

func newSales(t *testing.T, changes ...string) *sales {
	s := &sales{T: t, lake: runnertest.Iceberg(t)}
	s.at(changes...)
	for _, schema := range []string{"bronze", "gold"} {
		s.lake.Do("CREATE SCHEMA IF NOT EXISTS ~" + schema)
	}
	s.lake.Do("CREATE TABLE ~bronze.sales (day STRING, sale_id STRING, pieces STRING, amount STRING, note STRING, region STRING, _loaded_at TIMESTAMP, _batch_id STRING) USING ICEBERG")
	return s
}

// at changes lines of the contract; each line is given by how it begins, without
// its blanks and braces, and what stands there instead.
func (s *sales) at(changes ...string) {
	s.Helper()
	text, err := os.ReadFile("testdata/sales.odcs.yaml")
	if err != nil {
		s.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i := 0; i+1 < len(changes); i += 2 {
		found := false
		for n, one := range lines {
			if strings.HasPrefix(strings.TrimLeft(one, " -{"), changes[i]) && strings.HasSuffix(one, " #") {
				lines[n], found = changes[i+1], true
			}
		}
		if !found {
			s.Fatalf("no line of the contract begins with %q", changes[i])
		}
	}
	path := filepath.Join(s.TempDir(), "sales.odcs.yaml")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		s.Fatal(err)
	}
	s.contract, s.plan = s.lake.Plan(path)
}

const merged = `      - {property: publish, vendor: sluice, value: {mode: wap, branch: audit, write: merge}}`

// bring lands rows, each the values of a line of SQL behind the day: 'S1', '2', '3.50', NULL, NULL.
func (s *sales) bring(batch, day string, rows ...string) {
	s.Helper()
	values := make([]string, len(rows))
	for i, r := range rows {
		values[i] = fmt.Sprintf("('%s', %s, TIMESTAMP '%s 22:00:00', '%s')", day, r, day, batch)
	}
	s.lake.Do("INSERT INTO ~bronze.sales VALUES " + strings.Join(values, ", "))
}

func (s *sales) run(batch, day string) runner.Report {
	s.Helper()
	o := runner.Options{Batch: batch, Migrate: "sluice migrate sales.odcs.yaml"}
	if len(s.plan.Partition) > 0 {
		o.Partition = map[string]string{"day": day}
	}
	return s.lake.Run(s.plan, o)
}

func (s *sales) publish(batch, day string) runner.Report {
	s.Helper()
	r := s.run(batch, day)
	if r.Result != runner.Published {
		s.Fatalf("batch %s is %s: %s", batch, r.Result, strings.Join(r.Failures, "\n"))
	}
	return r
}

func (s *sales) number(sql string) int64 {
	s.Helper()
	n, err := s.lake.Rows("SELECT CAST((" + sql + ") AS BIGINT) AS n")[0].Number("n")
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// stamps reports whether this runtime writes userMetadata into snapshots.
func (s *sales) stamps() bool { return !strings.HasPrefix(s.lake.Version(), "3.") }
