package contracts

import (
	"slices"
	"strconv"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// optionOrder is the order in which the codes of one value are given.
var optionOrder = []Option{
	Enum, Minimum, ExclusiveMinimum, Maximum, ExclusiveMaximum, MultipleOf, MinLength, MaxLength, Pattern, TextFormat,
	Dimensions, MinItems, MaxItems, UniqueItems, MinProperties, MaxProperties,
}

// columnRules reads enum and logicalTypeOptions.
func (t *tableLoader) columnRules(p *odcs.Node, c *Column) {
	options := p.Get("logicalTypeOptions")
	t.allowedOptions(options, c)
	constraint := p.Custom("constraint").Text()
	for _, option := range optionOrder {
		rule, ok := t.columnRule(p, c, option)
		if !ok {
			continue
		}
		rule.Option = option
		rule.Code = t.code(p, string(option), codePrefix[option]+c.stem)
		rule.OnTable = c.depth == 0 && (constraint == "table" || constraint == "" && ranged(option))
		c.Rules = append(c.Rules, rule)
	}
	t.emptyRange(options, c)
}

// ranged options also stand as CHECK on the table by default. Lists change, so
// an enum is checked on the batch alone.
func ranged(option Option) bool {
	return slices.Contains([]Option{Minimum, ExclusiveMinimum, Maximum, ExclusiveMaximum}, option)
}

func (t *tableLoader) columnRule(p *odcs.Node, c *Column, option Option) (ColumnRule, bool) {
	options := p.Get("logicalTypeOptions")
	n := options.Get(string(option))
	switch option {
	case Enum:
		return t.enum(p.Get("enum"), c)
	case MaxLength:
		if m := characters.FindStringSubmatch(p.Get("physicalType").Text()); m != nil && n == nil {
			return ColumnRule{Bound: canonicalCount(m[1]), Position: p.Get("physicalType").Pos}, true
		}
		return t.countRule(n, option)
	case MinLength, MinItems, MaxItems, MinProperties, MaxProperties, Dimensions:
		return t.countRule(n, option)
	case UniqueItems:
		return t.uniqueItems(n, c)
	case Pattern:
		return t.patternRule(n)
	case MultipleOf:
		return t.multipleOf(n, c)
	case TextFormat:
		return t.textFormat(n, c)
	default:
		return t.boundRule(options, c, option)
	}
}

func (t *tableLoader) patternRule(n *odcs.Node) (ColumnRule, bool) {
	if n == nil {
		return ColumnRule{}, false
	}
	if err := checkPattern(n.Text()); err != nil {
		t.problem(n, "bad-pattern", "the pattern %q cannot be read: %v", n.Text(), err)
		return ColumnRule{}, false
	}
	if group := recursive(n.Text()); group != "" {
		t.problem(n, "pattern-overflows", "the pattern repeats %s without a bound, which a text of some thousand characters turns into a stack overflow that ends the executor; write %s or a bound such as {0,99}", group, possessive(group))
	}
	return ColumnRule{Bound: n.Text(), Position: n.Pos}, true
}

// boundRule reads one end of a range. Up to 3.0 exclusiveMinimum is a flag that
// sharpens minimum; since 3.1 it is a bound of its own.
func (t *tableLoader) boundRule(options *odcs.Node, c *Column, option Option) (ColumnRule, bool) {
	n := options.Get(string(option))
	if inclusive, isFlag := map[Option]string{ExclusiveMinimum: "minimum", ExclusiveMaximum: "maximum"}[option]; isFlag && n != nil && n.Kind == odcs.Boolean {
		if !n.True() {
			return ColumnRule{}, false
		}
		bound := options.Get(inclusive)
		if bound == nil {
			t.problem(n, "flag-without-bound", "%s: true needs %s, which holds the bound", option, inclusive)
			return ColumnRule{}, false
		}
		n = bound
	} else if flag := options.Get(map[Option]string{Minimum: "exclusiveMinimum", Maximum: "exclusiveMaximum"}[option]); flag != nil && flag.Kind == odcs.Boolean && flag.True() {
		return ColumnRule{}, false // the exclusive rule holds it
	}
	if n == nil {
		return ColumnRule{}, false
	}
	text, err := c.canonical(n.Text())
	if err != nil {
		t.problem(n, "bad-bound", "%s %q %v", option, n.Text(), err)
		return ColumnRule{}, false
	}
	return ColumnRule{Bound: text, Position: n.Pos}, true
}

// allowedOptions reports options that the type cannot keep, which the shapes do
// not see when only physicalType is given.
func (t *tableLoader) allowedOptions(options *odcs.Node, c *Column) {
	for _, f := range options.Fields() {
		if !c.takes(f.Key) {
			t.problem(f.Value, "option-needs-type", "%s has no meaning for the type %s; remove it", f.Key, c.Type)
		}
	}
	format := options.Get("format")
	if kind, known := integerFormats[format.Text()]; format != nil && c.Type.Integer() && (!known || kind != c.Type.Kind) {
		t.problem(format, "type-mismatch", "the format %s is not the type %s; change one of them", format.Text(), c.Type)
	}
	if floats := map[string]sparksql.Kind{"f32": sparksql.FLOAT, "f64": sparksql.DOUBLE}; format != nil && c.Type.Numeric() && !c.Type.Integer() {
		if floats[format.Text()] != c.Type.Kind && !wholeNumber(c.Type, format.Text()) {
			t.problem(format, "type-mismatch", "the format %s is not the type %s; change one of them", format.Text(), c.Type)
		}
	}
}

// counted are the options that bound a count, by what they count.
var counted = map[Option]string{
	MinLength: "characters", MaxLength: "characters", MinItems: "items", MaxItems: "items", MinProperties: "members", MaxProperties: "members", Dimensions: "elements",
}

// emptyRange reports bounds that no value can meet.
func (t *tableLoader) emptyRange(options *odcs.Node, c *Column) {
	bound := map[Option]string{}
	for _, r := range c.Rules {
		bound[r.Option] = r.Bound
	}
	for _, low := range []Option{Minimum, ExclusiveMinimum, MinLength, MinItems, MinProperties} {
		for _, high := range []Option{Maximum, ExclusiveMaximum, MaxLength, MaxItems, MaxProperties} {
			if counted[low] != counted[high] || bound[low] == "" || bound[high] == "" {
				continue
			}
			order := compareCanonical(c.Type, bound[low], bound[high], counted[low] != "")
			if order > 0 || order == 0 && (low == ExclusiveMinimum || high == ExclusiveMaximum) {
				at := options.Get(string(low))
				t.problem(at, "empty-range", "%s %s and %s %s leave no value; correct one", low, bound[low], high, bound[high])
			}
		}
	}
}

// enum reads the closed list of a column; each value must be one of its type.
func (t *tableLoader) enum(list *odcs.Node, c *Column) (ColumnRule, bool) {
	if list == nil {
		return ColumnRule{}, false
	}
	var nodes []*odcs.Node
	for _, item := range list.Items() {
		if value := item.Get("value"); value != nil {
			nodes = append(nodes, value)
		}
	}
	return t.values(list, nodes, c)
}

func (t *tableLoader) values(list *odcs.Node, nodes []*odcs.Node, c *Column) (ColumnRule, bool) {
	rule, seen := ColumnRule{Position: list.Pos}, map[string]bool{}
	for _, n := range nodes {
		if n.Kind == odcs.Null && !c.Required {
			continue // NULL never breaks a rule
		}
		text, problem := c.enumValue(n)
		switch {
		case problem != "":
			t.problem(n, "bad-enum-value", "the allowed value %s", problem)
		case seen[text]:
			t.problem(n, "duplicate-enum-value", "the allowed value %q is there twice; remove one", n.Text())
		default:
			rule.Values = append(rule.Values, text)
			seen[text] = true
		}
	}
	if len(nodes) == 0 && !list.Shortened() {
		t.problem(list, "empty-list", "a list without values allows nothing; name the allowed values or remove it")
	}
	return rule, len(rule.Values) > 0
}

func (c *Column) enumValue(n *odcs.Node) (text, problem string) {
	switch {
	case n.Kind == odcs.Null:
		return "", "null is never met: the column is required; remove it, or quote it if the word is meant"
	case c.Type.Kind == sparksql.STRING && n.Kind != odcs.String && n.Kind != odcs.Date:
		return "", n.Text() + " is no text but the column is; quote it: " + strconv.Quote(n.Text())
	}
	text, err := c.canonical(n.Text())
	if err != nil {
		return "", strconv.Quote(n.Text()) + " " + err.Error()
	}
	return text, ""
}
