package contracts

import (
	"regexp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// described checks a table that the contract describes and sluice does not
// write. Nothing of it is generated, so only what the standard itself refuses is
// an error: other tools read the same file.
func (t *tableLoader) described() {
	for _, p := range t.node.Get("properties").Items() {
		t.describedProperty(p)
	}
	for _, n := range t.node.Get("relationships").Items() {
		t.describedRelationship(n)
	}
	t.describedQuality(t.node)
}

func (t *tableLoader) describedProperty(p *odcs.Node) {
	if p == nil {
		return
	}
	t.describedEnum(p)
	t.describedOptions(p.Get("logicalTypeOptions"))
	t.describedQuality(p)
	for _, n := range p.Get("relationships").Items() {
		if from := n.Get("from"); from != nil {
			t.problem(from, "useless-key", "a relationship on a column starts at that column; remove from")
		}
		t.describedReferences(n.Get("to"))
	}
	for _, inner := range p.Get("properties").Items() {
		t.describedProperty(inner)
	}
	for _, inner := range []*odcs.Node{p.Get("items"), p.Get("map").Get("key"), p.Get("map").Get("value")} {
		t.describedProperty(inner)
	}
}

// describedEnum compares as JSON does: 1 is 1.0, and neither is the text "1".
func (t *tableLoader) describedEnum(p *odcs.Node) {
	list := p.Get("enum")
	if list != nil && len(list.Items()) == 0 && !list.Shortened() {
		t.problem(list, "empty-list", "a list without values allows nothing; name the allowed values or remove it")
	}
	var seen []string
	for _, item := range list.Items() {
		value := item.Get("value")
		if value == nil {
			continue
		}
		if value.Kind == odcs.Null && p.Get("required").True() {
			t.problem(value, "bad-enum-value", "the allowed value null is never met: the column is required; remove it, or quote it if the word is meant")
		}
		key := jsonKey(value)
		if slices.Contains(seen, key) {
			t.problem(value, "duplicate-enum-value", "the allowed value %q is there twice; remove one", value.Text())
		}
		seen = append(seen, key)
	}
}

func jsonKey(n *odcs.Node) string {
	kind := n.Kind
	switch kind {
	case odcs.Int, odcs.Float:
		if text, err := canonicalNumber(sparksql.Type{Kind: sparksql.DECIMAL}, n.Text()); err == nil {
			return "number " + text
		}
	case odcs.Date:
		kind = odcs.String
	}
	return string(kind) + " " + n.Text()
}

// The least that a count may be.
var leastCount = map[string]int{
	"minLength": 0, "maxLength": 0, "minItems": 0, "maxItems": 0, "minProperties": 0, "maxProperties": 0, "dimensions": 1,
}

func (t *tableLoader) describedOptions(options *odcs.Node) {
	for _, f := range options.Fields() {
		least, count := leastCount[f.Key]
		switch {
		case count && f.Value.Int(least) < least:
			t.problem(f.Value, "bad-bound", "%s must be %d or more, not %s", f.Key, least, f.Value.Text())
		case f.Key == "multipleOf" && number(f.Value) <= 0:
			t.problem(f.Value, "bad-bound", "multipleOf must be more than 0, not %s", f.Value.Text())
		}
	}
}

// describedQuality counts operators where the standard does: since 3.1.
func (t *tableLoader) describedQuality(n *odcs.Node) {
	for _, rule := range n.Get("quality").Items() {
		kind := rule.Get("type").Text()
		library := kind == "library" || kind == "" && rule.Get("metric") != nil
		if t.doc.Release < odcs.Release31 || !library && kind != "sql" {
			continue
		}
		var found []string
		for _, op := range operators {
			if rule.Had(op) {
				found = append(found, op)
			}
		}
		if len(found) != 1 {
			t.problem(rule, "operator-count", "%s has %d operators; it needs exactly one such as mustBe: 0", ruleName(rule), len(found))
			continue
		}
		if op := rule.Get(found[0]); op != nil && op.Kind == odcs.List && !op.Shortened() {
			t.describedBetween(op, found[0])
		}
	}
}

func (t *tableLoader) describedBetween(op *odcs.Node, name string) {
	bounds := op.Items()
	if len(bounds) != 2 || number(bounds[0]) >= number(bounds[1]) {
		t.problem(op, "empty-range", "%s takes two numbers, the lower first", name)
	}
}

func (t *tableLoader) describedRelationship(n *odcs.Node) {
	from, to := n.Get("from"), n.Get("to")
	switch {
	case from == nil && !n.Had("from"):
		t.problem(n, "missing-key", "a relationship of a table needs from")
	case from != nil && to != nil && (from.Kind == odcs.List) != (to.Kind == odcs.List):
		t.problem(to, "bad-reference", "from and to are both one column or both a list; write the two alike")
	}
	t.describedReferences(from)
	t.describedReferences(to)
}

// The forms of a reference. 3.1 has two parts and no dash in the short one, and
// knows the file suffix .yaml alone.
var (
	shortReference   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)+$`)
	fullReference    = regexp.MustCompile(`^((https?://)?[A-Za-z0-9._/-]+\.ya?ml#)?/?[A-Za-z_][A-Za-z0-9_]*/[^\s.#/\\@!%&^]+(/[A-Za-z_][A-Za-z0-9_]*/[^\s.#/\\@!%&^]+)*$`)
	shortReference31 = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*$`)
	fullReference31  = regexp.MustCompile(`^((https?://)?[A-Za-z0-9._/-]+\.yaml#)?/?[A-Za-z_][A-Za-z0-9_]*/[A-Za-z0-9_-]+(/[A-Za-z_][A-Za-z0-9_]*/[A-Za-z0-9_-]+)*$`)
)

func (t *tableLoader) describedReferences(n *odcs.Node) {
	short, full := shortReference, fullReference
	if t.doc.Release < odcs.Release32 {
		short, full = shortReference31, fullReference31
	}
	for _, item := range single(n) {
		text := item.Text()
		if strings.Contains(text, "${") || short.MatchString(text) || full.MatchString(text) {
			continue
		}
		t.problem(item, "bad-reference", "%q is no reference; write object.property, or file.yaml#/schema/<id>/properties/<id>", text)
	}
	if n != nil && n.Kind == odcs.List && len(n.Items()) == 0 && !n.Shortened() {
		t.problem(n, "empty-list", "a relationship without columns joins nothing; name them or remove it")
	}
}
