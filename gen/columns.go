package gen

import "strings"

// on joins columns of two aliases with an operator, one a line.
func on(left, right, operator string, columns []string, indent string) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = left + "." + ident(c) + " " + operator + " " + right + "." + ident(c)
	}
	return strings.Join(parts, "\n"+indent+"AND ")
}

func prefixed(alias string, columns []string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = alias + "." + ident(c)
	}
	return out
}

func idents(columns []string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = ident(c)
	}
	return out
}

// tuple is one column, or several as a struct, which Spark compares field by
// field.
func tuple(alias string, columns []string) string {
	items := prefixed(alias, columns)
	if len(items) == 1 {
		return items[0]
	}
	return "struct(" + strings.Join(items, ", ") + ")"
}

// union keeps the first place of each column.
func union(lists ...[]string) []string {
	var out []string
	for _, list := range lists {
		for _, c := range list {
			if !has(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}
