package contracts

import (
	"regexp"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// containers checks the options that count members, and those of times, on a
// property and on everything nested in it. A 64-level file is the deepest.
func (t *tableLoader) containers(p *odcs.Node) {
	options := p.Get("logicalTypeOptions")
	t.counts(options, "minItems", "maxItems")
	t.counts(options, "minProperties", "maxProperties")
	t.requiredMembers(p, options.Get("required"))
	if n := options.Get("dimensions"); n != nil && n.Int(0) < 1 {
		t.problem(n, "bad-bound", "a vector has at least one dimension, not %s", n.Text())
	}
	if p.Get("logicalType").Text() == "time" {
		t.times(options)
	}
	for _, inner := range p.Get("properties").Items() {
		t.inner(inner)
	}
	for _, key := range []*odcs.Node{p.Get("items"), p.Get("map").Get("key"), p.Get("map").Get("value")} {
		if key != nil {
			t.inner(key)
		}
	}
}

// inner checks a member of a container. It is no column, so nothing of it is kept.
func (t *tableLoader) inner(p *odcs.Node) {
	t.declaredColumn(p, &Column{Name: storedName(p), Logical: p.Get("name").Text(), Required: p.Get("required").True()})
	t.containers(p)
}

func (t *tableLoader) counts(options *odcs.Node, low, high string) {
	least, most := options.Get(low), options.Get(high)
	for _, n := range []*odcs.Node{least, most} {
		if n != nil && n.Int(-1) < 0 {
			t.problem(n, "bad-bound", "a count of members is not negative; %s is no bound", n.Text())
			return
		}
	}
	if least != nil && most != nil && least.Int(0) > most.Int(0) {
		t.problem(least, "empty-range", "%s %s and %s %s leave no value; correct one", low, least.Text(), high, most.Text())
	}
}

// requiredMembers: an object cannot require what it does not have.
func (t *tableLoader) requiredMembers(p, list *odcs.Node) {
	names := map[string]bool{}
	for _, name := range childNames(p.Get("properties")) {
		names[name] = true
	}
	for _, n := range list.Items() {
		if len(names) > 0 && !names[n.Text()] {
			t.problem(n, "unknown-column", "the object has no property %q; add it or correct the name", n.Text())
		}
	}
}

var timeText = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$`)

// times checks the bounds of a time of day.
func (t *tableLoader) times(options *odcs.Node) {
	bound := map[string]string{}
	for _, key := range bounding {
		n := options.Get(key)
		switch {
		case n == nil || n.Kind == odcs.Boolean:
		case !timeText.MatchString(n.Text()):
			t.problem(n, "bad-bound", "%s %q is no time of day; write HH:mm:ss", key, n.Text())
		default:
			bound[key] = n.Text()
		}
	}
	for _, low := range []string{"minimum", "exclusiveMinimum"} {
		for _, high := range []string{"maximum", "exclusiveMaximum"} {
			if bound[low] != "" && bound[high] != "" && !zoned(bound[low]+bound[high]) && bound[low] > bound[high] {
				t.problem(options.Get(low), "empty-range", "%s %s and %s %s leave no value; correct one", low, bound[low], high, bound[high])
			}
		}
	}
}

// zoned times order by more than their text.
func zoned(text string) bool { return strings.ContainsAny(text, "Z+-") }

// wholeNumber: the unsigned and wide formats have no integer type in Spark and
// are held by a DECIMAL without fraction digits.
func wholeNumber(t sparksql.Type, format string) bool {
	return t.Kind == sparksql.DECIMAL && t.Scale == 0 && strings.IndexByte("iu", format[0]) >= 0
}
