package contracts

import (
	"cmp"
	"slices"

	"sluice/contracts/odcs"
)

// propertyQuality reads the rules that stand on a column. invalidValues with
// validValues is the enum of the releases before 3.2.
func (t *tableLoader) propertyQuality(p *odcs.Node, c *Column) {
	for _, n := range p.Get("quality").Items() {
		if !t.ruleForm(n, columnLevel) {
			continue
		}
		rule := t.rule(n)
		kind := metric(n)
		switch typ := n.Get("type").Text(); {
		case typ == "text":
		case typ == "sql" || typ == "custom":
			t.later(n, ruleName(n)+" of type "+typ+" on a column")
		case kind == "duplicateValues":
			rule.Kind, rule.Columns = DuplicateValues, []string{c.Name}
			rule.ID = cmp.Or(rule.ID, codeName("unique_"+c.Name))
			if t.comparison(n, rule) {
				t.table.Rules = append(t.table.Rules, rule)
			}
		case kind == "invalidValues" && validValues(n) != nil:
			t.validValues(n, p, c, rule)
		case kind != "":
			t.later(n, ruleName(n)+" of the metric "+kind+" on a column")
		}
	}
}

func validValues(n *odcs.Node) *odcs.Node {
	if list := n.Get("arguments").Get("validValues"); list != nil {
		return list
	}
	return n.Get("validValues")
}

func (t *tableLoader) validValues(n, p *odcs.Node, c *Column, rule *Rule) {
	implied := n.Get("rule").Text() == "validValues" && !slices.ContainsFunc(operators, n.Had)
	if !implied && !t.comparison(n, rule) {
		return
	}
	zero := implied || rule.Compare.Op == "mustBe" && rule.Compare.Bounds[0] == "0"
	if !zero || rule.Warn || n.Get("arguments").Get("pattern") != nil {
		t.later(n, ruleName(n)+" of the metric invalidValues, other than mustBe: 0 as an error,")
		return
	}
	list := validValues(n)
	column, ok := t.values(list, list.Items(), c)
	if !ok {
		return
	}
	column.Option, column.Code = Enum, t.code(p, string(Enum), codePrefix[Enum]+c.Name)
	column.OnTable = p.Custom("constraint").Text() == "table"
	c.Rules = slices.Insert(c.Rules, 0, column)
}
