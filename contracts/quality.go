package contracts

import "sluice/contracts/odcs"

// propertyQuality reads the rules that stand on a column, in file order.
func (t *tableLoader) propertyQuality(p *odcs.Node, c *Column) {
	for _, n := range p.Get("quality").Items() {
		if !t.ruleForm(n, columnLevel) {
			continue
		}
		rule := t.rule(n)
		if t.ruleBody(n, rule, c) {
			t.table.Rules = append(t.table.Rules, rule)
		}
	}
}
