package runnertest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/runner"
)

// judge compares a run with what was wanted of it: each row, the report, and
// that every row is in exactly one place.
func (a *across) judge(given []row, r runner.Report, got map[int64]string, want prediction) (wrong map[int64]string) {
	a.t.Helper()
	a.placed(given, r, got)
	a.adds(r, want)
	wrong = map[int64]string{}
	for copies, lines := range byCopies(given) {
		have, expect := map[string]int{}, map[string]int{}
		for _, line := range lines {
			have[got[line]]++
			expect[changes(want.verdict[line])]++
		}
		if !maps.Equal(have, expect) {
			for _, line := range lines {
				wrong[line] = fmt.Sprintf("%s; want %s among the copies of %s", got[line], strings.Join(slices.Sorted(maps.Keys(expect)), " or "), copies)
			}
		}
	}
	return wrong
}

// changes is a verdict as staging shows it: the MERGE tells inserted from updated.
func changes(verdict string) string {
	if verdict == "inserted" || verdict == "updated" {
		return "changed"
	}
	return verdict
}

func byCopies(rows []row) map[string][]int64 {
	out := map[string][]int64{}
	for _, r := range rows {
		out[r.copies()] = append(out[r.copies()], r.line)
	}
	return out
}

// adds: the report adds up by itself, and says what was wanted.
func (a *across) adds(r runner.Report, want prediction) {
	a.t.Helper()
	if t := r.Target; r.Rows.Input != r.Rows.Accepted+r.Rows.Rejected || r.Rows.Accepted != t.Inserted+t.Updated+t.Unchanged+t.Stale || r.Rows.Refused != 0 {
		a.t.Errorf("batch %s: rows %+v and target %+v do not add up", r.Batch, r.Rows, r.Target)
	}
	if r.Target != want.target || !maps.Equal(r.Reasons, want.reasons) {
		a.t.Errorf("batch %s: target %+v, reasons %v; want %+v, %v", r.Batch, r.Target, r.Reasons, want.target, want.reasons)
	}
	if changed := r.Target.Inserted+r.Target.Updated > 0; changed != (r.Commit != nil) {
		a.t.Errorf("batch %s: target %+v, commit %v", r.Batch, r.Target, r.Commit)
	}
	warnings := maps.Clone(r.Warnings)
	delete(warnings, "column_vanished") // of small batches, whose rows leave columns out
	if !maps.Equal(warnings, want.warnings) {
		a.t.Errorf("batch %s: warnings %v, want %v", r.Batch, warnings, want.warnings)
	}
}

// placed: quarantine holds exactly the rejects of the run, each with its text,
// codes and place of origin; all other rows were accepted.
func (a *across) placed(given []row, r runner.Report, got map[int64]string) {
	a.t.Helper()
	held := a.rejects("_batch_id = '" + r.Batch + "'")[r.Batch]
	if len(got) != len(given) || r.Rows.Input != int64(len(given)) {
		a.t.Errorf("batch %s: %d rows of %d are staged, %d counted", r.Batch, len(got), len(given), r.Rows.Input)
	}
	for _, in := range given {
		q, rejected := held[in.line]
		delete(held, in.line)
		switch v := got[in.line]; {
		case rejected != (v != "changed" && v != "unchanged" && v != "stale"):
			a.t.Errorf("batch %s, line %d: the verdict is %q, in quarantine: %t", r.Batch, in.line, v, rejected)
		case rejected && (q.Reason != v || q.Reasons != reasonsOf(in, v)):
			a.t.Errorf("batch %s, line %d: quarantine says %q (%q), the verdict is %q, codes %v", r.Batch, in.line, q.Reason, q.Reasons, v, in.codes)
		case rejected && (q.File != fileOf(in) || !maps.Equal(q.Raw, in.evidence())):
			a.t.Errorf("batch %s, line %d: quarantine holds %s, %q; %s, %q was given", r.Batch, in.line, q.File, q.Raw, fileOf(in), in.evidence())
		}
	}
	if len(held) > 0 {
		a.t.Errorf("batch %s: quarantine also holds %v", r.Batch, held)
	}
}

func reasonsOf(r row, verdict string) string {
	if len(r.codes) > 0 {
		return strings.Join(r.codes, "; ")
	}
	return verdict
}

// evidence is the text that a row came as.
func (r row) evidence() map[string]string {
	out := map[string]string{}
	for name, text := range r.text {
		if text != nil {
			out[name] = *text
		}
	}
	return out
}
