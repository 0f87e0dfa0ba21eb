package odcs

import (
	"slices"
	"strings"
)

// familiar are keys of other formats and earlier ones, by the object on which
// people write them, and what the standard has instead.
var familiar = map[string]map[string]string{
	"contract": {
		"models": "schema", "tables": "schema", "info": "name, version and description", "owner": "team", "owners": "team",
		"servicelevels": "slaProperties", "sla": "slaProperties", "terms": "description", "contact": "support",
		"quality": "quality on a schema object or a property", "properties": "schema",
	},
	"schema": {
		"columns": "properties", "fields": "properties", "grain": "dataGranularityDescription", "title": "businessName",
		"primarykey": "primaryKey: true on each property of the key", "partitionedby": "partitioned: true on the property", "owner": "team of the contract",
	},
	"property": {
		"type": "logicalType", "datatype": "logicalType", "nullable": "required", "isnullable": "required", "notnull": "required", "title": "businessName",
		"precision": "physicalType: DECIMAL(18,2)", "scale": "physicalType: DECIMAL(18,2)", "length": "logicalTypeOptions: {maxLength: …}",
		"allowedvalues": "enum", "values": "enum", "references": "relationships", "foreignkey": "relationships", "pii": "classification",
		"fields": "properties", "columns": "properties", "expression": "transformLogic",
	},
}

// instead is what to write in the place of a key that has no meaning on o.
func instead(key string, o *object, names []string) string {
	place := strings.TrimPrefix(o.name, "item")
	if place == "" {
		place = "property" // items of an array are properties
	}
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
	if word := familiar[place][plain]; word != "" {
		return "; write " + word
	}
	if own := customs[o.name]; own != nil && slices.Contains(own.names(), key) {
		return "; write it in customProperties: {property: " + key + ", vendor: sluice, value: …}"
	}
	if text := Suggest(key, names); text != "" {
		return text
	}
	if place == "property" {
		if len(optionOf(key)) > 0 {
			return "; write it inside of logicalTypeOptions"
		}
	}
	if strings.HasPrefix(o.name, "options/") {
		if of := optionOf(key); len(of) > 0 {
			return "; it is an option of " + strings.Join(of, ", ")
		}
	}
	if slices.Contains(names, "customProperties") {
		return "; remove it, or keep it in customProperties"
	}
	return "; remove it"
}

// optionOf is the logical types that have an option.
func optionOf(key string) []string {
	var out []string
	for name, o := range objects {
		kind, found := strings.CutPrefix(name, "options/")
		if found && kind != "" && slices.Contains(o.names(), key) {
			out = append(out, kind)
		}
	}
	slices.Sort(out)
	return out
}
