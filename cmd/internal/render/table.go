package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"sluice/runner"
)

// TableReport writes what a check of a published table found. Differences are
// sentences; rules are lines of a table, as those of a run.
func TableReport(w io.Writer, r runner.TableReport) {
	fmt.Fprintf(w, "%s  %s  %s %s\n", strings.ToUpper(string(r.Result)), line(r.Table), line(r.Contract), line(r.Version))
	var rules []runner.CheckResult
	for _, c := range r.Checks {
		switch {
		case c.Dimension != conformity:
			rules = append(rules, c)
		case c.Result == "passed":
			fmt.Fprintf(w, "\nthe table is %s\n", line(c.Value))
		default:
			fmt.Fprintf(w, "\n%s: %s\n", line(c.Code), line(c.Value))
		}
	}
	checks(w, rules)
	if len(r.Notes) > 0 {
		fmt.Fprintln(w, "\nnotes")
		for _, n := range r.Notes {
			fmt.Fprintf(w, "  %s\n", line(n))
		}
	}
	for _, f := range r.Failures {
		fmt.Fprintf(w, "\nwhy\n  %s\n", line(f))
	}
	fmt.Fprintln(w)
}

// conformity is the dimension of what the guard compares.
const conformity = "conformity"

// TablesJUnit writes a test case a check. A warning is output, not a failure.
func TablesJUnit(w io.Writer, reports []runner.TableReport) error {
	suite := junitSuite{Name: "sluice check"}
	for _, r := range reports {
		for _, c := range r.Checks {
			one := junitCase{Class: line(r.Table), Name: line(c.Rule)}
			text := line(fmt.Sprintf("%s: %s, expected %s", c.Rule, c.Value, c.Bound))
			switch c.Result {
			case "failed":
				suite.Failures++
				one.Failure = &junitFailure{Message: text, Type: line(c.Code), Text: text}
			case "warned":
				one.Output = text
			}
			suite.Cases = append(suite.Cases, one)
		}
		for _, f := range r.Failures {
			suite.Failures++
			suite.Cases = append(suite.Cases, junitCase{Class: line(r.Table), Name: "check", Failure: &junitFailure{Message: line(f), Type: "failed", Text: line(f)}})
		}
	}
	return writeSuite(w, suite)
}

// TableTally is the closing line, and how many checks failed.
func TableTally(reports []runner.TableReport) (text string, found int) {
	total, tables := 0, 0
	for _, r := range reports {
		total += len(r.Checks)
		failed := len(slices.DeleteFunc(slices.Clone(r.Checks), func(c runner.CheckResult) bool { return c.Result != "failed" }))
		found += failed
		if failed > 0 {
			tables++
		}
	}
	if found == 0 {
		return fmt.Sprintf("%s of %s hold", Count(total, "check"), Count(len(reports), "table")), 0
	}
	return fmt.Sprintf("%d of %s failed, on %d of %s", found, Count(total, "check"), tables, Count(len(reports), "table")), found
}
