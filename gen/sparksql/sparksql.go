// Package sparksql owns the lexical side of Spark SQL: identifiers, table
// names, literals, types and the splitting of a text into tokens. It is the
// only place where a value becomes SQL text, so that no name, contract text or
// batch id can end a literal, start a comment or be substituted by Spark.
//
// It knows no contract and no plan.
//
//	sparksql.Ident("order`id")          // `order``id`
//	sparksql.String("it's ${x}")        // 'it\'s $\{x}'
package sparksql

import (
	"fmt"
	"strings"
	"unicode"
)

// Ident quotes one identifier in backticks; an inner backtick is doubled.
// A `${` inside is left to the session setting spark.sql.variable.substitute,
// which sluice switches off, since an identifier knows no escape.
func Ident(name string) string {
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// String renders a Spark string literal. It escapes with backslashes and never
// doubles the quote: before SPARK-52545 'it”s' is two adjacent literals.
// `${` is broken up because Spark substitutes variables in the raw text, inside
// literals too (SparkSqlParser). It holds under escapedStringLiterals=false,
// which every session of sluice sets.
func String(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('\'')
	for i, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\'':
			b.WriteString(`\'`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '{' && i > 0 && s[i-1] == '$':
			b.WriteString(`\{`)
		case r < 0x10000 && (unicode.Is(unicode.C, r) || unicode.Is(unicode.Z, r) && r != ' '):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// Name is a table or schema name of one to three parts.
type Name []string

// ParseName splits a dotted name; backticks protect dots. It refuses empty
// parts, more than three parts and parts that hold control characters.
func ParseName(text string) (Name, error) {
	var parts Name
	var part strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`' && quoted && i+1 < len(text) && text[i+1] == '`':
			part.WriteByte('`')
			i++
		case c == '`':
			quoted = !quoted
		case c == '.' && !quoted:
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(c)
		}
	}
	parts = append(parts, part.String())
	if quoted || len(parts) > 3 {
		return nil, fmt.Errorf("reading table name %q: need one to three parts with closed backticks", text)
	}
	for _, p := range parts {
		if p == "" || strings.TrimSpace(p) != p || strings.ContainsFunc(p, unicode.IsControl) {
			return nil, fmt.Errorf("reading table name %q: part %q is empty or holds blanks at an edge or control characters", text, p)
		}
	}
	return parts, nil
}

// SQL is the quoted form: `a`.`b`.
func (n Name) SQL() string {
	quoted := make([]string, len(n))
	for i, p := range n {
		quoted[i] = Ident(p)
	}
	return strings.Join(quoted, ".")
}

// String is the form for people: a.b.
func (n Name) String() string { return strings.Join(n, ".") }

// Table is the last part.
func (n Name) Table() string { return n[len(n)-1] }

// Schema is everything before the last part.
func (n Name) Schema() Name { return n[:len(n)-1] }

// With returns a sibling of n: the same schema, another table name.
func (n Name) With(table string) Name {
	return append(append(Name{}, n[:len(n)-1]...), table)
}

// Moved is the name in another schema: move gets the schema part and returns the
// new one. A name without a schema stays.
func (n Name) Moved(move func(schema string) string) Name {
	if len(n) < 2 {
		return n
	}
	out := append(Name{}, n...)
	out[len(out)-2] = move(out[len(out)-2])
	return out
}
