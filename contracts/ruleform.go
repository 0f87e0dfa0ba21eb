package contracts

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
)

// level is where a quality rule stands.
type level string

const (
	tableLevel  level = "table"
	columnLevel level = "column"
)

// ruleForm checks what a rule promises wherever it stands, published or not;
// false means that it was reported and has no meaning.
func (t *tableLoader) ruleForm(n *odcs.Node, place level) bool {
	kind := n.Get("type")
	if kind != nil && kind.Text() != "library" {
		return true
	}
	at := n.Get("metric")
	if at == nil {
		at = n.Get("rule")
	}
	name := RuleKind(metric(n))
	columnOnly := slices.Contains([]RuleKind{"nullValues", "missingValues", "invalidValues"}, name)
	switch {
	case at == nil:
	case name == RowCount && place == columnLevel:
		t.problem(at, "metric-at-wrong-level", "%s counts the rows of a table; move it to the quality of %q", at.Text(), t.table.Name)
		return false
	case columnOnly && place == tableLevel:
		t.problem(at, "metric-at-wrong-level", "%s looks at a column; move it to the quality of that column", at.Text())
		return false
	}
	if pattern := n.Get("arguments").Get("pattern"); pattern != nil {
		if err := checkPattern(pattern.Text()); err != nil {
			t.problem(pattern, "bad-pattern", "the pattern %q cannot be read: %v", pattern.Text(), err)
			return false
		}
	}
	if list := n.Get("arguments").Get("properties"); list != nil && len(list.Items()) == 0 && !list.Shortened() {
		t.problem(list, "empty-list", "properties names no column; name those that together occur once")
		return false
	}
	return t.numeric(n) && t.reachable(n)
}

// reachable: a metric counts, so a threshold below zero, or a percentage above a
// hundred, is one that no batch can meet.
func (t *tableLoader) reachable(n *odcs.Node) bool {
	most := math.Inf(1)
	if unit := strings.ToLower(n.Get("unit").Text()); unit == "percent" || unit == "%" || unit == "percentage" {
		most = 100
	}
	for _, op := range operators {
		bounds := n.Get(op)
		if bounds == nil || len(single(bounds)) == 0 || metric(n) == "" {
			continue
		}
		low, high := number(single(bounds)[0]), number(single(bounds)[len(single(bounds))-1])
		never := map[string]bool{
			"mustBe": low < 0 || low > most, "mustBeGreaterThan": low >= most, "mustBeGreaterOrEqualTo": low > most,
			"mustBeLessThan": low <= 0, "mustBeLessOrEqualTo": low < 0, "mustBeBetween": high < 0 || low > most,
		}
		if never[op] {
			text := bounds.Text()
			if bounds.Kind == odcs.List {
				text = strings.Join(bounds.Texts(), " and ")
			}
			scale := "0"
			if most == 100 {
				scale = "0 to 100"
			}
			t.problem(bounds, "empty-range", "%s counts from %s, so no data can meet %s %s; correct the threshold", ruleName(n), scale, op, text)
			return false
		}
	}
	return true
}

// numeric: a metric is a number, and so is what it is compared with.
func (t *tableLoader) numeric(n *odcs.Node) bool {
	for _, op := range operators {
		if threshold := n.Get(op); threshold != nil && threshold.Kind == odcs.String {
			t.problem(threshold, "text-threshold", "%s %q is a text, but a metric is a number; remove the quotes", op, threshold.Text())
			return false
		}
	}
	return true
}

// declaredRules checks the rules of a table that is not published. They are
// judged by whoever writes the table, so nothing is kept. The column is nil for
// rules of the table, and where values of it cannot be compared.
func (t *tableLoader) declaredRules(list *odcs.Node, place level, c *Column) {
	for _, n := range list.Items() {
		if !t.ruleForm(n, place) {
			continue
		}
		if values := validValues(n); values != nil && c != nil {
			t.values(values, values.Items(), c)
		}
		t.declaredRule(n, place)
	}
}

func (t *tableLoader) declaredRule(n *odcs.Node, place level) {
	rule := &Rule{}
	switch n.Get("type").Text() {
	case "text":
	case "custom":
		if n.Get("engine").Text() == "sluice" {
			t.customRule(n, rule)
		}
	case "sql":
		t.declaredQuery(n)
		for _, op := range []string{"mustBe", "mustNotBe"} {
			if value := n.Get(op); value != nil && value.Kind != odcs.Int && value.Kind != odcs.Float {
				t.oneOperator(n)
				return // a query may give a text
			}
		}
		t.comparison(n, rule)
	default:
		t.declaredLibrary(n, place, rule)
	}
}

// filled is what whoever runs the query puts something in the place of.
var filled = regexp.MustCompile(`\$\{[^}]*\}?|\{+\s*\w+\s*\}+`)

// declaredQuery allows the variables of the standard and of other tools.
func (t *tableLoader) declaredQuery(n *odcs.Node) {
	query := n.Get("query")
	if query == nil {
		return
	}
	if err := checkQuery(filled.ReplaceAllString(query.Text(), "x"), false); err != nil {
		t.problem(query, "bad-query", "%v", err)
	}
}

func (t *tableLoader) declaredLibrary(n *odcs.Node, place level, rule *Rule) {
	if n.Get("metric") == nil && n.Get("rule") == nil {
		return
	}
	if properties := n.Get("arguments").Get("properties"); place == tableLevel && properties != nil {
		t.columns(properties)
	}
	if n.Get("rule").Text() == "validValues" && !slices.ContainsFunc(operators, n.Had) {
		return // 3.0: the list itself is the promise
	}
	t.comparison(n, rule)
}

// oneOperator reports whether a rule has exactly one.
func (t *tableLoader) oneOperator(n *odcs.Node) bool {
	found := 0
	for _, op := range operators {
		if n.Had(op) {
			found++
		}
	}
	if found != 1 {
		t.problem(n, "operator-count", "%s has %d operators; it needs exactly one such as mustBe: 0", ruleName(n), found)
	}
	return found == 1
}

// duplicateRules reports rules of one id in a list, whatever their kind.
func (t *tableLoader) duplicateRules() {
	lists := []*odcs.Node{t.node.Get("quality")}
	for _, p := range t.node.Get("properties").Items() {
		lists = append(lists, p.Get("quality"))
	}
	for _, list := range lists {
		seen := map[string]bool{}
		for _, n := range list.Items() {
			id := n.Get("id").Text()
			if id != "" && seen[id] {
				t.problem(n, "duplicate-rule", "the rule %q is there twice; give each an id of its own", id)
			}
			seen[id] = true
		}
	}
}
