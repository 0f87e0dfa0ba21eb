package odcs

import (
	"maps"
	"slices"
	"strings"
)

// choice is an object whose further keys depend on one key: an if and then for
// each variant, with the complete list of keys.
func (s *schemer) choice(o *object) schema {
	base := s.closed(o, s.keys(o))
	if s.open(o) {
		return base
	}
	var branches []any
	for _, value := range s.variants(o) {
		variant := objects[o.name+"/"+value]
		keys := s.keys(o, variant)
		condition := equals(o.by, value)
		if o.name == "quality" && value == "library" { // the type when none is given, see variant
			delete(condition, "required")
		}
		branches = append(branches, schema{
			"if":   condition,
			"then": s.define(variant.name, func() schema { return s.variant(o, keys) }),
		})
	}
	delete(base, "additionalProperties")
	base["allOf"] = append(branches, list(base["allOf"])...)
	return base
}

// variant has the keys of both, but what is special to the object stands once,
// in its base.
func (s *schemer) variant(o *object, keys []*key) schema {
	out := s.closed(o, keys)
	delete(out, "allOf")
	return out
}

// variants are the values that select further keys, in a fixed order.
func (s *schemer) variants(o *object) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		if value, found := strings.CutPrefix(name, o.name+"/"); found && serverSince[value] <= s.release {
			out = append(out, value)
		}
	}
	return out
}

// special adds what depends on more than one key, as the checker does.
func (s *schemer) special(o *object, out schema) schema {
	switch o.name {
	case "property", "item":
		if !s.own {
			out["allOf"] = s.options()
		}
	case "quality":
		out["allOf"] = []any{schema{
			"if":   equals("engine", "sluice"),
			"then": schema{"properties": schema{"implementation": s.ref("implementation")}},
		}}
	}
	return out
}

// options are the logicalTypeOptions of each logicalType, and of none.
func (s *schemer) options() []any {
	kinds, _ := objects["property"].find("logicalType", s.release)
	var out []any
	for _, kind := range append([]string{""}, kinds.shape.set...) {
		condition := equals("logicalType", kind)
		if kind == "" {
			condition = schema{"properties": schema{"logicalType": false}}
		}
		then := schema{"properties": schema{"logicalTypeOptions": s.ref("options/" + kind)}}
		if key := needs[kind]; key != "" {
			then["required"] = []string{key}
		}
		out = append(out, schema{"if": condition, "then": then})
	}
	return out
}

// custom is a customProperty on an object. The names of sluice are its own
// unless another vendor is given; of vendor sluice there are no others.
func (s *schemer) custom(o *object) schema {
	place := o.name
	own := customs[place]
	if own == nil {
		place, own = "other", &object{} // all places without one share a definition
	}
	return s.define("customProperty/"+place, func() schema {
		out := s.closed(objects["customProperty"], s.keys(objects["customProperty"]))
		if s.own { // the keys of the entry are the standard's, and needed below
			out = schema{"properties": schema{"property": schema{}, "value": schema{}}}
		}
		keys := s.released(own)
		var branches []any
		for _, k := range keys {
			condition := equals("property", k.name)
			condition["properties"].(schema)["vendor"] = schema{"const": "sluice"} // or absent
			value := describe(s.shape(k.shape), k)
			branches = append(branches, schema{"if": condition, "then": schema{"properties": schema{"value": value}}})
		}
		out["properties"].(schema)["property"] = suggestions(keys)
		out["allOf"] = append(branches, ofSluice(keys))
		return out
	})
}

// suggestions let an editor complete the names, and leave others free.
func suggestions(keys []*key) schema {
	free := schema{"type": "string"}
	if len(keys) == 0 {
		return free
	}
	var choices []any
	for _, k := range keys {
		choices = append(choices, describe(schema{"const": k.name}, k))
	}
	return schema{"anyOf": append(choices, free)}
}

func ofSluice(keys []*key) schema {
	names := []string{}
	for _, k := range keys {
		names = append(names, k.name)
	}
	return schema{"if": equals("vendor", "sluice"), "then": schema{"properties": schema{"property": schema{"enum": names}}}}
}

func equals(key, value string) schema {
	return schema{"properties": schema{key: schema{"const": value}}, "required": []string{key}}
}

func list(v any) []any {
	out, _ := v.([]any)
	return out
}
