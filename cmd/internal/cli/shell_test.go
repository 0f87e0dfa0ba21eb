package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/runner/local"
	"sluice/runner/runnertest"
)

// shop is what is there before a first run: two batches of orders, with one amount
// that is none and a newer version of one order.
const shop = `CREATE SCHEMA bronze;
CREATE SCHEMA silver;
CREATE TABLE silver.customers USING DELTA AS SELECT 'C1' AS customer_id;
CREATE TABLE bronze.orders (order_id STRING, customer_id STRING, order_ts STRING, order_total STRING, currency STRING, source_updated_at STRING, _source_file STRING, _loaded_at TIMESTAMP, _batch_id STRING) USING DELTA;
INSERT INTO bronze.orders SELECT concat('ORD-', 100000 + id), 'C1', '2026-03-20 10:00:00', if(id = 3, 'many', '9.90'), 'AUD', '2026-03-20 10:05:00', 'a.csv', TIMESTAMP '2026-03-21 04:00:00', 'b1' FROM range(1, 201);
INSERT INTO bronze.orders SELECT concat('ORD-', 100000 + id), 'C1', '2026-03-20 10:00:00', '12.00', 'AUD', '2026-03-21 10:05:00', 'b.csv', TIMESTAMP '2026-03-22 04:00:00', 'b2' FROM range(200, 350);
`

// sqlShell is Spark's own spark-sql, which ends at the first statement that fails.
type sqlShell struct {
	local.Application
	t   *testing.T
	dir string
}

// file writes statements where the shell finds them.
func (s sqlShell) file(name, text string) string {
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s sqlShell) run(args ...string) string {
	s.t.Helper()
	var out, log bytes.Buffer
	cmd := s.SQL(s.t.Context(), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, &out, &log
	if err := cmd.Run(); err != nil {
		text := log.String()
		s.t.Fatalf("spark-sql %s: %v\n%s", strings.Join(args, " "), err, text[max(0, len(text)-6000):])
	}
	return out.String()
}

// script is the plan of a batch as the command line prints it.
func script(t *testing.T, args ...string) string {
	t.Helper()
	b := newBench()
	if code := b.main(append([]string{"plan", orders}, args...)...); code != 0 {
		t.Fatalf("plan exits %d: %s", code, b.err.String())
	}
	return b.out.String()
}

// A printed script runs as it is in a plain SQL shell: on a first run, and then on
// the table that it has made.
func TestPlanIsAScriptForAPlainShell(t *testing.T) {
	runnertest.Once(t)
	s := sqlShell{runnertest.Application(t), t, t.TempDir()}
	s.run("-i", s.file("shop.sql", shop), "-f", s.file("first.sql", script(t, "--batch", "b1")))
	got := s.run("-i", s.file("second.sql", script(t, "--batch", "b2", "--existing")), "-e", `
SELECT order_total, _source_file, count(*), min(order_id) FROM silver.orders GROUP BY ALL ORDER BY 1 DESC;
SELECT order_id, _batch_id, _reject_reasons FROM quarantine.orders;
SELECT batch_id, contract_version, input_rows, accepted_rows, rejected_rows, reasons, passed, published FROM ops.audit_log ORDER BY batch_id;
SELECT run_id <> lead(run_id) OVER (ORDER BY batch_id) FROM ops.audit_log ORDER BY batch_id LIMIT 1;
SHOW TBLPROPERTIES silver.orders ('contract.version');
`)
	for _, want := range []string{
		"12.00\tb.csv\t150\tORD-100200\n9.90\ta.csv\t198\tORD-100001\n",
		"ORD-100003\tb1\tbad_amount\n",
		"b1\t2.2.0\t200\t199\t1\t{\"bad_amount\":1}\ttrue\ttrue\nb2\t2.2.0\t150\t150\t0\t{}\ttrue\ttrue\ntrue\n",
		"contract.version\t2.2.0\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the shell does not show\n%s\nbut\n%s", want, got[max(0, len(got)-3000):])
		}
	}
}
