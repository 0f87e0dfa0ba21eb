package render

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
)

// Summary writes what a run did, for the person who started it. The plan names
// the tables in which to look on.
func Summary(w io.Writer, r runner.Report, p *plan.Plan) {
	fmt.Fprintf(w, "%s  %s  batch %s\n", strings.ToUpper(string(r.Result)), line(r.Table), line(r.Batch))
	about := fmt.Sprintf("%s %s", line(r.Contract), line(r.Version))
	if r.Run != "" {
		about += ", run " + line(r.Run)
	}
	if r.Attempt > 1 {
		about += fmt.Sprintf(", attempt %d", r.Attempt)
	}
	fmt.Fprintf(w, "%s%s\n", about, cost(r))
	if r.Rows.Input > 0 || r.Result == runner.Published {
		rows(w, r)
	}
	checks(w, r.Checks)
	warnings(w, r)
	commit(w, r)
	failures(w, r, p)
}

func cost(r runner.Report) string {
	statements, seconds := 0, 0.0
	for _, s := range r.Steps {
		statements += s.Statements
		seconds += s.Seconds
	}
	if statements == 0 {
		return ""
	}
	return fmt.Sprintf(", %s in %.1f s", Count(statements, "statement"), seconds)
}

// rows shows that every row of the batch ended in one place.
func rows(w io.Writer, r runner.Report) {
	out := []string{
		fmt.Sprintf("rows in\t%d", r.Rows.Input),
		fmt.Sprintf("  accepted\t%d\t%s", r.Rows.Accepted, targets(r.Target)),
		fmt.Sprintf("  rejected\t%d", r.Rows.Rejected),
	}
	for _, code := range byCount(r.Reasons) {
		out = append(out, fmt.Sprintf("    %s\t%d", line(code), r.Reasons[code]))
	}
	if r.Rows.Refused > 0 {
		out = append(out, fmt.Sprintf("  refused\t%d\taccepted rows, kept in quarantine as batch_refused", r.Rows.Refused))
	}
	fmt.Fprintln(w)
	table(w, out...)
}

func targets(t runner.Target) string {
	var parts []string
	for _, one := range []struct {
		rows int64
		name string
	}{
		{t.Inserted, "inserted"},
		{t.Updated, "updated"},
		{t.Backfilled, "backfilled"},
		{t.Unchanged, "unchanged"},
		{t.Stale, "stale"},
		{t.Deleted, "deleted"},
	} {
		if one.rows > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.rows, one.name))
		}
	}
	return strings.Join(parts, ", ")
}

// byCount orders codes by rows, most first.
func byCount(m map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
}

func checks(w io.Writer, results []runner.CheckResult) {
	if len(results) == 0 {
		return
	}
	head, owner := "checks\tresult\tvalue\tallowed", commonOwner(results)
	if owner == "" {
		head += "\towner"
	}
	out := []string{head}
	for _, c := range results {
		name := c.Code
		if c.Rule != "" {
			name = c.Rule
		}
		row := fmt.Sprintf("  %s\t%s\t%s\t%s", line(name), c.Result, cut(line(c.Value), 60), line(c.Bound))
		if owner == "" {
			row += "\t" + line(c.Owner)
		}
		out = append(out, row)
	}
	fmt.Fprintln(w)
	table(w, out...)
	if owner != "" {
		fmt.Fprintf(w, "  owner of all: %s\n", line(owner))
	}
}

// commonOwner is the one owner of several checks, said once: a column of it makes
// lines that a terminal wraps.
func commonOwner(results []runner.CheckResult) string {
	for _, c := range results {
		if c.Owner != results[0].Owner || len(results) == 1 {
			return ""
		}
	}
	return results[0].Owner
}

func warnings(w io.Writer, r runner.Report) {
	if len(r.Warnings) > 0 {
		out := []string{"warnings\trows"}
		for _, code := range byCount(r.Warnings) {
			out = append(out, fmt.Sprintf("  %s\t%d\t%s", line(code), r.Warnings[code], warningText[code]))
		}
		fmt.Fprintln(w)
		table(w, out...)
	}
	if len(r.Notes) > 0 {
		fmt.Fprintln(w, "\nnotes")
		for _, n := range r.Notes {
			fmt.Fprintf(w, "  %s\n", line(n))
		}
	}
}

func commit(w io.Writer, r runner.Report) {
	switch {
	case r.Commit != nil && r.Commit.Branch != "":
		fmt.Fprintf(w, "\ncommit  main of %s is snapshot %d, audited on branch %s; before it was %d\n", line(r.Table), r.Commit.Snapshot, line(r.Commit.Branch), r.Commit.Previous)
		if r.Commit.UserMetadata != "" {
			fmt.Fprintf(w, "        %s\n", line(r.Commit.UserMetadata))
		}
	case r.Commit != nil:
		fmt.Fprintf(w, "\ncommit  version %d of %s: %s\n", r.Commit.Version, line(r.Table), line(r.Commit.UserMetadata))
	case r.Result == runner.Published:
		fmt.Fprintf(w, "\ncommit  none: no accepted row changes %s\n", line(r.Table))
	}
}

// failures shows each cause with what to do about it.
func failures(w io.Writer, r runner.Report, p *plan.Plan) {
	if len(r.Failures) == 0 {
		return
	}
	fmt.Fprintln(w, "\nwhy")
	codes := map[string]bool{}
	var advice []string
	for _, f := range r.Failures {
		for _, text := range strings.Split(strings.TrimRight(f, "\n"), "\n") {
			fmt.Fprintf(w, "  %s\n", line(text))
			code, _, _ := strings.Cut(text, ":")
			if say := adviceText[code]; say != "" && !codes[code] {
				codes[code] = true
				advice = append(advice, say)
			}
		}
	}
	if q := p.TableOf(plan.QuarantineTable); q != nil && r.Rows.Rejected+r.Rows.Refused > 0 {
		advice = append(advice, fmt.Sprintf("the rejects: SELECT * FROM %s WHERE _batch_id = %s", line(q.SQL), sparksql.String(r.Batch)))
	}
	advice = append(advice, resultText[r.Result])
	fmt.Fprintln(w, "\nwhat to do")
	for _, a := range advice {
		fmt.Fprintf(w, "  %s\n", a)
	}
}
