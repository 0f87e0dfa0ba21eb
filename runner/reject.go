package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sluice/gen/plan"
)

// quarantine replaces the batch's rejects, then counts them where they lie. It
// comes before the ceiling is judged: a refused batch keeps its evidence.
func (a *attempt) quarantine(ctx context.Context) error {
	if _, err := a.step(ctx, "quarantine"); err != nil {
		return err
	}
	return a.countQuarantine(ctx, a.report.Reasons)
}

func (a *attempt) countQuarantine(ctx context.Context, want map[string]int64) error {
	out, err := a.step(ctx, "quarantine_counts")
	if err != nil || out == nil {
		return err
	}
	have := map[string]int64{}
	for _, r := range out["quarantine_counts"] {
		if have[r.Text("reason")], err = r.Number("rows"); err != nil {
			return err
		}
	}
	if !maps.Equal(have, want) {
		a.refuse("rows_not_conserved: quarantine holds %s for this batch, the verdicts are %s", countsText(have), countsText(want))
	}
	return nil
}

func countsText(m map[string]int64) string {
	if len(m) == 0 {
		return "nothing"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}

// judge decides the rules over the whole batch. Every check is judged, so that
// one message names all that is wrong.
func (a *attempt) judge(ctx context.Context) error {
	if a.refused() {
		return nil
	}
	if err := a.segments(ctx); err != nil {
		return err
	}
	out, err := a.step(ctx, "judge")
	if err != nil {
		return err
	}
	a.readValues(out)
	a.facts.Reasons = a.report.Reasons
	a.facts.countDirt(a.report.Reasons, a.plan.NotDirt)
	a.judgePartition()
	keepAccepted := a.judgeStep("settle_lookups", "judge")
	for _, column := range a.allNull {
		a.refuse("column_all_null: required column %q has no value in the whole batch; was it renamed in the source?%s", column, a.unreadColumns())
	}
	if a.refused() && keepAccepted {
		return a.keepRefused(ctx)
	}
	return nil
}

// readValues takes the one row of each rule statement: its only cell, or the
// columns of the statement that counts all metrics.
func (a *attempt) readValues(out results) {
	for name, rows := range out {
		if len(rows) == 0 {
			a.facts.NoValue[name] = true
			continue
		}
		for column := range rows[0] {
			keys := []string{name + "." + column}
			if column == "value" && len(rows[0]) == 1 {
				keys = append(keys, name) // or it is the only metric, of a rule called value
			}
			for _, key := range keys {
				a.facts.NoValue[key] = rows[0][column] == nil
				a.facts.Values[key] = cell(rows[0], column)
			}
		}
	}
}

// cell is a count or a text as text.
func cell(r Row, column string) string {
	if n, err := r.Number(column); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return r.Text(column)
}

// judgeStep judges the checks of steps. It reports
// whether a refusal came from volume or an audit, after which the accepted
// rows are kept as evidence too; after a ceiling refusal they stay in staging.
func (a *attempt) judgeStep(names ...string) (keepAccepted bool) {
	var checks []plan.Check
	for _, step := range names {
		if s := a.plan.Step(step); s != nil {
			checks = append(checks, s.Checks...)
		}
	}
	ceiling := false
	for _, c := range checks {
		r := Judge(c, a.facts)
		a.report.Checks = append(a.report.Checks, r)
		a.noteSegments(c)
		switch r.Result {
		case "failed":
			a.refuse("%s: rule %s: %s, allowed is %s%s", c.Code, c.Rule, r.Value, r.Bound, ownerText(c.Owner))
			keepAccepted = keepAccepted || c.Kind != plan.CheckCeiling
			ceiling = ceiling || c.Kind == plan.CheckCeiling
		case "warned":
			a.warn(c, r)
		}
	}
	return keepAccepted && !ceiling
}

func (a *attempt) warn(c plan.Check, r CheckResult) {
	if c.Kind == plan.CheckLookup {
		a.warning("unknown_"+strings.TrimPrefix(c.Statement, "lookup_"), a.facts.Unknown[c.Statement].Unknown)
		return
	}
	a.warning(c.Rule, 1)
	a.note(fmt.Sprintf("warning: rule %s: %s, expected %s", c.Rule, r.Value, r.Bound))
}

func ownerText(owner string) string {
	if owner == "" {
		return ""
	}
	return "; ask " + owner
}

// unreadColumns names source columns that the contract does not read: beside an
// empty column they are the first place to look.
func (a *attempt) unreadColumns() string {
	if len(a.unread) == 0 {
		return ""
	}
	return " The source also has " + strings.Join(a.unread, ", ") + ", which the contract does not read."
}

// keepRefused stores the accepted rows that would have changed something.
func (a *attempt) keepRefused(ctx context.Context) error {
	a.numbers["refused"] = a.numbers["changing_rows"]
	if _, err := a.step(ctx, "quarantine_refused"); err != nil {
		return err
	}
	if a.numbers["refused"] == 0 {
		return nil
	}
	a.report.Rows.Refused = a.numbers["changing_rows"]
	want := maps.Clone(a.report.Reasons)
	want["batch_refused"] = a.report.Rows.Refused
	a.numbers["quarantine_rows"] = 1
	return a.countQuarantine(ctx, want)
}
