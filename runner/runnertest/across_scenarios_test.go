package runnertest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
)

// scenarios plays histories that are told in files.
type scenarios struct {
	*across
	line int64
}

// Every history of testdata/across ends as it says: each row's verdict when it
// comes first and when it comes again, the warnings, and what is published.
func TestHistories(t *testing.T) {
	t.Parallel()
	s := &scenarios{across: openAcross(t)}
	shared := append(toldHistories(t, "rounds.yaml"), toldHistories(t, "types.yaml")...)
	s.rounds(shared)
	alone := toldHistories(t, "alone.yaml")
	for i := range alone {
		for n, step := range alone[i].Steps {
			s.step(&alone[i], n+1, step)
		}
	}
	table := s.table()
	for _, h := range append(shared, alone...) {
		h.published(t, table)
	}
}

// rounds runs the i-th batches of all histories as one batch, then the first two again.
func (s *scenarios) rounds(histories []told) {
	s.t.Helper()
	var batches [3][]toldRow
	for i := range histories {
		h := &histories[i]
		if len(h.Batches) > len(batches) {
			s.t.Fatalf("%s: more than %d batches", h.Name, len(batches))
		}
		for round, rows := range h.Batches {
			batches[round] = append(batches[round], s.rows(h, rows)...)
		}
	}
	for _, name := range []string{"round 1", "round 2", "round 3", "again 1", "again 2"} {
		round := int(name[len(name)-1] - '1')
		want := wanted(batches[round], strings.HasPrefix(name, "again"))
		for _, h := range histories {
			for code, n := range h.Warnings[name] {
				want.warnings[code] += n
			}
		}
		batch := fmt.Sprintf("round%d", round+1)
		if name == fmt.Sprintf("round %d", round+1) {
			s.land("INTO", delivery{batch, bare(batches[round])})
		}
		s.compare(name, batches[round], s.run(runner.Options{Batch: batch}), want)
	}
}

func (s *scenarios) rows(h *told, given []values) []toldRow {
	var out []toldRow
	for _, g := range given {
		s.line++
		out = append(out, h.row(s.line, g))
	}
	return out
}

func wanted(rows []toldRow, again bool) prediction {
	p := prediction{verdict: map[int64]string{}, warnings: map[string]int64{}}
	for _, r := range rows {
		p.verdict[r.line] = r.first
		if again {
			p.verdict[r.line] = r.again
		}
	}
	p.count()
	return p
}

func (s *scenarios) compare(name string, rows []toldRow, r runner.Report, want prediction) {
	s.t.Helper()
	wrong := s.judge(bare(rows), r, s.verdicts(r.Run), want)
	for _, row := range rows {
		if text, there := wrong[row.line]; there {
			s.t.Errorf("%s: %s: %q is %s", row.history.Name, name, row.evidence(), text)
		}
	}
}

// step lands and runs a batch by itself, in place of the one of its id.
func (s *scenarios) step(h *told, n int, step step) {
	s.t.Helper()
	rows := s.rows(h, step.Rows)
	s.lake.Do("DELETE FROM ~bronze.across WHERE _batch_id = '" + step.Batch + "'")
	s.land("INTO", delivery{step.Batch, bare(rows)})
	p := s.plan
	if step.Stricter {
		p = s.stricter()
	}
	before := s.rejects("true")
	r := s.lake.Run(p, runner.Options{Batch: step.Batch, AcceptChanged: step.Accept})
	name := fmt.Sprintf("%s: step %d", h.Name, n)
	if step.Refused != "" {
		refused(s.t, r, step.Refused)
		if now := s.rejects("true"); !reflect.DeepEqual(now, before) {
			s.t.Errorf("%s: a refused batch changed quarantine", name)
		}
		return
	}
	if r.Result != runner.Published {
		s.t.Fatalf("%s: %s: %v", name, r.Result, r.Failures)
	}
	want := wanted(rows, false)
	for code, n := range step.Warnings {
		want.warnings[code] = n
	}
	s.compare(name, rows, r, want)
}

// stricter is the plan of a contract that allows one state less.
func (s *scenarios) stricter() *plan.Plan {
	s.t.Helper()
	text, err := os.ReadFile(acrossContract)
	if err != nil {
		s.t.Fatal(err)
	}
	for old, now := range map[string]string{"{value: open}, ": "", "version: 1.0.0": "version: 1.1.0"} {
		if !bytes.Contains(text, []byte(old)) {
			s.t.Fatalf("the contract does not say %q", old)
		}
		text = bytes.Replace(text, []byte(old), []byte(now), 1)
	}
	path := filepath.Join(s.t.TempDir(), "stricter.odcs.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	_, p := s.lake.Plan(path)
	return p
}
