package runner

import (
	"context"
	"fmt"
	"strings"

	"sluice/gen/plan"
)

// judgeTarget judges the rules over the published table. The batch is published
// by then, so nothing of it can end the run otherwise: a rule that is broken, or
// a query that fails, is reported beside the others and goes into the audit log.
func (a *attempt) judgeTarget(ctx context.Context) {
	s := a.plan.Step("judge_target")
	if s == nil {
		return
	}
	out, err := a.step(ctx, s.Name)
	a.readValues(out)
	if err != nil {
		a.note(fmt.Sprintf("rules over the published table: %v; the batch is published", err))
	}
	for _, c := range s.Checks {
		r := Judge(c, a.facts)
		if _, asked := out[c.Statement]; err != nil && !asked {
			r.Value = "not known: " + err.Error()
		}
		a.report.Checks = append(a.report.Checks, r)
		if r.Result == "failed" || r.Result == "warned" {
			a.warning(c.Rule, 1)
			a.note(fmt.Sprintf("published, but rule %s over the table does not hold: %s, expected %s%s", c.Rule, r.Value, r.Bound, ownerText(c.Owner)))
		}
	}
}

// ending warns of what is deprecated, on every run. After its end of life a run
// fails only if the contract says so: readers were promised that date.
func (a *attempt) ending() {
	today := a.options.Now().UTC().Format("2006-01-02")
	for _, e := range a.plan.Endings {
		text := endingText(a.plan.Table, e)
		a.warning(warnDeprecated, 1)
		if e.EndOfLife == "" || today <= e.EndOfLife {
			a.note("deprecated: " + text)
			continue
		}
		if e.Fail {
			a.finding("end_of_life", false, "%s; remove it from the contract, or move the date", text)
			continue
		}
		a.note("deprecated, and its end of life is over: " + text)
	}
}

func endingText(table string, e plan.Ending) string {
	text := "table " + table
	if e.Column != "" {
		text = fmt.Sprintf("column %q", e.Column)
	}
	if e.EndOfLife != "" {
		text += " ends on " + e.EndOfLife
	}
	if e.Successor != "" {
		text += fmt.Sprintf(", use %q", e.Successor)
	}
	if len(e.Readers) > 0 {
		text += "; still read by " + strings.Join(e.Readers, ", ")
	}
	return text
}
