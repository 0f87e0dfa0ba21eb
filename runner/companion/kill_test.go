package companion_test

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/runner"
	"sluice/runner/runnertest"

	"github.com/google/go-cmp/cmp"
)

// shop has two batches with every kind of row, the second against the first.
var shop = map[string]string{
	"b1": "order_id,customer_id,amount,changed_at\nO1,C1,5.00,2026-03-01 09:00:00\nO1,C1,4.00,2026-03-01 08:00:00\nO2,C2,x,2026-03-01 09:00:00\nO3,C2,7.00,2026-03-01 09:00:00\n",
	"b2": "order_id,customer_id,amount,changed_at\nO1,C1,6.00,2026-03-02 09:00:00\nO3,C2,1.00,2026-02-01 09:00:00\nO4,C1,-1.00,2026-03-02 09:00:00\nO5,C1,8.00,2026-03-02 09:00:00\n",
}

// A job is ended as a platform does it, its binary is killed, or its driver is,
// each at a random step. What is run again ends as one clean run. A usual test
// run takes one of the three; with SLUICE_LONG=1 all come, one after the other
// too, on another lake each round.
func TestKilledJobsAreRunAgain(t *testing.T) {
	runnertest.Once(t)
	ends := []func(*family, *testing.T){(*family).terminate, (*family).killBinary, (*family).killDriver}
	random, rounds := seeded(t), 4
	plan := map[string][]func(*family, *testing.T){"b1": ends[:2], "b2": ends[2:]}
	if os.Getenv("SLUICE_LONG") != "1" {
		everywhere(t)
		one := random.IntN(len(ends))
		rounds, plan = 1, map[string][]func(*family, *testing.T){"b1": ends[one : one+1]}
	}
	contract := root + "/runner/runnertest/testdata/shop/orders.odcs.yaml"
	batches := slices.Sorted(maps.Keys(plan))
	l := jobs(t, contract)
	for round := range rounds {
		if round > 0 {
			l = l.again()
		}
		l.prepare(batches)
		for _, batch := range batches {
			for _, end := range plan[batch] {
				l.killed(batch, random, end)
			}
			l.rerun(batch)
		}
		if diff := cmp.Diff(clean(t, contract, batches), l.rows(outcome("")...)); diff != "" {
			t.Errorf("round %d: tables after kills (+) differ from those of clean runs (-):\n%s", round, diff)
		}
	}
}

// halfMade is the folder that a driver leaves which is killed while Delta makes a table.
var halfMade = regexp.MustCompile(`DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION.*?'file:([^']+)'`)

// rerun runs the same job again, to its end. What it cannot mend by itself it must
// say, with what to do; that is done here.
func (l lake) rerun(batch string) {
	l.t.Helper()
	code, said := l.job(batch)
	if left := halfMade.FindStringSubmatch(said); code == 3 && left != nil && strings.Contains(said, "delete the folder, and run the same command again") {
		l.t.Logf("%s: a killed CREATE TABLE left %s", batch, left[1])
		if err := os.RemoveAll(left[1]); err != nil {
			l.t.Fatal(err)
		}
		code, said = l.job(batch)
	}
	if code != 0 {
		l.t.Fatalf("%s again: exit %d: %s", batch, code, tail(said))
	}
}

// again is another lake for the same bundle.
func (l lake) again() lake {
	l.app = runnertest.Application(l.t)
	return l
}

func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("SLUICE_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("SLUICE_SEED: %v", err)
		}
		seed = n
	}
	t.Logf("SLUICE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// prepare makes the lookup and lands the batches.
func (l lake) prepare(batches []string) {
	l.t.Helper()
	commands := [][]string{}
	for _, batch := range batches {
		commands = append(commands, []string{"land", "orders.odcs.yaml", csvFile(l.t, batch), "--batch", batch})
	}
	first, _ := json.Marshal(customers) //nolint:errchkjson // texts
	second, _ := json.Marshal(commands) //nolint:errchkjson // texts
	if code, said := l.submit("testdata/prepare.py", l.bundle, string(first), string(second)); code != 0 {
		l.t.Fatalf("landing: exit %d: %s", code, tail(said))
	}
}

var customers = []string{
	"CREATE SCHEMA silver",
	"CREATE TABLE silver.customers (customer_id STRING NOT NULL) USING DELTA",
	"INSERT INTO silver.customers VALUES ('C1'), ('C2')",
}

func csvFile(t *testing.T, batch string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), batch+".csv")
	if err := os.WriteFile(path, []byte(shop[batch]), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// killed starts a job and ends a part of it at a random moment of a random step.
// Then nothing of the job is left, and it did not look as if it had published.
func (l lake) killed(batch string, random *rand.Rand, end func(*family, *testing.T)) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 6*time.Minute)
	defer cancel()
	cmd := l.jobCommand(ctx, batch)
	said := &output{lines: make(chan string, 10_000)}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	step, pause := 1+random.IntN(25), time.Duration(random.IntN(400))*time.Millisecond
	done := make(chan error, 1)
	go func() { done <- cmd.Wait(); close(said.lines) }()
	seen, members := 0, (*family)(nil)
	for line := range said.lines {
		if !strings.HasPrefix(line, "[") {
			continue
		}
		if seen++; seen == step {
			time.Sleep(pause)
			members = relatives(l.t, cmd.Process.Pid)
			end(members, l.t)
		}
	}
	code := exitCode(l.t, <-done)
	text := said.all.String()
	l.t.Logf("%s ended in step %d, %s into the next: exit %d", batch, step, pause, code)
	if members == nil {
		l.t.Fatalf("the job ended before step %d: exit %d: %s", step, code, tail(text))
	}
	if code == 0 {
		l.t.Errorf("the job looks as if it had published: %s", tail(text))
	}
	members.gone(l.t)
	l.closed(text)
}

// outcome is what a killed and repeated run must share with a clean one: every
// row, and the last word of the audit log on each batch. The log itself may also
// have the run that was killed, as recovered.
func outcome(prefix string) []string {
	return []string{
		"SELECT to_json(struct(order_id, customer_id, amount, changed_at)) AS r FROM " + prefix + "silver.orders ORDER BY r",
		"SELECT to_json(struct(order_id, raw_customer_id, raw_amount, raw_changed_at, _reject_reasons, _batch_id, _source_line)) AS r FROM " + prefix + "quarantine.orders ORDER BY r",
		`SELECT to_json(struct(batch_id, max_by(struct(input_rows, accepted_rows, rejected_rows, refused_rows, passed, published, array_sort(map_entries(reasons)), failures), started_at),
			max(CASE WHEN published THEN target_counts['inserted'] END) AS inserted)) AS r FROM ` + prefix + `ops.audit_log GROUP BY batch_id ORDER BY r`,
	}
}

// clean runs the batches once each from here against the local server.
func clean(t *testing.T, contract string, batches []string) [][]string {
	lake := runnertest.Spark(t)
	c, p := lake.Plan(contract)
	for _, sql := range customers {
		lake.Do(strings.ReplaceAll(sql, "silver", "~silver"))
	}
	for _, batch := range batches {
		lake.Land(c, batch, csvFile(t, batch))
		if r := lake.Run(p, runner.Options{Batch: batch}); r.Result != runner.Published {
			t.Fatalf("%s: %s, %v", batch, r.Result, r.Failures)
		}
	}
	var out [][]string
	for _, query := range outcome(lake.Prefix) {
		var texts []string
		for _, row := range lake.Rows(query) {
			texts = append(texts, row.Text("r"))
		}
		out = append(out, texts)
	}
	return out
}
