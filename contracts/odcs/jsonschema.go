package odcs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Dialect is the draft that the schemas of the standard are written in.
const Dialect = "https://json-schema.org/draft/2019-09/schema"

// JSONSchema describes a contract of one apiVersion to an editor: the keys of
// the standard, and at each place sluice's own customProperties with the shape
// of their value. With own, it leaves the standard's keys open and describes
// only what is sluice's, to stand beside the schema of the standard.
//
// Every object is closed by its own list of keys, never by unevaluatedProperties:
// editors that know only draft 7 check the same.
func JSONSchema(apiVersion string, own bool) (map[string]any, error) {
	release, known := releases[apiVersion]
	if !known {
		return nil, fmt.Errorf("describing apiVersion %q: use one of %s", apiVersion, strings.Join(Versions(), ", "))
	}
	s := &schemer{release: release, own: own, defs: map[string]any{}}
	root := s.ref("contract")
	title := "Data contract, ODCS " + apiVersion + ", with the customProperties of sluice"
	if own {
		title = "The customProperties of sluice in a data contract, ODCS " + apiVersion
	}
	return map[string]any{"$schema": Dialect, "title": title, "$ref": root["$ref"], "$defs": s.defs}, nil
}

// schemer collects one definition an object. It follows what it refers to, so
// that objects of other releases stay out.
type schemer struct {
	release Release
	own     bool
	defs    map[string]any
}

type schema = map[string]any

func (s *schemer) ref(name string) schema {
	return s.define(name, func() schema { return s.object(name) })
}

// define enters the name before the definition is made: objects contain themselves.
func (s *schemer) define(name string, body func() schema) schema {
	name = strings.ReplaceAll(name, "/", ".") // a slash in a JSON pointer would need an escape
	if _, done := s.defs[name]; !done {
		s.defs[name] = nil
		s.defs[name] = body()
	}
	return schema{"$ref": "#/$defs/" + name}
}

// open says that the keys of an object are the standard's own business.
func (s *schemer) open(o *object) bool {
	return s.own && !ours[o.name]
}

// ours are the objects that the table of sluice adds.
var ours = func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(sluiceShapes) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "object" {
			out[words[1]] = true
		}
	}
	return out
}()

func (s *schemer) object(name string) schema {
	o := objects[name]
	if o.by != "" {
		return s.choice(o)
	}
	return s.closed(o, s.keys(o))
}

// keys are those of the release, in the order of the table; where the object is
// the standard's business, only those on the way to something of sluice.
func (s *schemer) keys(parts ...*object) []*key {
	var out []*key
	for _, o := range parts {
		out = append(out, s.released(o)...)
	}
	if s.open(parts[0]) {
		out = slices.DeleteFunc(out, func(k *key) bool { return !s.leads(k.shape, map[string]bool{}) })
	}
	return out
}

func (s *schemer) released(o *object) []*key {
	var out []*key
	for i := range o.keys {
		if k := &o.keys[i]; s.release >= k.since && s.release <= k.until {
			out = append(out, k)
		}
	}
	return out
}

// leads reports whether a value can hold a customProperty or a rule of sluice.
func (s *schemer) leads(x *shape, seen map[string]bool) bool {
	switch {
	case x.kind == "list":
		return s.leads(x.element, seen)
	case x.kind == "either":
		return slices.ContainsFunc(x.either, func(e *shape) bool { return s.leads(e, seen) })
	case x.kind != "object" || seen[x.object]:
		return false
	case x.object == "customProperty":
		return true
	}
	seen[x.object] = true
	return slices.ContainsFunc(objects[x.object].keys, func(k key) bool { return s.leads(k.shape, seen) })
}

func (s *schemer) closed(o *object, keys []*key) schema {
	properties, required := schema{}, []string{}
	for _, k := range keys {
		properties[k.name] = s.key(o, k)
		if k.required {
			required = append(required, k.name)
		}
	}
	if s.open(o) {
		return s.special(o, schema{"properties": properties})
	}
	out := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return s.special(o, out)
}

func (s *schemer) key(o *object, k *key) schema {
	var out schema
	switch {
	case k.name == "customProperties":
		out = schema{"type": "array", "items": s.custom(o)}
	case o.name == "contract" && k.name == "apiVersion":
		out = schema{"enum": s.versions()}
	case o.name == "server" && k.name == "type":
		out = schema{"enum": s.serverTypes(k.shape.set)}
	default:
		out = s.shape(k.shape)
	}
	return describe(out, k)
}

func (s *schemer) versions() []string {
	return slices.DeleteFunc(Versions(), func(v string) bool { return releases[v] != s.release })
}

func (s *schemer) serverTypes(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(t string) bool { return serverSince[t] > s.release })
}

var scalarSchemas = map[string]schema{
	"text": {"type": "string"},
	"bool": {"type": "boolean"}, "int": {"type": "integer"}, "number": {"type": "number"},
	"scalar": {"type": []string{"string", "number", "boolean", "null"}},
	"any":    {}, "map": {"type": "object"},
	"row": {"type": "object"}, "counts": {"type": "object", "additionalProperties": schema{"type": "integer", "minimum": 0}},
	"tables": {"type": "object", "additionalProperties": schema{"type": "array", "items": schema{"type": "object"}}},
}

func (s *schemer) shape(x *shape) schema {
	switch x.kind {
	case "id":
		return schema{"type": "string", "pattern": idPattern(s.release).String()}
	case "object":
		return s.ref(x.object)
	case "list":
		return schema{"type": "array", "items": s.shape(x.element)}
	case "set":
		return schema{"enum": x.set}
	case "either":
		var choices []schema
		for _, e := range x.either {
			choices = append(choices, s.shape(e))
		}
		return schema{"anyOf": choices}
	}
	return maps.Clone(scalarSchemas[x.kind]) // a copy: descriptions are added to it
}
