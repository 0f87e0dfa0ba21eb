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
