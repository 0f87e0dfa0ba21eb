package contracts

import (
	"cmp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
)

// libraryRule reads a rule of the standard's own metrics. ruleForm has checked
// that the metric belongs to the place where the rule stands.
func (t *tableLoader) libraryRule(n *odcs.Node, rule *Rule, c *Column) bool {
	at := n.Get("metric")
	if at == nil {
		at = n.Get("rule")
	}
	if at == nil {
		return false
	}
	rule.Kind = RuleKind(metric(n))
	if !t.unit(n, rule) {
		return false
	}
	switch rule.Kind {
	case RowCount:
	case DuplicateValues:
		if !t.duplicateValues(n, at, rule, c) {
			return false
		}
	case NullValues:
	case MissingValues:
		t.missingValues(n, rule, c)
	case InvalidValues:
		return t.invalidValues(n, rule, c)
	default:
		t.problem(at, "unknown-value", "the metric %q is none of nullValues, missingValues, invalidValues, duplicateValues and rowCount%s", at.Text(), odcs.Suggest(at.Text(), metrics))
		return false
	}
	return t.comparison(n, rule)
}

var metrics = []string{string(NullValues), string(MissingValues), string(InvalidValues), string(DuplicateValues), string(RowCount)}

// unit reads rows or percent. Only metrics that count rows of all rows have a
// percentage (datacontract-cli 1.2.8 refuses the others as well).
func (t *tableLoader) unit(n *odcs.Node, rule *Rule) bool {
	unit := n.Get("unit")
	switch strings.ToLower(unit.Text()) {
	case "", "row", "rows", "count":
		return true
	case "percent", "%", "percentage":
		rule.Percent = true
	default:
		t.problem(unit, "bad-unit", "the unit %q of a metric is neither rows nor percent", unit.Text())
		return false
	}
	if rule.Kind == RowCount || rule.Kind == DuplicateValues {
		t.problem(unit, "bad-unit", "%s counts no part of the rows, so it has no percentage; remove unit", rule.Kind)
		return false
	}
	return true
}

func (t *tableLoader) duplicateValues(n, at *odcs.Node, rule *Rule, c *Column) bool {
	properties := n.Get("arguments").Get("properties")
	switch {
	case c != nil:
		rule.Columns = []string{c.Name}
		rule.ID = cmp.Or(rule.ID, codeName("unique_"+c.Name))
	case properties != nil:
		rule.Columns = t.columns(properties)
	default:
		t.problem(at, "missing-key", "duplicateValues on a table needs arguments: {properties: [column, …]}")
		return false
	}
	for _, name := range rule.Columns {
		if column := t.table.Column(name); column != nil && column.Type.HasMap() {
			t.problem(at, "nested-key", "%s groups by %q, but Spark cannot compare maps; name other columns", ruleName(n), name)
			return false
		}
	}
	return true
}

// missingValues counts NULL, and the texts that the rule names beside it.
func (t *tableLoader) missingValues(n *odcs.Node, rule *Rule, c *Column) {
	for _, value := range n.Get("arguments").Get("missingValues").Items() {
		if value.Kind == odcs.Null {
			continue // counted in any case
		}
		text, err := c.canonical(value.Text())
		if err != nil {
			t.problem(value, "unreachable-value", "the value %q %v, so no typed value equals it; name it in nullValues to make it missing", value.Text(), err)
			continue
		}
		rule.Values = append(rule.Values, text)
	}
}

// invalidValues is a promise about each row where it must be zero and refuses:
// then it rejects those rows, as enum and pattern do. Any other form judges the
// batch.
func (t *tableLoader) invalidValues(n *odcs.Node, rule *Rule, c *Column) bool {
	list, pattern := validValues(n), n.Get("arguments").Get("pattern")
	if list == nil && pattern == nil {
		t.problem(n, "missing-key", "%s says not what is valid; add arguments: {validValues: […]} or {pattern: …}", ruleName(n))
		return false
	}
	implied := n.Get("rule").Text() == "validValues" && !slices.ContainsFunc(operators, n.Had)
	if !implied && !t.comparison(n, rule) {
		return false
	}
	byRow := (implied || rule.Compare.Op == "mustBe" && rule.Compare.Bounds[0] == "0") && !rule.Warn && !rule.OnTarget
	if implied {
		rule.Compare = Comparison{Op: "mustBe", Bounds: []string{"0"}}
	}
	rules := t.validRules(n, list, pattern, c)
	if byRow {
		c.Rules = append(rules, c.Rules...)
		return false
	}
	for _, r := range rules {
		rule.Values = append(rule.Values, r.Values...)
		rule.Pattern = cmp.Or(rule.Pattern, r.Bound)
	}
	return len(rules) > 0
}

// validRules are the column rules that say the same as the arguments.
func (t *tableLoader) validRules(n, list, pattern *odcs.Node, c *Column) []ColumnRule {
	var out []ColumnRule
	p := t.nodes[strings.ToLower(c.Name)]
	onTable := p.Custom("constraint").Text() == "table"
	if list != nil {
		if rule, ok := t.values(list, list.Items(), c); ok {
			rule.Option, rule.OnTable = Enum, onTable
			rule.Code = t.code(p, string(Enum), codePrefix[Enum]+c.Name)
			out = append(out, rule)
		}
	}
	if pattern != nil && !c.takes("pattern") {
		t.problem(pattern, "option-needs-type", "a pattern has no meaning for the type %s; remove it", c.Type)
	} else if rule, ok := t.patternRule(pattern); ok {
		rule.Option, rule.OnTable = Pattern, onTable
		rule.Code = t.code(p, string(Pattern), codePrefix[Pattern]+c.Name)
		out = append(out, rule)
	}
	return out
}

func validValues(n *odcs.Node) *odcs.Node {
	if list := n.Get("arguments").Get("validValues"); list != nil {
		return list
	}
	return n.Get("validValues")
}
