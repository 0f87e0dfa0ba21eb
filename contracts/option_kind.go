package contracts

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// takes reports whether an option has a meaning for the type of the column.
func (c *Column) takes(option string) bool {
	kind := c.Type.Kind
	text := kind == sparksql.STRING && !c.Clock
	switch option {
	case "minLength", "maxLength":
		return text || kind == sparksql.BINARY // in bytes
	case "pattern":
		return text
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return c.Type.Numeric() || c.Type.Dated() || c.Clock
	case "multipleOf":
		return c.Type.Numeric()
	case "format":
		return !c.Type.Nested() && kind != sparksql.BOOLEAN
	case "timezone", "defaultTimezone":
		return c.Type.Moment() || c.Clock
	case "minItems", "maxItems", "uniqueItems":
		return kind == sparksql.ARRAY
	case "minProperties", "maxProperties", "required":
		return kind == sparksql.STRUCT
	}
	return kind == sparksql.ARRAY // the options of a vector
}

// canonical is the one text of a value of the column.
func (c *Column) canonical(text string) (string, error) {
	switch {
	case c.Clock:
		return canonicalClock(text)
	case c.Type.Nested():
		return "", errors.New("cannot be compared with a nested value; put the rule on a member")
	case c.Type.Kind == sparksql.BINARY:
		return "", errors.New("cannot be compared with bytes; keep the text as STRING")
	default:
		return canonical(c.Type, text)
	}
}

// canonicalCount is the digits of a count without leading zeros.
func canonicalCount(digits string) string {
	return cmp.Or(strings.TrimLeft(digits, "0"), "0")
}

func (t *tableLoader) countRule(n *odcs.Node, option Option) (ColumnRule, bool) {
	if n == nil {
		return ColumnRule{}, false
	}
	least := 0
	if option == Dimensions {
		least = 1
	}
	if n.Int(-1) < least {
		t.problem(n, "bad-bound", "%s must be a count of %s, not %s", option, counted[option], n.Text())
		return ColumnRule{}, false
	}
	return ColumnRule{Bound: strconv.Itoa(n.Int(0)), Position: n.Pos}, true
}

// uniqueItems asks Spark whether two items are equal, which it cannot say of maps.
func (t *tableLoader) uniqueItems(n *odcs.Node, c *Column) (ColumnRule, bool) {
	if !n.True() {
		return ColumnRule{}, false
	}
	if c.Type.Element != nil && c.Type.Element.HasMap() {
		t.problem(n, "option-needs-type", "uniqueItems compares items, but Spark cannot compare maps; remove it or make the map an object")
		return ColumnRule{}, false
	}
	return ColumnRule{Position: n.Pos}, true
}

// multipleOf needs a divisor above zero (JSON Schema says the same).
func (t *tableLoader) multipleOf(n *odcs.Node, c *Column) (ColumnRule, bool) {
	if n == nil || !c.Type.Numeric() {
		return ColumnRule{}, false
	}
	text, err := canonicalNumber(sparksql.Type{Kind: sparksql.DECIMAL}, n.Text())
	if err == nil && (text == "0" || strings.HasPrefix(text, "-")) {
		err = errors.New("is not above zero")
	}
	if err != nil {
		t.problem(n, "bad-bound", "multipleOf %q %v", n.Text(), err)
		return ColumnRule{}, false
	}
	return ColumnRule{Bound: text, Position: n.Pos}, true
}

// TextFormats are the formats of a string that sluice enforces. The standard
// calls them informative; a promise that nobody keeps is worse than none.
var TextFormats = []string{"email", "uuid", "uri", "hostname", "ipv4", "ipv6"}

func (t *tableLoader) textFormat(n *odcs.Node, c *Column) (ColumnRule, bool) {
	if n == nil || c.Type.Kind != sparksql.STRING || c.Clock {
		return ColumnRule{}, false // formats of dates and numbers are read elsewhere
	}
	if slices.Contains(TextFormats, n.Text()) {
		return ColumnRule{Bound: n.Text(), Position: n.Pos}, true
	}
	t.problem(n, "unknown-text-format", "the format %q is not enforced; use one of %s, or a pattern%s", n.Text(), strings.Join(TextFormats, ", "), odcs.Suggest(n.Text(), TextFormats))
	return ColumnRule{}, false
}
