package docs

import (
	"fmt"
	"strconv"
	"strings"

	"sluice/contracts"
)

// What follows where a rule does not hold.
const (
	rejectsRow   = "the row is rejected"
	refusesBatch = "the batch is refused"
	onlyWarns    = "a warning"
	onlyReports  = "reported, never undone"
)

// ruleRow is a line of the table of rules; its texts are finished but for
// dimension, severity and owner.
type ruleRow struct {
	name, what, dimension, severity, otherwise, owner string
}

// rules are all promises with their dimension and severity: of each row, between
// tables, of the batch and of the published table.
func rules(c *contracts.Contract, t *contracts.Table) string {
	list := rowRules(c, t)
	for _, r := range t.Relationships {
		list = append(list, relation(c, r))
	}
	for _, r := range t.Rules {
		list = append(list, batchRule(t, r))
	}
	for _, f := range c.Freshness(t) {
		list = append(list, ruleRow{Code("freshness_" + f.Column), fmt.Sprintf("the newest %s is at most %s old when a run ends", Code(f.Column), Text(f.Text)), "timeliness", "warning", onlyReports, c.Owner})
	}
	var rows [][]string
	for _, r := range list {
		rows = append(rows, []string{r.name, r.what, Text(r.dimension), Text(r.severity), r.otherwise, Text(r.owner)})
	}
	return table([]string{"Rule", "What holds", "Dimension", "Severity", "Otherwise", "Answers for it"}, rows)
}

// rowRules are those of columns, whose dimension follows from what they say, and
// the author's own about a row.
func rowRules(c *contracts.Contract, t *contracts.Table) []ruleRow {
	out := []ruleRow{
		{"required columns", "each has a value", "completeness", "error", rejectsRow, c.Owner},
		{"types", exactness(t), "conformity", "error", rejectsRow, c.Owner},
	}
	for _, column := range t.Columns {
		if what := limits(column); what != "" {
			out = append(out, ruleRow{"values of " + Code(column.Name), Code(column.Name) + " " + what, "conformity", "error", rejectsRow, c.Owner})
		}
	}
	for _, r := range t.RowRules {
		out = append(out, ruleRow{Code(r.ID), described(Code(r.Expression)+" is not false", r.About), r.Dimension, either(r.Severity, "error"), rejectsRow, r.Owner})
	}
	return out
}

func relation(c *contracts.Contract, r *contracts.Relationship) ruleRow {
	row := ruleRow{name: Code(r.ID), dimension: "consistency", severity: "error", owner: c.Owner}
	row.what = fmt.Sprintf("%s is in %s of %s", Codes(r.Columns), Codes(r.References), lookup(r))
	switch r.OnViolation {
	case contracts.QuarantineRows:
		row.otherwise = rejectsRow
	case contracts.WarnOnly:
		row.severity, row.otherwise = "warning", onlyWarns
	default:
		row.otherwise = refusesBatch
	}
	return row
}

// lookup is the table that a relationship leads to, by the contract that says what it is.
func lookup(r *contracts.Relationship) string {
	name := Code(r.Table.String())
	if r.File != "" {
		name = link(name, r.File)
	}
	return name
}

func batchRule(t *contracts.Table, r *contracts.Rule) ruleRow {
	row := ruleRow{name: Code(r.ID), what: described(holds(t, r), r.About), dimension: r.Dimension, severity: either(r.Severity, "error"), otherwise: refusesBatch, owner: r.Owner}
	switch {
	case r.OnTarget:
		row.otherwise = onlyReports
	case r.Warn:
		row.otherwise = onlyWarns
	}
	return row
}

func described(what, about string) string {
	if about = sentence(about); about != "" {
		return what + ". " + Text(about)
	}
	return what
}

// holds says a batch rule in words.
func holds(t *contracts.Table, r *contracts.Rule) string {
	rows := "rows"
	if r.Percent {
		rows = "percent of the rows"
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch r.Kind {
	case contracts.RowCount:
		return compared(r) + " rows"
	case contracts.DuplicateValues:
		if r.Column != "" && len(r.Columns) == 0 {
			return compared(r) + " values of " + Code(r.Column) + " that stand twice"
		}
		columns := r.Columns
		if len(columns) == 0 {
			columns = t.Key
		}
		return compared(r) + " values of " + Codes(columns) + " that stand twice"
	case contracts.NullValues:
		return fmt.Sprintf("%s %s without a value of %s", compared(r), rows, Code(r.Column))
	case contracts.MissingValues:
		return fmt.Sprintf("%s %s whose %s is one of %s", compared(r), rows, Code(r.Column), Codes(r.Values))
	case contracts.InvalidValues:
		valid := "is none of " + Codes(r.Values)
		if r.Pattern != "" {
			valid = "does not match " + Code(r.Pattern)
		}
		return fmt.Sprintf("%s %s whose %s %s", compared(r), rows, Code(r.Column), valid)
	case contracts.RowExpression:
		return fmt.Sprintf("%s rows for which %s is false", compared(r), Code(r.Expression))
	case contracts.RejectRatio:
		return "at most " + number(r.MaxPercent) + " % of the rows are rejected" + segments(r)
	case contracts.VolumeRatio:
		return fmt.Sprintf("the batch has %s to %s times the rows of the median of the last %d published ones%s", number(r.MinRatio), number(r.MaxRatio), r.Window, segments(r))
	case contracts.PartitionsUnchanged:
		return "every partition that the run does not replace stays as it was"
	default:
		return Code(r.Query) + " gives " + compared(r)
	}
}

func segments(r *contracts.Rule) string {
	if len(r.By) == 0 {
		return ""
	}
	return ", judged for each " + Codes(r.By)
}

// compared is the operator of a rule with its bounds.
func compared(r *contracts.Rule) string {
	words := map[string]string{
		"mustBe": "exactly %s", "mustNotBe": "not %s", "mustBeGreaterThan": "more than %s", "mustBeGreaterOrEqualTo": "at least %s",
		"mustBeLessThan": "less than %s", "mustBeLessOrEqualTo": "at most %s", "mustBeBetween": "from %s to %s", "mustNotBeBetween": "not from %s to %s",
	}
	var bounds []any
	for _, b := range r.Compare.Bounds {
		bounds = append(bounds, Text(value(b)))
	}
	word, known := words[r.Compare.Op]
	if !known || strings.Count(word, "%s") != len(bounds) {
		return Text(r.Compare.Op)
	}
	return fmt.Sprintf(word, bounds...)
}
