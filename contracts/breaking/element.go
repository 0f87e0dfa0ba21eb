package breaking

import (
	"slices"
	"strconv"
	"strings"

	"sluice/contracts/odcs"
)

// element is a value of a contract by which versions are compared: a scalar, a
// plain list, or parts by name. The members of a list that have a natural name
// are parts under it, so that their order does not matter. All methods work on
// nil, which stands for what is not there.
type element struct {
	kind  string // schema, property, quality …; "" for what has no rules of its own
	node  *odcs.Node
	name  string // of a quality rule: whether it was named, and how
	parts []part
	items []*element          // of a plain list
	index map[string]*element // of many parts, made when it is first asked
}

type part struct {
	key   string
	value *element
}

// naming says how the members of a list are named.
type naming struct {
	kind  string   // of the members
	by    []string // keys whose value is the name; the first that is there
	strip bool     // the name is no part of the member: another name is another member
}

// The lists whose members have names, by kind of owner and key.
var named = map[string]naming{
	"contract.schema":            {"schema", []string{"name"}, true},
	"schema.properties":          {"property", []string{"name"}, true},
	"property.properties":        {"property", []string{"name"}, true},
	"property.enum":              {"enum", []string{"id", "value"}, false},
	"schema.quality":             {"quality", []string{"name"}, true},
	"property.quality":           {"quality", []string{"name"}, true},
	"property.relationships":     {"relationship", []string{"id", "to"}, false},
	"schema.relationships":       {"relationship", []string{"id", "from:to"}, false},
	"contract.servers":           {"server", []string{"server"}, true},
	"contract.slaProperties":     {"sla", []string{"property"}, true},
	"contract.support":           {"support", []string{"channel"}, true},
	"contract.roles":             {"role", []string{"role"}, true},
	"server.roles":               {"role", []string{"role"}, true},
	"team.members":               {"member", []string{"username"}, true},
	"context.verifiedStatements": {"statement", []string{"id", "question"}, false},
	"context.constraints":        {"statement", []string{"id", "constraint"}, false},
	"*.customProperties":         {"custom", []string{"property"}, true},
	"*.authoritativeDefinitions": {"definition", []string{"url", "id"}, false},
	"*.synonyms":                 {"synonym", []string{"id", "synonym"}, false},
}

// The mappings that have rules of their own. An item of an array and the two
// sides of a map are properties without a name.
var kinds = map[string]string{
	"property.items": "property", "property.map": "sides", "sides.key": "property", "sides.value": "property",
	"property.logicalTypeOptions": "options", "contract.team": "team", "contract.description": "description",
	"contract.context": "context", "schema.context": "context", "quality.arguments": "arguments",
}

// builder makes elements of nodes.
type builder struct {
	repeated map[string]bool // service levels that one of the versions has several times
}

func (b *builder) element(n *odcs.Node, kind string) *element {
	if n == nil || n.Kind == odcs.Null {
		return nil
	}
	out := &element{kind: kind, node: n}
	switch n.Kind {
	case odcs.Map:
		for _, f := range n.Fields() {
			if value := b.field(kind, f); value != nil {
				out.parts = append(out.parts, part{f.Key, value})
			}
		}
	case odcs.List:
		for _, item := range n.Items() {
			if value := b.element(item, ""); value != nil {
				out.items = append(out.items, value)
			}
		}
	}
	return out
}

func (b *builder) field(kind string, f odcs.Field) *element {
	place := kind + "." + f.Key
	how, found := named[place]
	if !found && kind != "" {
		how, found = named["*."+f.Key]
	}
	if !found || f.Value.Kind != odcs.List {
		return b.element(f.Value, kinds[place])
	}
	out := &element{kind: "list", node: f.Value}
	taken := map[string]bool{}
	for i, item := range f.Value.Items() {
		if item.Kind != odcs.Map {
			continue
		}
		key := b.key(item, how)
		member := b.element(item, how.kind)
		if how.kind == "quality" {
			member.name = key
		}
		if key == "" || taken[key] {
			key = "[" + strconv.Itoa(i) + "]"
		}
		taken[key] = true
		if how.strip {
			member.drop(how.by[0])
		}
		out.parts = append(out.parts, part{key, member})
	}
	return out
}

// key is the name of a member, or "". A service level that is given for several
// elements is known by its element too.
func (b *builder) key(item *odcs.Node, how naming) string {
	for _, key := range how.by {
		if key == "from:to" {
			return joined(item.Get("from")) + ":" + joined(item.Get("to"))
		}
		text := joined(item.Get(key))
		if how.kind == "sla" && b.repeated[text] {
			return text + "[" + item.Get("element").Text() + "]"
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// joined is a text, or the texts of a list.
func joined(n *odcs.Node) string {
	if n != nil && n.Kind == odcs.List {
		return strings.Join(n.Texts(), ",")
	}
	return n.Text()
}

// repeatedLevels finds the service levels that a contract has several times.
func repeatedLevels(docs ...*odcs.Document) map[string]bool {
	out := map[string]bool{}
	for _, doc := range docs {
		seen := map[string]bool{}
		for _, item := range doc.Root.Get("slaProperties").Items() {
			name := item.Get("property").Text()
			out[name] = out[name] || seen[name]
			seen[name] = true
		}
	}
	return out
}

func (e *element) drop(key string) {
	e.parts = slices.DeleteFunc(e.parts, func(p part) bool { return p.key == key })
}

// few parts are found sooner without an index.
const few = 20

// at returns the part with that name, or nil.
func (e *element) at(key string) *element {
	if e == nil {
		return nil
	}
	if len(e.parts) <= few {
		i := slices.IndexFunc(e.parts, func(p part) bool { return p.key == key })
		if i < 0 {
			return nil
		}
		return e.parts[i].value
	}
	if e.index == nil {
		e.index = map[string]*element{}
		for _, p := range e.parts {
			e.index[p.key] = p.value
		}
	}
	return e.index[key]
}

// word is the text of a scalar, else "".
func (e *element) word() string {
	if e == nil {
		return ""
	}
	return e.node.Text()
}

func (e *element) true() bool { return e != nil && e.node.True() }

// words are the texts of a plain list.
func (e *element) words() []string {
	if e == nil {
		return nil
	}
	return e.node.Texts()
}

// custom returns the value of a customProperty, or nil.
func (e *element) custom(name string) *element {
	return e.at("customProperties").at(name).at("value")
}

func (e *element) is(kind odcs.Kind) bool { return e.node.Kind == kind }

func (e *element) number() bool { return e.is(odcs.Int) || e.is(odcs.Float) }

func (e *element) list() bool { return e.is(odcs.List) && e.kind != "list" }

func (e *element) branch() bool { return e.is(odcs.Map) || e.kind == "list" }
