package gen

import (
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// prepared is the text of a column: the author's expression over trimmed source
// columns, or the source column itself, with what counts as missing made NULL.
func prepared(c *contracts.Column, typed bool) string {
	text := ident(c.Sources[0])
	switch {
	case typed && c.Type.Nested() && c.Expression != "":
		text = jsonText("(" + c.Expression + ")")
	case typed && c.Type.Nested():
		text = jsonText(text)
	case c.Expression != "" && (typed || !isText(c.Expression)):
		text = asText(c, "("+c.Expression+")")
	case c.Expression != "":
		text = c.Expression
	case typed && !stamped(c):
		text = asText(c, text)
	}
	nulls := c.NullValues
	if !c.EmptyIsValue {
		nulls = append([]string{""}, nulls...)
	}
	if c.Type.Nested() {
		nulls = append(nulls, "null") // JSON's own word for a missing value
	}
	switch {
	case len(nulls) == 0:
		return text
	case len(nulls) <= 2:
		for _, n := range nulls {
			text = "nullif(" + text + ", " + lit(n) + ")"
		}
		return text
	default:
		return "CASE WHEN " + text + " IN (" + literals(nulls) + ") THEN NULL ELSE " + text + " END"
	}
}

func literals(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = lit(t)
	}
	return strings.Join(quoted, ", ")
}

// fillStage builds the columns of the stage statement's CTEs. A typed source is
// not trimmed; its values are read by their text as any other, so that a cast
// that would round or cut is refused there too.
func (v *view) fillStage() {
	t := v.table
	v.Typed = t.Source.Typed
	v.HasMalformed = t.Source.Malformed != ""
	v.Header = !v.Typed
	v.Prepared = "trimmed"
	if v.Typed {
		v.Prepared = "batch"
	}
	if v.Phase == "" {
		v.BatchColumns = append(v.BatchColumns, "monotonically_increasing_id() AS `_row_number`")
		v.carry("`_row_number`")
	}
	for _, column := range v.carried {
		v.BatchColumns = append(v.BatchColumns, column)
		v.carry(column)
	}
	for _, source := range v.sources() {
		column, raw := ident(source), ident(contracts.RawName(source))
		text := v.rawText(source)
		value := column
		if !v.Typed && text != column {
			value = text + " AS " + column
		}
		v.BatchColumns = append(v.BatchColumns, value)
		v.TrimmedColumns = append(v.TrimmedColumns, column+" AS "+raw, trim(column)+" AS "+column)
		if v.Typed {
			v.PreparedColumns = append(v.PreparedColumns, text+" AS "+raw)
		} else {
			v.PreparedColumns = append(v.PreparedColumns, raw)
		}
		v.TypedColumns = append(v.TypedColumns, raw)
	}
	v.passMetadata()
	for _, c := range t.Columns {
		v.stageColumn(c)
	}
	if v.Header {
		v.PreparedColumns = append(v.PreparedColumns, v.isHeader()+" AS `_is_header`")
		v.TypedColumns = append(v.TypedColumns, "`_is_header`")
	}
	for _, c := range v.stagingColumns() {
		v.StagingColumns = append(v.StagingColumns, ident(c.Name))
		switch c.Name {
		case "_run_id":
			v.StagedColumns = append(v.StagedColumns, ":run_id")
		case "_reject_reasons":
		default:
			v.StagedColumns = append(v.StagedColumns, ident(c.Name))
		}
	}
	v.fillCodes()
}

// carry passes a column on through the CTEs behind batch.
func (v *view) carry(column string) {
	for _, list := range []*[]string{&v.TrimmedColumns, &v.PreparedColumns, &v.TypedColumns} {
		*list = append(*list, column)
	}
}

// passMetadata reads the loader's columns: those of the contract as text where
// they are cast, the others under sluice's own names.
func (v *view) passMetadata() {
	for _, m := range v.metadata() {
		value := ident(m.bronze)
		if m.typ != "STRING" {
			value = "try_cast(" + value + " AS " + m.typ + ")"
		}
		v.BatchColumns = append(v.BatchColumns, value+as(value, ident(m.name)))
		v.carry(ident(m.name))
	}
	text := map[string]bool{}
	for _, c := range v.table.Columns {
		if stamped(c) && (casts(c) || c.Metadata == contracts.LineMetadata) {
			text[strings.ToLower(c.Sources[0])] = true
		}
	}
	for _, source := range v.bronze()[len(v.sources()):] {
		value := ident(source)
		if text[strings.ToLower(source)] {
			value = "CAST(" + value + " AS STRING)"
		}
		v.BatchColumns = append(v.BatchColumns, value+as(value, ident(source)))
		v.TrimmedColumns = append(v.TrimmedColumns, ident(source))
	}
}

// casts reports whether a column's text is cast, and so kept apart from its
// value: that tells unparseable from missing.
func casts(c *contracts.Column) bool { return c.Type.Kind != sparksql.STRING || c.Clock }

// stageColumn adds a contract column to the prepared and typed CTEs.
func (v *view) stageColumn(c *contracts.Column) {
	name, value := ident(c.Name), prepared(c, v.Typed)
	if !casts(c) {
		v.PreparedColumns = append(v.PreparedColumns, value+as(value, name))
		v.TypedColumns = append(v.TypedColumns, name)
		return
	}
	text := ident("text_" + c.Name)
	v.PreparedColumns = append(v.PreparedColumns, value+" AS "+text)
	value = cast(v.read(c), text)
	if c.Type.Nested() {
		json := ident("json_" + c.Name)
		v.ParsedColumns = append(v.ParsedColumns, parsed(c, text)+" AS "+json)
		value = castNested(c, json)
	}
	v.TypedColumns = append(v.TypedColumns, text, value+" AS "+name)
}

// read is how the text of a column is read. Text that the server made of a
// TIMESTAMP is UTC without a zone, whatever the contract says of the feed's.
func (v *view) read(c *contracts.Column) *contracts.Column {
	if !v.Typed && c.Metadata != contracts.LoadedAtMetadata {
		return c
	}
	server := *c
	if c.Zone == contracts.ZoneRequired || v.Typed {
		server.Zone = contracts.ZoneAllowed
	}
	if v.Typed {
		server.DefaultZone = ""
	}
	return &server
}

func as(expression, name string) string {
	if expression == name {
		return ""
	}
	return " AS " + name
}

// isHeader: every key column and at least half of the source columns that have
// a value equal their own names.
func (v *view) isHeader() string {
	var keys, equal, filled []string
	for _, k := range v.table.Key {
		for _, s := range v.table.Column(k).Sources {
			keys = append(keys, "lower("+ident(s)+") = "+lit(strings.ToLower(s)))
		}
	}
	for _, s := range v.hashed() {
		equal = append(equal, "CAST(lower("+ident(s)+") <=> "+lit(strings.ToLower(s))+" AS INT)")
		filled = append(filled, "CAST(coalesce("+ident(s)+", '') <> '' AS INT)")
	}
	return "coalesce(\n      " + strings.Join(keys, "\n      AND ") +
		"\n      AND 2 * (" + strings.Join(equal, "\n        + ") + ")" +
		"\n        >= " + strings.Join(filled, "\n        + ") + ",\n      false\n    )"
}

// stagingColumns in table order.
func (v *view) stagingColumns() []plan.Column {
	out := []plan.Column{{Name: "_run_id", Type: "STRING"}, {Name: "_row_number", Type: "BIGINT"}}
	for _, c := range v.table.Columns {
		out = append(out, plan.Column{Name: c.Name, Type: c.Type.String(), Nullable: true})
	}
	for _, s := range v.sources() {
		out = append(out, plan.Column{Name: contracts.RawName(s), Type: "STRING", Nullable: true})
	}
	for _, m := range v.metadata() {
		out = append(out, plan.Column{Name: m.name, Type: m.typ, Nullable: true})
	}
	return append(out, plan.Column{Name: "_reject_reasons", Type: "ARRAY<STRING>", Nullable: true})
}
