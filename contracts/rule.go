package contracts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// Severities that let a batch pass; all others, and none, refuse it
// (datacontract-cli 1.2.8 does the same).
var warnings = []string{"info", "warning", "warn", "low", "minor", "trivial"}

// Warns reports whether a rule of that severity only warns.
func Warns(severity string) bool {
	return slices.Contains(warnings, strings.ToLower(strings.TrimSpace(severity)))
}

// rules reads the quality rules of the table, in file order.
func (t *tableLoader) rules() {
	t.duplicateRules()
	if !t.published {
		t.declaredRules(t.node.Get("quality"), tableLevel, nil)
		return
	}
	for _, n := range t.node.Get("quality").Items() {
		if !t.ruleForm(n, tableLevel) {
			continue
		}
		rule := t.rule(n)
		if t.ruleBody(n, rule, nil) {
			t.table.Rules = append(t.table.Rules, rule)
		}
	}
	t.oneWindow()
	seen := map[string]bool{}
	for _, rule := range t.table.Rules {
		if seen[rule.ID] {
			at := &odcs.Node{Pos: rule.Position, Path: t.table.Name + ".quality." + rule.ID}
			t.problem(at, "duplicate-rule", "the rule %q is there twice; give each an id of its own", rule.ID)
		}
		seen[rule.ID] = true
	}
}

// oneWindow: the usual size of a whole batch is read once, over one window.
func (t *tableLoader) oneWindow() {
	var first *Rule
	for _, rule := range t.table.Rules {
		switch {
		case rule.Kind != VolumeRatio || len(rule.By) > 0:
		case first == nil:
			first = rule
		case rule.Window != first.Window:
			at := &odcs.Node{Pos: rule.Position, Path: t.table.Name + ".quality." + rule.ID}
			t.problem(at, "several-windows", "the rules %q and %q look back over %d and %d batches; give both one window", first.ID, rule.ID, first.Window, rule.Window)
		}
	}
}

// rule reads what every kind of rule has.
func (t *tableLoader) rule(n *odcs.Node) *Rule {
	severity := n.Get("severity").Text()
	return &Rule{
		ID:        cmp.Or(n.Get("id").Text(), n.Get("name").Text()),
		Severity:  severity,
		Warn:      Warns(severity),
		Dimension: n.Get("dimension").Text(),
		About:     n.Get("description").Text(),
		Owner:     cmp.Or(n.Custom("owner").Text(), t.contract.Owner),
		Position:  n.Pos,
	}
}

// ruleName is how a message calls a rule.
func ruleName(n *odcs.Node) string {
	return "the rule " + strconv.Quote(cmp.Or(n.Get("id").Text(), n.Get("name").Text(), metric(n), n.Get("type").Text()))
}

// metric is the library metric; 3.0 calls the key rule, with other words in it.
func metric(n *odcs.Node) string {
	text := cmp.Or(n.Get("metric").Text(), n.Get("rule").Text())
	return cmp.Or(map[string]string{"duplicateCount": "duplicateValues", "validValues": "invalidValues", "nullCheck": "nullValues"}[text], text)
}

// ruleBody fills in the kind; false means that there is nothing to judge. The
// column is nil for a rule of the table.
func (t *tableLoader) ruleBody(n *odcs.Node, rule *Rule, c *Column) bool {
	rule.OnTarget = n.Custom("scope").Text() == "target"
	if c != nil {
		rule.Column = c.Name
	}
	own := n.Get("implementation").Get("check").Text() == string(RowExpression)
	if constraint := n.Custom("constraint"); constraint.Text() == "table" && !own {
		t.problem(constraint, "useless-key", "%s judges many rows, which no table constraint can; only a rowExpression can be one", ruleName(n))
		return false
	}
	ok := false
	switch n.Get("type").Text() {
	case "text":
		return false
	case "sql":
		ok = t.sqlRule(n, rule)
	case "custom":
		ok = t.customRule(n, rule)
	default:
		ok = t.libraryRule(n, rule, c)
	}
	rule.ID = cmp.Or(rule.ID, codeName(strings.Trim(string(rule.Kind)+"_"+rule.Column, "_")))
	return ok
}

func (t *tableLoader) sqlRule(n *odcs.Node, rule *Rule) bool {
	rule.Kind = SQLRule
	query := n.Get("query")
	if query == nil {
		return false
	}
	rule.Query = query.Text()
	if err := checkQuery(rule.Query, rule.Column != ""); err != nil {
		t.problem(query, "bad-query", "%v", err)
		return false
	}
	if m := queryMarker.FindString(rule.Query); m != "" && t.table.Publish.Mode == Merge {
		t.problem(query, "bad-query", "%s} is not known in mode merge, which is judged before it is written; read {object}, or give the rule scope: target", m)
		return false
	}
	return t.comparison(n, rule)
}

func (t *tableLoader) customRule(n *odcs.Node, rule *Rule) bool {
	engine, implementation := n.Get("engine"), n.Get("implementation")
	if engine == nil || implementation == nil {
		return false
	}
	if engine.Text() != "sluice" {
		t.problem(engine, "other-engine", "%s is for the engine %q; sluice neither runs it nor sees its result", ruleName(n), engine.Text())
		return false
	}
	rule.Kind = RuleKind(implementation.Get("check").Text())
	if scope := n.Custom("scope"); rule.OnTarget && rule.Kind != RowExpression {
		t.problem(scope, "useless-key", "%s judges what came in a batch, which the published table does not show; remove scope", ruleName(n))
		return false
	}
	switch rule.Kind {
	case RejectRatio:
		rule.MaxPercent = number(implementation.Get("maxPercent"))
		if rule.MaxPercent < 0 || rule.MaxPercent > 100 {
			t.problem(implementation.Get("maxPercent"), "bad-bound", "maxPercent is a share of the rows, from 0 to 100")
		}
	case VolumeRatio:
		t.volumeRatio(implementation, rule)
	case RowExpression:
		return t.rowExpression(n, rule)
	case PartitionsUnchanged:
		return t.partitionsUnchanged(implementation.Get("check"), rule)
	default:
		return false
	}
	t.segments(implementation, rule)
	return true
}

// partitionsUnchanged asks by name for what write-audit-publish proves anyway,
// so that a contract can say who answers for it.
func (t *tableLoader) partitionsUnchanged(at *odcs.Node, rule *Rule) bool {
	if p := t.table.Publish; p.Mode != WAP || p.Write != ReplacePartition {
		t.problem(at, "useless-key", "partitionsUnchanged compares the audit branch with what readers see; it needs publish {mode: wap, write: replacePartition}")
		return false
	}
	rule.Compare = Comparison{Op: "mustBe", Bounds: []string{"0"}}
	return true
}

func (t *tableLoader) volumeRatio(n *odcs.Node, rule *Rule) {
	rule.MinRatio, rule.MaxRatio = number(n.Get("min")), number(n.Get("max"))
	rule.Window = n.Get("window").Int(14)
	if rule.Window < 1 || rule.Window > 1000 {
		t.problem(n.Get("window"), "bad-bound", "window counts published batches, from 1 to 1000")
	}
	if low, high := n.Get("min"), n.Get("max"); low != nil && high != nil && (rule.MinRatio < 0 || rule.MaxRatio < rule.MinRatio) {
		t.problem(low, "empty-range", "min %s and max %s are no range of ratios; write for example 0.5 and 2.0", low.Text(), high.Text())
	}
}

func number(n *odcs.Node) float64 {
	v, _ := strconv.ParseFloat(n.Text(), 64) // its shape was checked
	return v
}

var operators = []string{"mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween", "mustNotBeBetween"}

// comparison reads the one operator of a library or sql rule.
func (t *tableLoader) comparison(n *odcs.Node, rule *Rule) bool {
	var found []string
	for _, op := range operators {
		if n.Had(op) {
			found = append(found, op)
		}
	}
	if len(found) != 1 {
		t.problem(n, "operator-count", "%s has %d operators; it needs exactly one such as mustBe: 0", ruleName(n), len(found))
		return false
	}
	op := n.Get(found[0])
	if op == nil {
		return false // its shape was wrong
	}
	bounds := []*odcs.Node{op}
	if op.Kind == odcs.List {
		bounds = op.Items()
	}
	rule.Compare.Op = found[0]
	for _, b := range bounds {
		text, err := canonicalNumber(sparksql.Type{Kind: sparksql.DECIMAL}, b.Text())
		if err != nil && rule.Kind == SQLRule && len(bounds) == 1 && (found[0] == "mustBe" || found[0] == "mustNotBe") {
			text, err = b.Text(), nil // a query may give a text
		}
		if err != nil {
			t.problem(b, "bad-bound", "%s %q %v", found[0], b.Text(), err)
			return false
		}
		rule.Compare.Bounds = append(rule.Compare.Bounds, text)
	}
	return t.between(op, rule)
}

func (t *tableLoader) between(op *odcs.Node, rule *Rule) bool {
	if op.Kind != odcs.List {
		return true
	}
	b := rule.Compare.Bounds
	if len(b) != 2 || compareCanonical(sparksql.Type{Kind: sparksql.DECIMAL}, b[0], b[1], false) >= 0 {
		t.problem(op, "empty-range", "%s takes two numbers, the lower first", rule.Compare.Op)
		return false
	}
	return true
}
