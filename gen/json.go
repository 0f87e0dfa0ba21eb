package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

// The formats of to_json: its defaults drop the microseconds.
const (
	timestampFormat    = `yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX`
	timestampNTZFormat = `yyyy-MM-dd'T'HH:mm:ss.SSSSSS`
)

// jsonText is a nested value as text, to the digit.
func jsonText(value string) string {
	return "to_json(" + value + ", map('timestampFormat', " + lit(timestampFormat) + ", 'timestampNTZFormat', " + lit(timestampNTZFormat) + "))"
}

// parsed reads JSON text. from_json alone is no judge: it stops behind the value,
// so that a tail goes unseen, gives NULL for a member that does not fit, takes
// one of two equal names, and passes over a name in another case.
// json_array_length sees the tail, _corrupt_record the misfit (measured, 3.5.7
// and 4.1.3).
func parsed(c *contracts.Column, text string) string {
	fits := "json_array_length(concat('[', " + text + ", ']')) = 1" +
		"\n      AND NOT " + text + " RLIKE " + lit(loneSurrogate)
	if bad := unclear(c, text, 1); bad != "" {
		fits += "\n      AND NOT coalesce(" + bad + ", false)"
	}
	if digits := decimals(c); digits != nil {
		// A string goes to a decimal without its commas: 1,05 would be 105.
		fits += "\n      AND NOT coalesce(" + text + " RLIKE " + lit(oddString) + " AND exists(" +
			"\n        array(" + fromJSON(text, digits.String(), "\n          ") + ".`value`)," +
			"\n        e0 -> " + noNumber(c, "e0", 1) + "\n      ), false)"
	}
	return "CASE\n      WHEN " + fits + "\n      THEN " + fromJSON(text, jsonType(c).String(), "\n        ") + "\n    END"
}

func fromJSON(text, kind, indent string) string {
	return "from_json(" +
		indent + "concat('{\"value\": ', " + text + ", '}')," +
		indent + lit("`value` "+kind+", `_corrupt_record` STRING") + "," +
		indent + "map('columnNameOfCorruptRecord', '_corrupt_record', 'allowSingleQuotes', 'false', 'allowNonNumericNumbers', 'false'))"
}

const (
	// loneSurrogate is half of a character: no text can hold it, Java writes "?".
	loneSurrogate = `(?i)(?<!\\)(?:\\\\)*\\u(?:d[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2}\\u)d[c-f])`
	// oddString begins a JSON string that has a comma, an escape or a foreign digit.
	oddString = `[:\[,]\s*"[^"]*([,\\]|[^\x00-\x7F])`
	// plainNumber is a number, as a string holds it and as Spark writes one.
	plainNumber = `^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\z`
)

// unclear is the condition that an object says a name twice, or in another case
// than the contract; "" when c holds no object. Names that the contract does not
// read are no concern of it.
func unclear(c *contracts.Column, text string, depth int) string {
	if !hasNames(c.Type) {
		return ""
	}
	keys := "json_object_keys(" + text + ")"
	switch c.Type.Kind {
	case sparksql.STRUCT:
		names, lower := make([]string, len(c.Members)), make([]string, len(c.Members))
		for i, m := range c.Members {
			names[i], lower[i] = m.Name, strings.ToLower(m.Name)
		}
		parts := []string{"size(filter(" + keys + ", n -> lower(n) IN (" + literals(lower) + "))) > size(array_intersect(" + keys + ", array(" + literals(names) + ")))"}
		for _, m := range c.Members {
			if bad := unclear(m, "from_json("+text+", "+lit(ident(m.Name)+" STRING")+")."+ident(m.Name), depth); bad != "" {
				parts = append(parts, bad)
			}
		}
		return strings.Join(parts, " OR ")
	case sparksql.MAP:
		twice := "size(" + keys + ") > size(array_distinct(" + keys + "))"
		if bad := unclear(c.Item, rawElement(depth), depth+1); bad != "" {
			twice += " OR exists(map_values(from_json(" + text + ", 'MAP<STRING, STRING>')), " + rawElement(depth) + " -> " + bad + ")"
		}
		return twice
	default:
		return "exists(from_json(" + text + ", 'ARRAY<STRING>'), " + rawElement(depth) + " -> " + unclear(c.Item, rawElement(depth), depth+1) + ")"
	}
}

// rawElement names the variable of a lambda over JSON texts.
func rawElement(depth int) string { return fmt.Sprintf("t%d", depth) }

// hasNames reports whether t is or holds what JSON writes as an object.
func hasNames(t sparksql.Type) bool {
	return t.Kind == sparksql.STRUCT || t.Kind == sparksql.MAP || t.Element != nil && hasNames(*t.Element)
}

// decimals is the type as which the decimals of c are read as text; nil without any.
func decimals(c *contracts.Column) *sparksql.Type {
	switch c.Type.Kind {
	case sparksql.STRUCT:
		t := sparksql.Type{Kind: sparksql.STRUCT}
		for _, m := range c.Members {
			if of := decimals(m); of != nil {
				t.Fields = append(t.Fields, sparksql.Field{Name: m.Name, Type: *of})
			}
		}
		if len(t.Fields) > 0 {
			return &t
		}
	case sparksql.ARRAY, sparksql.MAP:
		if of := decimals(c.Item); of != nil {
			return &sparksql.Type{Kind: c.Type.Kind, Key: c.Type.Key, Element: of}
		}
	case sparksql.DECIMAL:
		return &sparksql.Type{Kind: sparksql.STRING}
	default:
	}
	return nil
}

// noNumber is the condition that the text of a decimal is no plain number.
func noNumber(c *contracts.Column, value string, depth int) string {
	switch c.Type.Kind {
	case sparksql.STRUCT:
		var parts []string
		for _, m := range c.Members {
			if decimals(m) != nil {
				parts = append(parts, noNumber(m, value+"."+ident(m.Name), depth))
			}
		}
		return strings.Join(parts, " OR ")
	case sparksql.ARRAY, sparksql.MAP:
		return "exists(" + elements(c, value) + ", " + element(depth) + " -> " + noNumber(c.Item, element(depth), depth+1) + ")"
	default:
		return "NOT " + value + " RLIKE " + lit(plainNumber)
	}
}

// jsonType is the type as which from_json reads a column. Decimals and doubles
// are read as numbers, for as text they would be written by Double.toString. A
// decimal gets all the scale that 38 digits leave, at least ten digits beyond its
// own (contracts refuses wider ones), so that a rounding is seen.
func jsonType(c *contracts.Column) sparksql.Type {
	switch c.Type.Kind {
	case sparksql.STRUCT:
		t := sparksql.Type{Kind: sparksql.STRUCT}
		for _, m := range c.Members {
			t.Fields = append(t.Fields, sparksql.Field{Name: m.Name, Type: jsonType(m)})
		}
		return t
	case sparksql.ARRAY, sparksql.MAP:
		element := jsonType(c.Item)
		return sparksql.Type{Kind: c.Type.Kind, Key: c.Type.Key, Element: &element}
	case sparksql.DECIMAL:
		return sparksql.Type{Kind: sparksql.DECIMAL, Precision: 38, Scale: 38 - (c.Type.Precision - c.Type.Scale)}
	case sparksql.FLOAT, sparksql.DOUBLE:
		return sparksql.Type{Kind: sparksql.DOUBLE}
	default:
		return sparksql.Type{Kind: sparksql.STRING}
	}
}
