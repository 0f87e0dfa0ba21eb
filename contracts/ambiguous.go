package contracts

import (
	"regexp"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// scalars reports values without quotes that YAML 1.1 and 1.2 read as different
// things, where they are compared with data: yaml.v3 keeps NO as text, PyYAML
// makes it False.
func (t *tableLoader) scalars() {
	t.ambiguous(t.node.Custom("nullValues").Items(), true)
	for _, p := range t.node.Get("properties").Items() {
		t.columnScalars(p)
	}
	t.ruleScalars(t.node.Get("quality"), false)
}

func (t *tableLoader) columnScalars(p *odcs.Node) {
	t.ambiguous(p.Custom("nullValues").Items(), true)
	var values []*odcs.Node
	for _, item := range p.Get("enum").Items() {
		values = append(values, item.Get("value"))
	}
	kind, _ := quietType(p)
	text := kind.Kind == sparksql.STRING || kind.Kind == ""
	t.ambiguous(values, text)
	for _, key := range bounding {
		if n := p.Get("logicalTypeOptions").Get(key); n != nil {
			t.ambiguous([]*odcs.Node{n}, false)
		}
	}
	t.ruleScalars(p.Get("quality"), text)
	for _, inner := range p.Get("properties").Items() {
		t.columnScalars(inner)
	}
	for _, inner := range []*odcs.Node{p.Get("items"), p.Get("map").Get("key"), p.Get("map").Get("value")} {
		if inner != nil {
			t.columnScalars(inner)
		}
	}
}

func (t *tableLoader) ruleScalars(rules *odcs.Node, text bool) {
	for _, n := range rules.Items() {
		arguments := n.Get("arguments")
		t.ambiguous(arguments.Get("validValues").Items(), text)
		t.ambiguous(n.Get("validValues").Items(), text)
		for _, missing := range arguments.Get("missingValues").Items() {
			t.ambiguous([]*odcs.Node{missing}, missing.Kind == odcs.String)
		}
		for _, op := range operators {
			t.ambiguous(single(n.Get(op)), false)
		}
	}
}

var (
	wordBoolean = regexp.MustCompile(`^(y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF)$`)
	sexagesimal = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)
	octal       = regexp.MustCompile(`^[-+]?(0[0-9]+|0o[0-7]+)$`)
	exponent    = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$`)
	underscored = regexp.MustCompile(`^[-+]?[0-9]+(_[0-9]+)+$`)
)

// ambiguous looks at values of one list. Booleans in words matter to texts
// alone, since a number column refuses them; of other kinds than text a text
// column has refused the value already.
func (t *tableLoader) ambiguous(nodes []*odcs.Node, text bool) {
	for _, n := range nodes {
		if n == nil || !n.Plain || text && n.Kind != odcs.String {
			continue
		}
		reading := otherReading(n.Text(), text)
		if reading == "" {
			continue
		}
		advice := "write it in plain digits"
		if text {
			advice = `quote it: "` + n.Text() + `"`
		}
		t.problem(n, "ambiguous-scalar", "%s is %s to some YAML readers and not to others; %s", n.Text(), reading, advice)
	}
}

// otherReading is what another reader than yaml.v3 may take a plain scalar for.
func otherReading(s string, text bool) string {
	switch {
	case text && wordBoolean.MatchString(s):
		return "true or false"
	case sexagesimal.MatchString(s):
		return "a number of base 60"
	case octal.MatchString(s):
		return "an octal number"
	case exponent.MatchString(s), underscored.MatchString(s):
		return "a number"
	}
	return ""
}
