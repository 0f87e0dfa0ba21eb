package gen

import (
	"strings"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

// Text is a column that holds a value as text, and the expression that makes it.
type Text struct{ Column, SQL string }

// RawTexts are the raw_* columns of staging and quarantine, each with the
// expression over the source table whose value it holds: by them a row is found
// again wherever it went.
func RawTexts(t *contracts.Table) []Text {
	v := &view{table: t, stageView: stageView{Typed: t.Source.Typed}}
	var out []Text
	for _, source := range v.sources() {
		out = append(out, Text{contracts.RawName(source), v.rawText(source)})
	}
	return out
}

// rawText is a source column as the text that raw_* keeps.
func (v *view) rawText(source string) string { return v.textOf(source, ident(source)) }

// textOf is the same of a value of that column, wherever it stands.
func (v *view) textOf(source, column string) string {
	switch kind := v.sourceType(source); {
	case kind.Nested():
		return jsonText(column)
	case kind.Kind == sparksql.BINARY:
		return bytesText(column, false)
	case v.Typed, strings.EqualFold(source, v.table.Source.LoadedAt): // bronze holds the load time as TIMESTAMP or STRING
		return "CAST(" + column + " AS STRING)"
	default:
		return column
	}
}

// ValueText is a typed value of a column as text, to the digit: moments in UTC
// (the zone of every session), bytes as base64, nested values as JSON.
func ValueText(c *contracts.Column, value string) string {
	switch {
	case c.Type.Nested():
		return jsonText(value)
	case c.Type.Kind == sparksql.BINARY:
		return base64(value)
	default:
		return "CAST(" + value + " AS STRING)"
	}
}

// edges is every Unicode space (Z), control (Cc) and format (Cf) character.
// Spark's trim takes U+0020 alone, its casts only ASCII (UTF8String.trim). Not
// the whole of C: characters that the server's Java does not know yet, such as
// new emoji, are in Cn and would be cut off (measured, Java 17). The end is only
// looked for where blanks begin: from each of 100,000 blanks inside of a text the
// search took 25 seconds.
const edges = `^[\s\p{Z}\p{Cc}\p{Cf}]+|(?<![\s\p{Z}\p{Cc}\p{Cf}])[\s\p{Z}\p{Cc}\p{Cf}]+$`

// trim is the text of a source column without what is not data at its edges.
// The regular expression is only reached by values that need it.
func trim(column string) string {
	return "CASE WHEN left(" + column + ", 1) BETWEEN '!' AND '~' AND right(" + column + ", 1) BETWEEN '!' AND '~' THEN " + column +
		" ELSE regexp_replace(" + column + ", " + lit(edges) + ", '') END"
}

// textual are the functions whose result is a string whatever they are given.
var textual = strings.Fields("trim ltrim rtrim btrim upper lower initcap substr substring left right regexp_replace regexp_extract replace translate concat concat_ws lpad rpad split_part")

// isText reports whether an expression is one call of a textual function.
func isText(expression string) bool {
	var words []string
	for _, t := range sparksql.Tokens(expression) {
		if t.Kind != sparksql.Space {
			words = append(words, t.Text)
		}
	}
	if len(words) < 3 || !has(textual, words[0]) || words[1] != "(" {
		return false
	}
	depth := 0
	for i, w := range words {
		switch w {
		case "(":
			depth++
		case ")":
			depth--
		}
		if i > 0 && depth == 0 {
			return i == len(words)-1
		}
	}
	return false
}
