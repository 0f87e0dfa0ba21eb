package contracts

import (
	"regexp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// A table that is not published here is written by somebody else. What the
// standard promises about its columns is held to all the same: types, options,
// ranges, patterns and lists must make sense. What only a publisher needs, such
// as the precision of a number, is not asked for.

// declaredColumn checks one property of a table that is not published.
func (t *tableLoader) declaredColumn(p *odcs.Node, c *Column) {
	kind, known := t.declaredType(p)
	var compared *Column
	if known {
		check := *c // numbers without precision have a type to compare with, which no column has
		check.Type = kind
		compared = &check
		t.columnRules(p, &check)
		if kind.Moment() {
			t.defaultZone(p.Get("logicalTypeOptions").Get("defaultTimezone"), &check)
		}
		c.Rules, c.DefaultZone = check.Rules, check.DefaultZone
	}
	t.declaredRules(p.Get("quality"), columnLevel, compared)
}

// declaredType is the type by which values of the property are compared; false
// when there is none, as for containers, or when it was reported.
func (t *tableLoader) declaredType(p *odcs.Node) (sparksql.Type, bool) {
	logical, physical := p.Get("logicalType").Text(), p.Get("physicalType")
	if physical != nil && !t.knownType(physical) {
		t.problem(physical, "bad-type", "the type %q is none of Spark SQL; write for example STRING, DECIMAL(18,2), ARRAY<STRING>, or name the server of the database that has it", physical.Text())
		return sparksql.Type{}, false
	}
	parsed, err := sparksql.ParseType(physical.Text())
	if physical != nil && err == nil && logical != "" && !t.storable(parsed, logical, p) {
		t.problem(physical, "type-mismatch", "the logical type %s cannot be stored as %s; change one of them", logical, parsed)
		return sparksql.Type{}, false
	}
	switch logical {
	case "object", "array", "map", "vector", "time":
		return sparksql.Type{}, false
	case "timestamp":
		return momentType(p.Get("logicalTypeOptions")), true
	}
	if physical != nil && err == nil && parsed.Kind != sparksql.BINARY {
		if parsed.Kind == sparksql.TIMESTAMP {
			parsed = momentType(p.Get("logicalTypeOptions"))
		}
		return parsed, true
	}
	return comparedType(p)
}

// foreign reports whether the contract is about a database that is not ours:
// its types are its own.
func (t *tableLoader) foreign() bool {
	return t.contract.Server.Name != "" && t.contract.Server.Format == ""
}

func (t *tableLoader) knownType(physical *odcs.Node) bool {
	return t.foreign() || sparkType(physical.Text())
}

// storable reports whether values of the logical type fit the physical one. Of
// another database only what no database does is refused: text in a number.
func (t *tableLoader) storable(kind sparksql.Type, logical string, p *odcs.Node) bool {
	allowed := logicalTypes(kind.Kind, t.doc.Release)
	switch {
	case kind.Kind == sparksql.BINARY:
		return true
	case kind.Kind == sparksql.STRING && slices.Contains([]string{"time", "object", "array", "map"}, logical):
		return true // as JSON or text
	case t.foreign():
		return !kind.Numeric() || !slices.Contains([]string{"string", "date", "timestamp", "time", "object", "array"}, logical)
	case kind.Kind == sparksql.DECIMAL && kind.Scale > 0 && logical == "integer":
		return false
	}
	return slices.Contains(allowed, logical)
}

// comparedType is the type of a property whose physicalType does not say it.
func comparedType(p *odcs.Node) (sparksql.Type, bool) {
	implied, problem := impliedType(p)
	options := p.Get("logicalTypeOptions")
	text := options.Get("pattern") != nil || options.Get("minLength") != nil || options.Get("maxLength") != nil
	switch logical := p.Get("logicalType").Text(); {
	case problem == "":
		return implied, true
	case logical == "number":
		return sparksql.Type{Kind: sparksql.DOUBLE}, true
	case logical == "integer":
		return sparksql.Type{Kind: sparksql.DECIMAL, Precision: 38}, true
	default:
		return sparksql.Type{Kind: sparksql.STRING}, text
	}
}

// momentType takes the bounds of a moment as their author wrote them: with a
// zone, without one, or as days.
func momentType(options *odcs.Node) sparksql.Type {
	forms := []struct {
		kind sparksql.Kind
		text *regexp.Regexp
	}{{sparksql.TIMESTAMPNTZ, localText}, {sparksql.DATE, dateText}}
	var bounds []string
	for _, key := range bounding {
		if n := options.Get(key); n != nil && n.Kind != odcs.Boolean {
			bounds = append(bounds, n.Text())
		}
	}
	for _, form := range forms {
		other := func(text string) bool { return !form.text.MatchString(text) }
		if len(bounds) > 0 && options.Get("timezone") == nil && options.Get("defaultTimezone") == nil && !slices.ContainsFunc(bounds, other) {
			return sparksql.Type{Kind: form.kind}
		}
	}
	return sparksql.Type{Kind: sparksql.TIMESTAMP}
}

// bounding are the options that hold one end of a range.
var bounding = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}

var otherTypes = regexp.MustCompile(`^((VARCHAR|CHAR|CHARACTER|TIME)\s*\(\s*[0-9]{1,9}\s*\)|DECIMAL|DEC|NUMERIC|CHAR|TIME|VOID|VARIANT|INTERVAL( [A-Z]+( TO [A-Z]+)?)?|GEOMETRY|GEOGRAPHY|OBJECT|MAP|ARRAY|STRUCT)$`)

// Nothing that a person writes as a type is longer or deeper.
const (
	maxTypeText  = 64 << 10
	maxTypeDepth = 32
)

// sparkType reports whether Spark SQL has the type, also where sluice does not
// cast to it.
func sparkType(text string) bool { return len(text) <= maxTypeText && sparkTypeIn(text, maxTypeDepth) }

func sparkTypeIn(text string, depth int) bool {
	text = strings.TrimSpace(text)
	upper := strings.ToUpper(text)
	if _, err := sparksql.ParseType(text); err == nil || otherTypes.MatchString(upper) {
		return true
	}
	outer, rest, found := strings.Cut(upper, "<")
	inner, closed := strings.CutSuffix(rest, ">")
	if !found || !closed || depth == 0 {
		return false
	}
	parts := members(inner)
	switch strings.TrimSpace(outer) {
	case "ARRAY":
		return len(parts) == 1 && sparkTypeIn(parts[0], depth-1)
	case "MAP":
		return len(parts) == 2 && sparkTypeIn(parts[0], depth-1) && sparkTypeIn(parts[1], depth-1)
	case "STRUCT":
		return !slices.ContainsFunc(parts, func(field string) bool { return !structField(field, depth-1) })
	}
	return false
}

var fieldName = regexp.MustCompile("^\\s*(?:`[^`]+`|\\w+)\\s*(?::\\s*|\\s)")

func structField(text string, depth int) bool {
	name := fieldName.FindString(text)
	kind, _, _ := strings.Cut(text[len(name):], " COMMENT ")
	return name != "" && sparkTypeIn(strings.TrimSuffix(strings.TrimSpace(kind), " NOT NULL"), depth)
}

// members splits at the commas outside of brackets.
func members(text string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range text {
		switch r {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ',':
			if depth == 0 {
				out, start = append(out, text[start:i]), i+1
			}
		}
	}
	return append(out, text[start:])
}
