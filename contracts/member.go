package contracts

import (
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// part is a new member of c.
func (t *tableLoader) part(p *odcs.Node, c *Column, suffix string) *Column {
	m := t.newColumn(p, c.stem+"_"+suffix)
	m.depth = c.depth + 1
	return m
}

// member reads one part of a nested column: its type, formats and promises.
func (t *tableLoader) member(p *odcs.Node, m *Column) bool {
	for _, key := range []string{"primaryKey", "unique", "partitioned"} {
		if n := p.Get(key); n.True() {
			t.problem(n, "useless-key", "%s has no meaning inside of a nested column; remove it, or make the value a column of its own by transformLogic", key)
		}
	}
	for _, key := range []string{"quality", "relationships", "transformLogic"} {
		if n := p.Get(key); n != nil {
			t.later(n, key+" inside of a nested column")
		}
	}
	for _, key := range []string{"nullValues", "emptyIs", "constraint", "sourceColumns", "replaces"} {
		if n := p.Custom(key); n != nil {
			t.later(n, key+" inside of a nested column")
		}
	}
	t.codes(p, m)
	if !t.typed(p, m) || !t.narrow(p, m.Type) {
		return false
	}
	t.formats(p, m)
	t.columnRules(p, m)
	return true
}

// unfold makes the members of a nested column of its full physicalType.
func (t *tableLoader) unfold(p *odcs.Node, c *Column, full *sparksql.Type, missing string) bool {
	if full == nil {
		if !p.Had("properties") && !p.Had("items") && !p.Had("map") {
			t.problem(p, "missing-type", "the column %q needs %s", c.stem, missing)
		}
		return false
	}
	return t.unfoldType(p, c, *full)
}

func (t *tableLoader) unfoldType(p *odcs.Node, c *Column, kind sparksql.Type) bool {
	c.Type = kind
	part := func(name, stem string) *Column {
		m := &Column{Name: name, Logical: name, DefaultZone: "UTC", stem: stem}
		t.codes(nil, m)
		return m
	}
	ok := true
	switch kind.Kind {
	case sparksql.STRUCT:
		seen := map[string]bool{}
		for _, f := range kind.Fields {
			t.fieldName(p.Get("physicalType"), f.Name)
			if seen[strings.ToLower(f.Name)] {
				t.problem(p.Get("physicalType"), "duplicate-name", "the member %q is there twice; rename one", f.Name)
			}
			seen[strings.ToLower(f.Name)] = true
			m := part(f.Name, c.stem+"_"+f.Name)
			ok = t.unfoldType(p, m, f.Type) && ok
			c.Members = append(c.Members, m)
		}
	case sparksql.ARRAY, sparksql.MAP:
		suffix := map[sparksql.Kind]string{sparksql.ARRAY: "_item", sparksql.MAP: "_value"}[kind.Kind]
		c.Item = part("", c.stem+suffix)
		ok = t.unfoldType(p, c.Item, *kind.Element)
		if kind.Kind == sparksql.MAP && kind.Key.Kind != sparksql.STRING {
			t.problem(p, "not-supported-yet", "the keys of the map %q are no text; JSON knows only text keys, so declare them as STRING", c.stem)
			ok = false
		}
	default:
		ok = t.narrow(p, kind)
	}
	return ok
}

// widest is the precision up to which a decimal in JSON is read without a
// rounding that nobody sees: from_json rounds to the scale that it is given, so
// ten digits of its 38 are kept beyond the column's own scale.
const widest = 28

func (t *tableLoader) narrow(p *odcs.Node, kind sparksql.Type) bool {
	if kind.Kind == sparksql.DECIMAL && kind.Precision > widest {
		t.later(p, "a decimal of more than 28 digits inside of a nested column")
		return false
	}
	return true
}

// singleValue refuses a nested column where one value is needed: as a key, for an
// order, in a reference. Bytes are one value, but none that quarantine or a
// message could show as itself.
func (t *tableLoader) singleValue(n *odcs.Node, column, what string) {
	c := t.table.Column(column)
	switch {
	case c == nil:
	case c.Type.Nested():
		t.problem(n, "nested-key", "%s needs a single value, but %q is %s; make the member a column of its own by transformLogic", what, column, c.Type)
	case c.Type.Kind == sparksql.BINARY && t.published:
		t.problem(n, "nested-key", "%s needs a value that people can read, but %q is BINARY; keep the text as STRING", what, column)
	}
}
