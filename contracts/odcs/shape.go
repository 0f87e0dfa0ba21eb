package odcs

import (
	"fmt"
	"strings"
)

// shape is what a value must look like. Exactly one of the parts beside kind is
// used, by kind.
type shape struct {
	kind    string // text id bool int number scalar any map row counts tables; set list object either
	set     []string
	element *shape
	object  string
	either  []*shape
}

// key is one key of an object in one span of releases.
type key struct {
	name         string
	shape        *shape
	required     bool
	since, until Release
	section      string // "object schema" or "custom schema", where the table has it
}

// object is the keys of a mapping. With by, further keys come from the object
// named name/<value of by>.
type object struct {
	name string
	by   string
	keys []key
}

var objects, customs = parseShapes(shapes+sluiceShapes+fixtureShapes+waiverShapes, serverKeys)

func named(name string) *shape { return &shape{kind: "object", object: name} }

// parseShapes panics on a mistake in the table: it is part of the program text,
// and every test would meet it.
func parseShapes(text, servers string) (objects, customs map[string]*object) {
	objects, customs = map[string]*object{}, map[string]*object{}
	var current *object
	var section string
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 1 && (words[0] == "object" || words[0] == "custom") {
			section = words[0] + " " + words[1]
		}
		switch {
		case len(words) == 0:
		case words[0] == "object":
			current = &object{name: words[1]}
			if len(words) == 4 {
				current.by = words[3]
			}
			objects[current.name] = current
		case words[0] == "custom":
			current = &object{name: words[1]}
			customs[current.name] = current
		default:
			k := parseKey(words)
			k.section = section
			current.keys = append(current.keys, k)
		}
	}
	addServers(objects, servers)
	objects["item"] = &object{name: "item"}
	for _, k := range objects["property"].keys { // items of an array: a property whose name is optional
		k.required = false
		objects["item"].keys = append(objects["item"].keys, k)
	}
	return objects, customs
}

func parseKey(words []string) key {
	k := key{name: strings.TrimSuffix(words[0], "!"), required: strings.HasSuffix(words[0], "!"), until: 99}
	rest := words[1:]
	for {
		last := rest[len(rest)-1]
		var major, minor Release
		if n, _ := fmt.Sscanf(last, "-%d.%d", &major, &minor); n == 2 {
			k.until = major*10 + minor
		} else if n, _ := fmt.Sscanf(last, "%d.%d+", &major, &minor); n == 2 {
			k.since = major*10 + minor
		} else {
			break
		}
		rest = rest[:len(rest)-1]
	}
	k.shape = parseShape(strings.Join(rest, " "))
	return k
}

func parseShape(text string) *shape {
	if parts := strings.Split(text, " or "); len(parts) > 1 {
		out := &shape{kind: "either"}
		for _, p := range parts {
			out.either = append(out.either, parseShape(p))
		}
		return out
	}
	inner := text[1 : len(text)-1]
	switch text[0] {
	case '(':
		return &shape{kind: "set", set: strings.Split(inner, "|")}
	case '[':
		return &shape{kind: "list", element: parseShape(inner)}
	case '{':
		return named(inner)
	}
	return &shape{kind: text}
}

func addServers(objects map[string]*object, text string) {
	base := &object{name: "server", by: "type"}
	special := serverKeyShapes()
	types := &shape{kind: "set"}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		words := strings.Fields(line)
		types.set = append(types.set, words[0])
		variant := &object{name: "server/" + words[0]}
		for _, w := range words[1:] {
			variant.keys = append(variant.keys, serverKey(special, words[0], w)...)
		}
		objects[variant.name] = variant
	}
	for _, line := range []string{"server! text", "id id 3.1+", "description text", "environment text", "roles [{role}]", "customProperties [{customProperty}]"} {
		base.keys = append(base.keys, parseKey(strings.Fields(line)))
	}
	base.keys = append(base.keys, key{name: "type", shape: types, required: true, until: 99})
	objects["server"] = base
}

// serverKeyShapes is serverShapes by key or TYPE.key.
func serverKeyShapes() map[string][]key {
	out := map[string][]key{}
	for line := range strings.Lines(strings.TrimSpace(serverShapes)) {
		k := parseKey(strings.Fields(line))
		out[k.name] = append(out[k.name], k)
	}
	return out
}

// serverKey is one word of serverKeys. A key of all types takes its ! from there.
func serverKey(special map[string][]key, kind, word string) []key {
	plain := parseKey([]string{word, "text"})
	var out []key
	for _, k := range special[kind+"."+plain.name] {
		k.name = plain.name
		out = append(out, k)
	}
	if out != nil {
		return out
	}
	for _, k := range special[plain.name] {
		k.required = plain.required
		out = append(out, k)
	}
	if out != nil {
		return out
	}
	return []key{plain}
}

// find returns the key in the release, or nil; known tells a key of another
// release from one that never existed.
func (o *object) find(name string, release Release) (found *key, other *key) {
	for i := range o.keys {
		k := &o.keys[i]
		if k.name != name {
			continue
		}
		if release >= k.since && release <= k.until {
			return k, nil
		}
		other = k
	}
	return nil, other
}
