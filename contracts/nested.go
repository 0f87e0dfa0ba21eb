package contracts

import (
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// nestedKind is the kind of a property that holds others, by what the author
// wrote: logicalType, else the key that holds them, else physicalType.
func nestedKind(p *odcs.Node) sparksql.Kind {
	logical := map[string]sparksql.Kind{"object": sparksql.STRUCT, "array": sparksql.ARRAY, "vector": sparksql.ARRAY, "map": sparksql.MAP}
	if kind, ok := logical[p.Get("logicalType").Text()]; ok {
		return kind
	}
	if p.Get("logicalType") != nil {
		return ""
	}
	for key, kind := range map[string]sparksql.Kind{"properties": sparksql.STRUCT, "items": sparksql.ARRAY, "map": sparksql.MAP} {
		if p.Get(key) != nil {
			return kind
		}
	}
	word, _, _ := strings.Cut(p.Get("physicalType").Text(), "<")
	if kind := sparksql.Kind(strings.ToUpper(strings.TrimSpace(word))); (sparksql.Type{Kind: kind}).Nested() {
		return kind
	}
	return ""
}

// maxNesting bounds how deep members may stand in one another; each level nests
// the expressions of the stage statement.
const maxNesting = 8

// nested types a STRUCT, ARRAY or MAP and everything in it. The members come
// from properties, items or map; a full physicalType alone will do as well.
func (t *tableLoader) nested(p *odcs.Node, c *Column, kind sparksql.Kind) bool {
	if c.depth >= maxNesting {
		t.problem(p, "too-deep", "the property %q nests deeper than %d levels", c.stem, maxNesting)
		return false
	}
	full, ok := t.nestedPhysical(p, kind)
	if !ok {
		return false
	}
	c.Type.Kind = kind
	switch kind {
	case sparksql.STRUCT:
		ok = t.members(p, c, full)
	case sparksql.MAP:
		ok = t.mapOf(p, c, full)
	default:
		ok = t.items(p, c, full)
	}
	if ok && full != nil && !strings.EqualFold(full.String(), c.Type.String()) {
		t.problem(p.Get("physicalType"), "type-mismatch", "physicalType is %s, but the members make it %s; change one of them or leave physicalType out", full, c.Type)
		return false
	}
	return ok
}

// nestedPhysical is the physicalType, nil when it is absent or only names the
// kind (ARRAY, STRUCT).
func (t *tableLoader) nestedPhysical(p *odcs.Node, kind sparksql.Kind) (*sparksql.Type, bool) {
	n := p.Get("physicalType")
	if n == nil {
		return nil, !p.Had("physicalType")
	}
	if word := strings.ToUpper(strings.TrimSpace(n.Text())); word == string(kind) || word == "OBJECT" && kind == sparksql.STRUCT {
		return nil, true
	}
	full, err := sparksql.ParseType(n.Text())
	if err != nil {
		t.problem(n, "bad-type", "%v", err)
		return nil, false
	}
	if full.Kind != kind {
		t.problem(n, "type-mismatch", "the property %q holds members and cannot be stored as %s; write %s or leave physicalType out", p.Get("name").Text(), full, kind)
		return nil, false
	}
	return &full, true
}

func (t *tableLoader) members(p *odcs.Node, c *Column, full *sparksql.Type) bool {
	nodes := p.Get("properties").Items()
	if len(nodes) > maxColumns {
		t.problem(p.Get("properties"), "too-large", "the object %q has %d members; one may have %d", c.stem, len(nodes), maxColumns)
		return false
	}
	if len(nodes) == 0 {
		return t.unfold(p, c, full, "properties that name its members")
	}
	ok := true
	seen := map[string]bool{}
	for _, n := range nodes {
		name := storedName(n)
		if name == "" {
			ok = false
			continue
		}
		if seen[strings.ToLower(name)] {
			t.problem(n.Get("name"), "duplicate-name", "the member %q is there twice; rename one", name)
		}
		seen[strings.ToLower(name)] = true
		t.memberName(n, name)
		m := t.part(n, c, name)
		ok = t.member(n, m) && ok
		c.Members = append(c.Members, m)
		c.Type.Fields = append(c.Type.Fields, sparksql.Field{Name: name, Type: m.Type})
	}
	t.requireMembers(p.Get("logicalTypeOptions").Get("required"), c)
	return ok
}

// requireMembers reads the object option that lists what the key required of
// each member says one by one.
func (t *tableLoader) requireMembers(list *odcs.Node, c *Column) {
	if len(list.Items()) == 0 {
		return
	}
	named := map[string]*Column{} // a stored name wins over the logical name of another
	for _, m := range c.Members {
		named[m.Logical] = m
	}
	for _, m := range c.Members {
		named[m.Name] = m
	}
	for _, item := range list.Items() {
		m := named[item.Text()]
		if m == nil {
			t.problem(item, "unknown-column", "the object %q has no member %q", c.stem, item.Text())
			continue
		}
		m.Required = true
	}
}

// memberName refuses what no DDL could name (Delta checks nested names too).
func (t *tableLoader) memberName(p *odcs.Node, name string) {
	at := p.Get("physicalName")
	if at == nil {
		at = p.Get("name")
	}
	t.fieldName(at, name)
}

func (t *tableLoader) fieldName(at *odcs.Node, name string) {
	if strings.ContainsAny(name, refusedRunes+"<>:") {
		t.problem(at, "bad-name", "the member name %q holds a character that Delta or Spark refuses in a name; use letters, digits and _", name)
	}
}

func (t *tableLoader) items(p *odcs.Node, c *Column, full *sparksql.Type) bool {
	if p.Get("logicalType").Text() == "vector" {
		return t.vector(p, c)
	}
	n := p.Get("items")
	if n == nil {
		return t.unfold(p, c, full, "items that say what it holds")
	}
	c.Item = t.part(n, c, "item")
	ok := t.member(n, c.Item)
	c.Type.Element = &c.Item.Type
	return ok
}

// vectorElements are the types that hold each elementType without loss.
var vectorElements = map[string]sparksql.Kind{
	"": sparksql.FLOAT, "float32": sparksql.FLOAT, "float16": sparksql.FLOAT, "bfloat16": sparksql.FLOAT,
	"float64": sparksql.DOUBLE, "int8": sparksql.TINYINT, "uint8": sparksql.SMALLINT,
}

func (t *tableLoader) vector(p *odcs.Node, c *Column) bool {
	element := p.Get("logicalTypeOptions").Get("elementType")
	kind, known := vectorElements[element.Text()]
	if !known {
		t.later(element, "a vector of "+element.Text())
		return false
	}
	c.Item = &Column{Type: sparksql.Type{Kind: kind}, Required: true, DefaultZone: "UTC", stem: c.stem + "_item"}
	t.codes(nil, c.Item)
	if kind == sparksql.SMALLINT {
		c.Item.Rules = []ColumnRule{{Option: Minimum, Bound: "0", Code: "minimum_" + codeName(c.Item.stem)}, {Option: Maximum, Bound: "255", Code: "maximum_" + codeName(c.Item.stem)}}
	}
	c.Type.Element = &c.Item.Type
	return true
}

func (t *tableLoader) mapOf(p *odcs.Node, c *Column, full *sparksql.Type) bool {
	key, value := p.Get("map").Get("key"), p.Get("map").Get("value")
	text := sparksql.Type{Kind: sparksql.STRING}
	if full != nil && full.Key.Kind != sparksql.STRING || key.Get("logicalType") != nil && key.Get("logicalType").Text() != "string" {
		t.problem(p, "not-supported-yet", "the keys of the map %q are no text; JSON knows only text keys, so declare them as string", c.stem)
		return false
	}
	if value == nil {
		return t.unfold(p, c, full, "map: {key, value} that say what it holds")
	}
	c.Item = t.part(value, c, "value")
	ok := t.member(value, c.Item)
	c.Type.Key, c.Type.Element = &text, &c.Item.Type
	return ok
}
