package gen

import (
	"fmt"
	"slices"
	"strings"

	"sluice/contracts"
)

// place is where the value of a rule is counted: the first cell of a statement
// of its own, or a column of the one statement that counts all metrics.
type place struct{ statement, column string }

const (
	candidateMetrics = "rule_metrics"
	targetMetrics    = "target_metrics"
)

// places gives each rule that needs a query its place. Rules that the run
// protocol counts by itself have none.
func places(t *contracts.Table) map[*contracts.Rule]place {
	out := map[*contracts.Rule]place{}
	statements := namer{candidateMetrics: true, targetMetrics: true}
	columns := map[bool]namer{false: {"rows": true}, true: {"rows": true}}
	for _, r := range t.Rules {
		prefix, metrics := "rule_", candidateMetrics
		if r.OnTarget {
			prefix, metrics = "target_", targetMetrics
		}
		switch {
		case ownStatement(t, r):
			out[r] = place{statement: statements.name(prefix + slug(r.ID, "query"))}
		case r.Kind == contracts.RowCount && r.OnTarget:
			out[r] = place{metrics, "rows"}
		case measured(r):
			out[r] = place{metrics, columns[r.OnTarget].name(slug(r.ID, "metric"))}
		}
	}
	return out
}

// ownStatement: a query is its author's, and keys are grouped. That the key of
// the table is unique in a batch is proven by settle.
func ownStatement(t *contracts.Table, r *contracts.Rule) bool {
	return r.Kind == contracts.SQLRule || r.Kind == contracts.DuplicateValues && (r.OnTarget || !sameColumns(r.Columns, t.Key))
}

// measured rules count rows by a condition.
func measured(r *contracts.Rule) bool {
	switch r.Kind {
	case contracts.NullValues, contracts.MissingValues, contracts.InvalidValues, contracts.RowExpression:
		return true
	default:
		return false
	}
}

// counted is the condition under which a metric counts a row.
func counted(t *contracts.Table, r *contracts.Rule) string {
	if r.Kind == contracts.RowExpression {
		return "NOT (" + r.Expression + ")"
	}
	c := t.Column(r.Column)
	name := ident(c.Name)
	switch r.Kind {
	case contracts.MissingValues:
		if len(r.Values) > 0 {
			return name + " IS NULL OR " + operand(c, name) + " IN (" + values(c, r.Values) + ")"
		}
		return name + " IS NULL"
	case contracts.InvalidValues:
		var parts []string
		if len(r.Values) > 0 {
			parts = append(parts, operand(c, name)+" NOT IN ("+values(c, r.Values)+")")
		}
		if r.Pattern != "" {
			parts = append(parts, "NOT "+name+" RLIKE "+lit(r.Pattern))
		}
		return strings.Join(parts, " OR ")
	default:
		return name + " IS NULL"
	}
}

// metricsView is the data of the statement that counts all metrics in one pass.
type metricsView struct {
	Why, From string
	Accepted  bool // From is the CTE of the accepted rows
	Columns   []string
}

// metrics counts what the rules of one scope ask for.
func (v *view) metrics(onTarget bool) metricsView {
	from, accepted := v.candidate()
	out := metricsView{Why: "Rules over the accepted rows of this batch, a column each.", From: from, Accepted: accepted}
	switch {
	case onTarget:
		out = metricsView{Why: "Rules over the published table, a column each.", From: v.Published}
	case !accepted:
		out.Why = "Rules over the partition on the branch, a column each."
	}
	at := places(v.table)
	if needsRows(v.table, onTarget) || onTarget && len(v.stored) > 0 {
		out.Columns = []string{"count(*) AS `rows`"}
	}
	for _, r := range v.table.Rules {
		if p := at[r]; r.OnTarget == onTarget && p.column != "" && measured(r) {
			out.Columns = append(out.Columns, "count_if("+counted(v.table, r)+") AS "+ident(p.column))
		}
	}
	if onTarget {
		out.Columns = append(out.Columns, v.stored...)
		for i, f := range v.contract.Freshness(v.table) {
			newest := "CAST(max(" + ident(f.Column) + ") AS TIMESTAMP)"
			out.Columns = append(out.Columns, "unix_seconds(current_timestamp()) - unix_seconds("+newest+") AS "+ident(ageColumn(i)))
		}
	}
	return out
}

// needsRows: a percentage is of all rows, and rowCount over the table is them.
func needsRows(t *contracts.Table, onTarget bool) bool {
	return slices.ContainsFunc(t.Rules, func(r *contracts.Rule) bool {
		return r.OnTarget == onTarget && (r.Percent || r.OnTarget && r.Kind == contracts.RowCount)
	})
}

// ageColumn begins with _, as the name of no rule does (slug).
func ageColumn(i int) string { return fmt.Sprintf("_age_%d", i+1) }

// ruleStatements are the queries of one scope, in file order behind the metrics.
func ruleStatements(c *contracts.Contract, t *contracts.Table, onTarget bool) []string {
	at := places(t)
	metrics := onTarget && len(c.Freshness(t)) > 0
	var own []string
	for _, r := range t.Rules {
		p, needed := at[r]
		switch {
		case !needed || r.OnTarget != onTarget:
		case p.column != "":
			metrics = true
		default:
			own = append(own, p.statement)
		}
	}
	if !metrics {
		return own
	}
	return append([]string{map[bool]string{false: candidateMetrics, true: targetMetrics}[onTarget]}, own...)
}
