package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

// A nested column is read as JSON text, from a typed source too (to_json): one
// way to be strict. Each member is first the text that it holds, then cast by
// the same rules as a column of its own.

// castNested is the typed value of a parsed column, NULL if any member of it
// cannot be read without loss.
func castNested(c *contracts.Column, json string) string {
	value := json + ".`value`"
	fits := json + ".`_corrupt_record` IS NULL"
	if bad := misfit(c, value, 1); bad != "" {
		fits += "\n      AND NOT coalesce(" + line(1, "") + bad + ",\n        false\n      )"
	}
	return "CASE\n      WHEN " + fits + "\n      THEN " + typedMember(c, value, 1) + "\n    END"
}

// element names the variable of a lambda; each level has its own.
func element(depth int) string { return fmt.Sprintf("e%d", depth) }

// line is the break between members of a column, which stand one a line; what
// is inside of a lambda stays on the line of its member.
func line(depth int, word string) string {
	if depth > 1 {
		return strings.TrimPrefix(" "+word, "  ")
	}
	return "\n        " + word
}

// typedMember casts a value as from_json gave it.
func typedMember(c *contracts.Column, value string, depth int) string {
	switch c.Type.Kind {
	case sparksql.STRUCT:
		parts, same := make([]string, len(c.Members)), true
		for i, m := range c.Members {
			part := value + "." + ident(m.Name)
			parts[i] = typedMember(m, part, depth)
			same = same && parts[i] == part
			parts[i] = lit(m.Name) + ", " + parts[i]
		}
		if same {
			return value
		}
		separator := "," + line(depth, "")
		return "CASE WHEN " + value + " IS NOT NULL THEN named_struct(" + line(depth, "") + strings.Join(parts, separator) + ") END"
	case sparksql.ARRAY, sparksql.MAP:
		e := element(depth)
		inner := typedMember(c.Item, e, depth+1)
		switch {
		case inner == e:
			return value
		case c.Type.Kind == sparksql.MAP:
			return "transform_values(" + value + ", (k, " + e + ") -> " + inner + ")"
		default:
			return "transform(" + value + ", " + e + " -> " + inner + ")"
		}
	case sparksql.DECIMAL, sparksql.FLOAT:
		return "try_cast(" + value + " AS " + c.Type.String() + ")"
	case sparksql.DOUBLE:
		return value
	default:
		if !casts(c) {
			return value
		}
		return cast(c, value)
	}
}

// misfit is the condition that a member holds something that its type cannot
// take as it is; "" when every text will do.
func misfit(c *contracts.Column, value string, depth int) string {
	switch c.Type.Kind {
	case sparksql.STRUCT:
		var parts []string
		for _, m := range c.Members {
			if bad := misfit(m, value+"."+ident(m.Name), depth); bad != "" {
				parts = append(parts, bad)
			}
		}
		return strings.Join(parts, line(depth, "OR "))
	case sparksql.ARRAY, sparksql.MAP:
		bad := misfit(c.Item, element(depth), depth+1)
		if bad == "" {
			return ""
		}
		return "exists(" + elements(c, value) + ", " + element(depth) + " -> " + bad + ")"
	case sparksql.DECIMAL:
		typed := "try_cast(" + value + " AS " + c.Type.String() + ")" // 99.999 does not round into DECIMAL(4,2)
		if c.Lenient {
			return value + " IS NOT NULL AND " + typed + " IS NULL"
		}
		return "NOT " + value + " <=> " + typed
	case sparksql.FLOAT:
		return "isnan(" + value + ") OR abs(" + value + ") > 3.4028234663852886E38D"
	case sparksql.DOUBLE:
		return "isnan(" + value + ") OR abs(" + value + ") = double('Infinity')"
	default:
		if !casts(c) {
			return ""
		}
		return value + " IS NOT NULL AND " + cast(c, value) + " IS NULL"
	}
}

// elements is the list of what an ARRAY or MAP holds.
func elements(c *contracts.Column, value string) string {
	if c.Type.Kind == sparksql.MAP {
		return "map_values(" + value + ")"
	}
	return value
}

// memberCodes adds the codes of the promises on the members of a typed value.
func memberCodes(c *contracts.Column, value string, depth int, add func(condition, code string)) {
	each := func(m *contracts.Column, part, missing string, add func(condition, code string)) {
		if m.Required {
			add(missing, m.Codes.Missing)
		}
		for _, r := range m.Rules {
			add(broken(m, r, part), r.Code)
		}
		memberCodes(m, part, depth+1, add)
	}
	switch c.Type.Kind {
	case sparksql.STRUCT:
		for _, m := range c.Members {
			part := value + "." + ident(m.Name)
			each(m, part, value+" IS NOT NULL AND "+part+" IS NULL", add)
		}
	case sparksql.ARRAY, sparksql.MAP:
		e := element(depth)
		each(c.Item, e, e+" IS NULL", func(condition, code string) {
			add("exists("+elements(c, value)+", "+e+" -> "+condition+")", code)
		})
	default:
	}
}

// present counts the members of an object that have a value.
func present(c *contracts.Column, value string) string {
	parts := make([]string, len(c.Members))
	for i, m := range c.Members {
		parts[i] = "CAST(" + value + "." + ident(m.Name) + " IS NOT NULL AS INT)"
	}
	return "(" + strings.Join(parts, " + ") + ")"
}

// compared is a column in a form that Spark compares: it cannot compare maps, so
// each one is a list of its entries, in the order of their keys.
func compared(c *contracts.Column, alias string) string {
	return entries(c, alias+"."+ident(c.Name), 1)
}

func entries(c *contracts.Column, value string, depth int) string {
	if !c.Type.HasMap() {
		return value
	}
	e := element(depth)
	switch c.Type.Kind {
	case sparksql.STRUCT:
		parts := make([]string, len(c.Members))
		for i, m := range c.Members {
			parts[i] = lit(m.Name) + ", " + entries(m, value+"."+ident(m.Name), depth)
		}
		return "CASE WHEN " + value + " IS NOT NULL THEN named_struct(" + strings.Join(parts, ", ") + ") END"
	case sparksql.MAP:
		return "transform(array_sort(map_keys(" + value + ")), " + e + " -> named_struct('key', " + e + ", 'value', " + entries(c.Item, value+"["+e+"]", depth+1) + "))"
	default:
		return "transform(" + value + ", " + e + " -> " + entries(c.Item, e, depth+1) + ")"
	}
}
