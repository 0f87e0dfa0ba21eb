package wap_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/runner/runnertest/proxy"
)

// A run whose process is killed behind a statement leaves main as it was, or as the
// whole day; the same command again ends as one clean run. SLUICE_LONG=1 kills
// behind every statement, else behind some.
func TestKilledRuns(t *testing.T) {
	clean, killed := newTill(t, 200), newTill(t, 200)
	command := build(t)
	file := killed.contractFile(t)
	gate := proxy.Start(t, killed.Remote)
	run := func(n int, at int64) (code int) {
		gate.Reset()
		cmd := exec.CommandContext(t.Context(), command, "run", file, "--batch", "b"+day(n), "--partition", "upload_date="+day(n), "--remote", gate.Remote, "--quiet")
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		gate.Ended = func(statement int64) {
			if statement == at {
				_ = cmd.Process.Kill()
			}
		}
		err := cmd.Run()
		if code = cmd.ProcessState.ExitCode(); code > 0 {
			t.Fatalf("exit %d: %v\n%s", code, err, out.String())
		}
		return code
	}
	killed.deliverDirty(0)
	if code := run(0, 0); code != 0 {
		t.Fatalf("the first day: exit %d", code)
	}
	clean.deliverDirty(0)
	clean.publish(0, "b"+day(0))
	first := gate.Count()
	points := killPoints(first)
	t.Logf("a first run has %d statements; killed behind %v", first, points)
	for i, at := range points {
		n := i + 1
		killed.deliverDirty(n)
		clean.deliverDirty(n)
		clean.publish(n, "b"+day(n))
		before := killed.heads()["main"]
		if code := run(n, at); code >= 0 && at <= gate.Count() {
			t.Errorf("statement %d: the run ended with exit %d before it was killed", at, code)
		}
		if now := killed.heads()["main"]; now != before {
			killed.same(t, clean, "published, killed behind statement "+fmt.Sprint(at), publishedRows)
		}
		if code := run(n, 0); code != 0 {
			t.Errorf("statement %d: the same command again: exit %d", at, code)
		}
	}
	for what, sql := range map[string]string{"published": publishedRows, "quarantine": quarantineRows, "audit log": auditRows} {
		killed.same(t, clean, what, sql)
	}
	if tags := killed.count("SELECT count(*) AS n FROM ~gold.fct_pos_line.refs WHERE type = 'TAG'"); tags != 0 {
		t.Errorf("%d tags are left", tags)
	}
}

const (
	publishedRows  = "SELECT * FROM ~gold.fct_pos_line"
	quarantineRows = "SELECT basket_id, line_no, raw_quantity, raw_amount, _reject_reason, _reject_reasons, _batch_id, _contract_version, _source_file, _loaded_at FROM ~quarantine.fct_pos_line"
	// A run that was killed once it had published is recorded twice: recovered, and by the run that recovered it.
	auditRows = "SELECT DISTINCT batch_id, `partition`, input_rows, accepted_rows, rejected_rows, refused_rows, CAST(reasons AS STRING) AS reasons, target_counts['inserted'] AS inserted, passed, published FROM ~ops.audit_log"
)

// killPoints are statements of a run, from the first to beyond the last one of a
// routine run. A first run has more, for it makes the tables.
func killPoints(statements int64) []int64 {
	var all []int64
	for at := int64(1); at <= statements; at++ {
		all = append(all, at)
	}
	if os.Getenv("SLUICE_LONG") == "1" {
		return all
	}
	random := rand.New(rand.NewPCG(8, 1))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	some := all[:2]
	if testing.Short() {
		some = all[:1]
	}
	slices.Sort(some)
	return some
}

// same compares a query on two lakes, both ways.
func (s *till) same(t *testing.T, other *till, what, sql string) {
	t.Helper()
	one, two := s.Names(sql), other.Names(sql)
	for _, way := range []string{one + " EXCEPT ALL " + two, two + " EXCEPT ALL " + one} {
		if rows := s.Rows("SELECT * FROM (" + way + ") LIMIT 5"); len(rows) > 0 {
			t.Errorf("%s differs: %v", what, rows)
		}
	}
}

// deliverDirty is a day with rows that are rejected, by a rule and as copies.
func (s *till) deliverDirty(n int) {
	s.deliver(n, "b"+day(n))
	copied := "basket_id LIKE '%-0000011' AND line_no = '2'"
	s.Do("INSERT INTO ~bronze.pos_line SELECT upload_date, business_date, basket_id, concat(line_no, '0'), store_id, '0', amount, currency, _source_file, _loaded_at, _batch_id FROM ~bronze.pos_line WHERE _batch_id = 'b" + day(n) + "' AND " + copied +
		" UNION ALL SELECT * FROM ~bronze.pos_line WHERE _batch_id = 'b" + day(n) + "' AND " + copied)
}

// contractFile is the contract in the lake's schemas, as a file for the command.
func (s *till) contractFile(t *testing.T) string {
	text, err := os.ReadFile(contract)
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.NewReplacer("schema: gold", "schema: "+s.Prefix+"gold", "gold.", s.Prefix+"gold.", "bronze.", s.Prefix+"bronze.", "silver.", s.Prefix+"silver.", "quarantine.fct", s.Prefix+"quarantine.fct",
		"      - property: dedup\n", "      - property: staging\n        vendor: sluice\n        value: {table: "+s.Prefix+"staging.fct_pos_line, auditLog: "+s.Prefix+"ops.audit_log}\n      - property: dedup\n").Replace(string(text))
	path := filepath.Join(t.TempDir(), "pos_line.odcs.yaml")
	if err := os.WriteFile(path, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// build is the command itself.
func build(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "sluice")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "sluice/cmd/sluice").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	return path
}
