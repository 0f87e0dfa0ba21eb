package runner

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/gen/plan"
)

// Facts are the numbers that checks judge, all counted by Spark.
type Facts struct {
	Input    int64
	Dirt     int64 // rejects that the ceiling counts
	Judged   int64 // input less superseded, late and already published rows
	Batches  int64 // in the baseline
	Median   float64
	Values   map[string]string // by statement, or statement.column
	NoValue  map[string]bool   // the statement gave NULL there, or no row
	Unknown  map[string]Lookup
	KeyTwice int64
	Reasons  map[string]int64 // rejects by first code
	Segments map[string]Grouping
	Usual    map[Window]Usual
	Decided  map[string]Fact // what the run protocol decided, by rule or statement
}

// Fact is a judgement that no single number shows.
type Fact struct {
	Value, Bound string
	OK           bool
	Skipped      bool
	Allowed      bool // it does not hold, and the command line lets it pass
}

// Lookup is what a lookup statement counted.
type Lookup struct {
	Unknown, Ambiguous               int64
	UnknownExample, AmbiguousExample string
}

// countDirt sets what the reject ceiling compares: rejects of the feed's fault, and
// the rows that are judged at all.
func (f *Facts) countDirt(reasons map[string]int64, notDirt []string) {
	f.Judged = f.Input
	for code, n := range reasons {
		if slices.Contains(notDirt, code) {
			f.Judged -= n
		} else {
			f.Dirt += n
		}
	}
}

// Judge decides one check. It is pure: the same facts give the same verdict.
func Judge(c plan.Check, f Facts) CheckResult {
	r := CheckResult{Code: c.Code, Rule: c.Rule, Severity: c.Severity, Dimension: c.Dimension, Owner: c.Owner}
	ok := false
	switch c.Kind {
	case plan.CheckRowCount:
		r.Value, r.Bound = strconv.FormatInt(f.Input, 10), boundText(c)
		ok = compare(c.Op, r.Value, c.Bounds)
	case plan.CheckCeiling:
		ok = ceiling(c, f, &r)
	case plan.CheckVolume:
		if why := noBaseline(c, f); why != "" {
			r.Result, r.Value, r.Bound = "skipped", strconv.FormatInt(f.Input, 10), why
			return r
		}
		ok = volume(c, f, &r)
	case plan.CheckValue:
		value, found := f.value(c.Statement, c.Column)
		r.Value, r.Bound = value, boundText(c)
		ok = found && compare(c.Op, value, c.Bounds)
	case plan.CheckShare:
		ok = percentage(c, f, &r)
	case plan.CheckAge:
		ok = age(c, f, &r)
	case plan.CheckKey:
		r.Value, r.Bound = strconv.FormatInt(f.KeyTwice, 10), "0"
		ok = f.KeyTwice == 0
	case plan.CheckLookup:
		l := f.Unknown[c.Statement]
		r.Value, r.Bound = rowsLike(l.Unknown, l.UnknownExample), "0 rows"
		ok = l.Unknown == 0
	case plan.CheckLookupOnce:
		l := f.Unknown[c.Statement]
		r.Value, r.Bound = rowsLike(l.Ambiguous, l.AmbiguousExample), "0 rows"
		ok = l.Ambiguous == 0
	case plan.CheckReason:
		r.Value, r.Bound = fmt.Sprintf("%d rows", f.Reasons[c.Op]), "0 rows of "+c.Op
		ok = f.Reasons[c.Op] == 0
	case plan.CheckFact:
		fact, known := f.Decided[c.Rule]
		if !known {
			fact = f.Decided[c.Statement]
		}
		r.Value, r.Bound, ok = fact.Value, fact.Bound, fact.OK
		if fact.Skipped {
			r.Result = "skipped"
			return r
		}
		if !ok && fact.Allowed {
			r.Result = "warned"
			return r
		}
	default:
		r.Value = "unknown kind of check: " + c.Kind
	}
	r.Result = verdict(ok, c.Severity)
	return r
}

// value is what a statement gave: its only cell, or one of its columns.
func (f Facts) value(statement, column string) (string, bool) {
	key := statement
	if column != "" {
		key += "." + column
	}
	value, found := f.Values[key]
	if !found || f.NoValue[key] {
		return "NULL", false
	}
	return value, true
}

// percentage is 100 * counted / all rows, and 0 without rows, as datacontract-cli
// 1.2.8 has it; exactly, for a rounded percentage could meet a bound that the
// rows do not.
func percentage(c plan.Check, f Facts, r *CheckResult) bool {
	r.Bound = boundText(c) + " %"
	counted, ok := f.value(c.Statement, c.Column)
	rows, all := f.value(c.Statement, "rows")
	n, valid := new(big.Rat).SetString(counted)
	of, total := new(big.Rat).SetString(rows)
	if !ok || !all || !valid || !total {
		r.Value = "NULL"
		return false
	}
	percent := new(big.Rat)
	if of.Sign() > 0 {
		percent.Quo(n.Mul(n, big.NewRat(100, 1)), of)
	}
	r.Value = fmt.Sprintf("%s %% (%s of %s)", percent.FloatString(2), counted, rows)
	return compare(c.Op, percent.RatString(), c.Bounds)
}

// age compares seconds, and shows them as people say them.
func age(c plan.Check, f Facts, r *CheckResult) bool {
	spell := func(seconds string) string {
		n, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return seconds
		}
		return (time.Duration(n) * time.Second).String()
	}
	r.Bound = "at most " + spell(c.Bounds[0])
	seconds, found := f.value(c.Statement, c.Column)
	if !found {
		r.Value = "no value in the table"
		return false
	}
	r.Value = spell(seconds)
	return compare(c.Op, seconds, c.Bounds)
}

func verdict(ok bool, severity string) string {
	switch {
	case ok:
		return "passed"
	case severity == "warning":
		return "warned"
	default:
		return "failed"
	}
}

// ceiling compares rejects with the rows that could have been dirt: superseded,
// late and already published rows are redeliveries and count on neither side.
func ceiling(c plan.Check, f Facts, r *CheckResult) bool {
	if len(c.By) > 0 {
		return ceilingBy(c, f, r)
	}
	r.Bound = "at most " + c.Bounds[0] + " %"
	if f.Judged <= 0 {
		r.Value = "0 of 0 rows"
		return true
	}
	percent := new(big.Rat).SetFrac64(f.Dirt*100, f.Judged)
	r.Value = fmt.Sprintf("%s %% (%d of %d)", percent.FloatString(2), f.Dirt, f.Judged)
	most, ok := new(big.Rat).SetString(c.Bounds[0])
	return ok && percent.Cmp(most) <= 0
}

func volume(c plan.Check, f Facts, r *CheckResult) bool {
	if len(c.By) > 0 {
		return volumeBy(c, f, r)
	}
	r.Bound = fmt.Sprintf("%s to %s times the median %s of %d batches", c.Bounds[0], c.Bounds[1], double(f.Median), f.Batches)
	least, ok1 := new(big.Rat).SetString(c.Bounds[0])
	most, ok2 := new(big.Rat).SetString(c.Bounds[1])
	median := new(big.Rat).SetFloat64(f.Median)
	if !ok1 || !ok2 || median == nil {
		return false
	}
	input := new(big.Rat).SetInt64(f.Input)
	r.Value = fmt.Sprintf("%d rows", f.Input)
	if median.Sign() > 0 {
		r.Value = fmt.Sprintf("%s (%d rows)", new(big.Rat).Quo(input, median).FloatString(2), f.Input)
	}
	return input.Cmp(least.Mul(least, median)) >= 0 && input.Cmp(most.Mul(most, median)) <= 0
}

func rowsLike(n int64, example string) string {
	if n == 0 || example == "" {
		return fmt.Sprintf("%d rows", n)
	}
	return fmt.Sprintf("%d rows, for example %q", n, example)
}

// compare applies an ODCS operator to decimal text, exactly; mustBe and
// mustNotBe fall back to text. Both between operators include their bounds, as
// datacontract-cli 1.2.8 does.
func compare(op, value string, bounds []string) bool {
	v, numeric := new(big.Rat).SetString(value)
	limits := make([]*big.Rat, len(bounds))
	for i, b := range bounds {
		limit, ok := new(big.Rat).SetString(b)
		numeric = numeric && ok
		limits[i] = limit
	}
	if len(bounds) == 0 || !numeric {
		return len(bounds) == 1 && (op == "mustBe" && value == bounds[0] || op == "mustNotBe" && value != bounds[0])
	}
	first := v.Cmp(limits[0])
	switch op {
	case "mustBe":
		return first == 0
	case "mustNotBe":
		return first != 0
	case "mustBeGreaterThan":
		return first > 0
	case "mustBeGreaterOrEqualTo":
		return first >= 0
	case "mustBeLessThan":
		return first < 0
	case "mustBeLessOrEqualTo":
		return first <= 0
	case "mustBeBetween":
		return len(limits) == 2 && first >= 0 && v.Cmp(limits[1]) <= 0
	case "mustNotBeBetween":
		return len(limits) == 2 && (first < 0 || v.Cmp(limits[1]) > 0)
	default:
		return false
	}
}

func boundText(c plan.Check) string {
	words := map[string]string{
		"mustBe": "= ", "mustNotBe": "not ", "mustBeGreaterThan": "> ", "mustBeGreaterOrEqualTo": ">= ",
		"mustBeLessThan": "< ", "mustBeLessOrEqualTo": "<= ", "mustBeBetween": "between ", "mustNotBeBetween": "not between ",
	}
	return words[c.Op] + strings.Join(c.Bounds, " and ")
}

// double is a number without an exponent: people compare it with counts of rows.
func double(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
