package runner_test

import (
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
)

func TestJudge(t *testing.T) {
	ceiling := plan.Check{Kind: plan.CheckCeiling, Bounds: []string{"2"}, Severity: "error"}
	volume := plan.Check{Kind: plan.CheckVolume, Bounds: []string{"0.5", "2"}, Severity: "error"}
	value := func(op string, bounds ...string) plan.Check {
		return plan.Check{Kind: plan.CheckValue, Statement: "rule", Op: op, Bounds: bounds, Severity: "error"}
	}
	warn := value("mustBe", "0")
	warn.Severity = "warning"
	is := func(v string) runner.Facts { return runner.Facts{Values: map[string]string{"rule": v}} }
	share := func(op string, bounds ...string) plan.Check {
		return plan.Check{Kind: plan.CheckShare, Statement: "all", Column: "n", Op: op, Bounds: bounds, Severity: "error"}
	}
	metrics := func(n, rows string) runner.Facts {
		return runner.Facts{Values: map[string]string{"all.n": n, "all.rows": rows}}
	}
	column := plan.Check{Kind: plan.CheckValue, Statement: "all", Column: "n", Op: "mustBe", Bounds: []string{"7"}, Severity: "error"}
	age := plan.Check{Kind: plan.CheckAge, Statement: "all", Column: "n", Op: "mustBeLessOrEqualTo", Bounds: []string{"3600"}, Severity: "error"}
	for name, c := range map[string]struct {
		check plan.Check
		facts runner.Facts
		want  string
	}{
		"at the ceiling":                 {ceiling, runner.Facts{Dirt: 2, Judged: 100}, "passed"},
		"just above the ceiling":         {ceiling, runner.Facts{Dirt: 201, Judged: 10000}, "failed"},
		"nothing that could be dirt":     {ceiling, runner.Facts{}, "passed"},
		"first batch has no baseline":    {volume, runner.Facts{Input: 5}, "skipped"},
		"half the median":                {volume, runner.Facts{Input: 50, Median: 100, Batches: 3}, "passed"},
		"under half of an odd median":    {volume, runner.Facts{Input: 50, Median: 100.5, Batches: 2}, "failed"},
		"twice the median":               {volume, runner.Facts{Input: 200, Median: 100, Batches: 3}, "passed"},
		"above twice":                    {volume, runner.Facts{Input: 201, Median: 100, Batches: 3}, "failed"},
		"mustBe by value, not by text":   {value("mustBe", "0"), is("0.00"), "passed"},
		"mustBe text":                    {value("mustBe", "ok"), is("ok"), "passed"},
		"mustNotBe text":                 {value("mustNotBe", "ok"), is("ok"), "failed"},
		"greater than text is a failure": {value("mustBeGreaterThan", "1"), is("many"), "failed"},
		"between includes its bounds":    {value("mustBeBetween", "1", "5"), is("5"), "passed"},
		"not between excludes them":      {value("mustNotBeBetween", "1", "5"), is("1"), "failed"},
		"less than":                      {value("mustBeLessThan", "5"), is("5"), "failed"},
		"less or equal":                  {value("mustBeLessOrEqualTo", "5"), is("5"), "passed"},
		"greater or equal":               {value("mustBeGreaterOrEqualTo", "5"), is("4.999"), "failed"},
		"an operator that is none":       {value("mustBeNice", "5"), is("5"), "failed"},
		"NULL fails":                     {value("mustBe", "0"), runner.Facts{NoValue: map[string]bool{"rule": true}, Values: map[string]string{"rule": "0"}}, "failed"},
		"a warning warns":                {warn, is("1"), "warned"},
		"a code that must not occur":     {plan.Check{Kind: plan.CheckReason, Op: "ambiguous_duplicate", Severity: "error"}, runner.Facts{Reasons: map[string]int64{"ambiguous_duplicate": 1}}, "failed"},
		"an unknown kind never passes":   {plan.Check{Kind: "new", Severity: "error"}, runner.Facts{}, "failed"},
		"a third is below 33.34 percent": {share("mustBeLessThan", "33.34"), metrics("1", "3"), "passed"},
		"a third is above 33.33 percent": {share("mustBeLessOrEqualTo", "33.33"), metrics("1", "3"), "failed"},
		"no rows are 0 percent":          {share("mustBe", "0"), metrics("0", "0"), "passed"},
		"percent of a query that failed": {share("mustBe", "0"), runner.Facts{}, "failed"},
		"all rows are 100 percent":       {share("mustBeBetween", "100", "101"), metrics("7", "7"), "passed"},
		"a column of many":               {column, metrics("7", "9"), "passed"},
		"just fresh enough":              {age, metrics("3600", "9"), "passed"},
		"a second too old":               {age, metrics("3601", "9"), "failed"},
		"an empty table is not fresh":    {age, runner.Facts{Values: map[string]string{"all.n": "0"}, NoValue: map[string]bool{"all.n": true}}, "failed"},
	} {
		if got := runner.Judge(c.check, c.facts); got.Result != c.want {
			t.Errorf("%s: %s (%s against %s), want %s", name, got.Result, got.Value, got.Bound, c.want)
		}
	}
}
