package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/runner/fixture"
)

// Fixtures writes the outcome of one file: a line a fixture, and of a failed one
// its rows with what became of them, then each expectation that did not hold.
func Fixtures(w io.Writer, r fixture.Report) {
	if len(r.Results) == 0 {
		return // none of its fixtures was asked for
	}
	fmt.Fprintf(w, "%s (%s)\n", line(r.File), line(r.Table))
	for _, f := range r.Results {
		if f.Passed {
			fmt.Fprintf(w, "  ok    %s\n", line(f.Name))
			continue
		}
		fmt.Fprintf(w, "  FAIL  %s\n", line(f.Name))
		for _, text := range strings.Split(fixtureDiff(r.File, f), "\n") {
			fmt.Fprintf(w, "        %s\n", text)
		}
	}
	for _, schema := range r.Kept {
		fmt.Fprintf(w, "  kept  schema %s\n", line(schema))
	}
}

// fixtureDiff shows given, expected (-) and got (+).
func fixtureDiff(file string, f fixture.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d\n", line(file), f.Line)
	rows := []string{"given\tgot"}
	for i, r := range f.Rows {
		if i == 0 && r.Batch != lastBatch(f.Rows) || i > 0 && r.Batch != f.Rows[i-1].Batch {
			rows = append(rows, fmt.Sprintf("batch %d\t", r.Batch))
		}
		rows = append(rows, fmt.Sprintf("%3d  %s\t%s", r.Row, cut(line(r.Given), 100), line(r.Got)))
	}
	if len(rows) > 1 {
		table(&b, rows...)
	}
	for _, one := range f.Failures {
		where := ""
		if one.Batch > 0 {
			where = fmt.Sprintf(", batch %d", one.Batch)
		}
		fmt.Fprintf(&b, "%s%s\n", line(one.What), where)
		signed(&b, "- ", one.Want)
		signed(&b, "+ ", one.Got)
	}
	return strings.TrimRight(b.String(), "\n")
}

func lastBatch(rows []fixture.RowEnd) int { return rows[len(rows)-1].Batch }

func signed(b *strings.Builder, sign, text string) {
	for _, one := range strings.Split(text, "\n") {
		fmt.Fprintf(b, "  %s%s\n", sign, line(one))
	}
}

// FixturesJUnit writes a test case a fixture.
func FixturesJUnit(w io.Writer, reports []fixture.Report) error {
	suite := junitSuite{Name: "sluice test"}
	for _, r := range reports {
		for _, f := range r.Results {
			one := junitCase{Class: line(r.Table), Name: line(f.Name), File: line(r.File)}
			if !f.Passed {
				suite.Failures++
				one.Failure = &junitFailure{Message: line(firstFailure(f)), Type: "fixture", Text: fixtureDiff(r.File, f)}
			}
			suite.Cases = append(suite.Cases, one)
		}
	}
	return writeSuite(w, suite)
}

func firstFailure(f fixture.Result) string {
	if len(f.Failures) == 0 {
		return "not judged"
	}
	one := f.Failures[0]
	return fmt.Sprintf("%s: expected %s, got %s", one.What, one.Want, one.Got)
}

// FixtureTally is the closing line, and how many fixtures failed.
func FixtureTally(reports []fixture.Report) (text string, failed int) {
	total, seconds := 0, 0.0
	for _, r := range reports {
		seconds += r.Seconds
		for _, f := range r.Results {
			total++
			if !f.Passed {
				failed++
			}
		}
	}
	if failed > 0 {
		return fmt.Sprintf("%d of %s failed (%.1f s)", failed, Count(total, "fixture"), seconds), failed
	}
	return fmt.Sprintf("%s hold (%.1f s)", Count(total, "fixture"), seconds), failed
}
