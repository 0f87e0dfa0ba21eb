package gen

import (
	"regexp"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// edges is every Unicode space (Z), control and format character (C). Spark's
// trim takes U+0020 alone, its casts only ASCII (UTF8String.trim).
const edges = `^[\s\p{Z}\p{C}]+|[\s\p{Z}\p{C}]+$`

// trim is the text of a source column without what is not data at its edges.
// The regular expression is only reached by values that need it.
func trim(column string) string {
	return "CASE WHEN left(" + column + ", 1) BETWEEN '!' AND '~' AND right(" + column + ", 1) BETWEEN '!' AND '~' THEN " + column +
		" ELSE regexp_replace(" + column + ", " + lit(edges) + ", '') END"
}

// textual are the functions whose result is a string whatever they are given.
var textual = regexp.MustCompile(`(?is)^\s*(trim|ltrim|rtrim|btrim|upper|lower|initcap|substr|substring|left|right|regexp_replace|regexp_extract|replace|translate|concat|concat_ws|lpad|rpad|split_part)\s*\(`)

// prepared is the text of a column: the author's expression over trimmed source
// columns, or the source column itself, with what counts as missing made NULL.
func prepared(c *contracts.Column) string {
	text := ident(c.Sources[0])
	if c.Expression != "" {
		text = c.Expression
		if !textual.MatchString(text) {
			text = "CAST((" + text + ") AS STRING)"
		}
	}
	nulls := c.NullValues
	if !c.EmptyIsValue {
		nulls = append([]string{""}, nulls...)
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

// fillStage builds the columns of the stage statement's CTEs.
func (v *view) fillStage() {
	t := v.table
	v.Typed = t.Source.Typed
	v.HasMalformed = t.Source.Malformed != ""
	v.Header = !v.Typed && len(t.Key) > 0
	for _, source := range v.sources() {
		column, raw := ident(source), ident("raw_"+source)
		if source == t.Source.LoadedAt || v.Typed {
			v.BatchColumns = append(v.BatchColumns, "CAST("+column+" AS STRING) AS "+v.batchName(source))
		} else {
			v.BatchColumns = append(v.BatchColumns, column)
		}
		v.TrimmedColumns = append(v.TrimmedColumns, column+" AS "+raw, trim(column)+" AS "+column)
		v.PreparedColumns = append(v.PreparedColumns, raw)
		v.TypedColumns = append(v.TypedColumns, raw)
	}
	v.TrimmedColumns = append([]string{"`_row_id`"}, v.TrimmedColumns...)
	v.PreparedColumns = append([]string{"`_row_id`"}, v.PreparedColumns...)
	v.TypedColumns = append([]string{"`_row_id`"}, v.TypedColumns...)
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

// batchName keeps a typed source column apart from its text.
func (v *view) batchName(source string) string {
	if v.Typed {
		return ident("raw_" + source)
	}
	return ident(source)
}

// passMetadata carries the loader's columns through the CTEs.
func (v *view) passMetadata() {
	for _, m := range v.metadata() {
		value := ident(m.bronze)
		if m.typ != "STRING" {
			value = "try_cast(" + value + " AS " + m.typ + ")"
		}
		if m.name != m.bronze || m.typ != "STRING" {
			value += " AS " + ident(m.name)
		}
		v.BatchColumns = append(v.BatchColumns, value)
		for _, list := range []*[]string{&v.TrimmedColumns, &v.PreparedColumns, &v.TypedColumns} {
			*list = append(*list, ident(m.name))
		}
	}
	for _, c := range v.table.Columns {
		if c.Metadata == contracts.FileMetadata || c.Metadata == contracts.LineMetadata || c.Metadata == contracts.BatchMetadata {
			v.BatchColumns = append(v.BatchColumns, ident(c.Sources[0]))
			v.TrimmedColumns = append(v.TrimmedColumns, ident(c.Sources[0]))
		}
	}
}

// stageColumn adds a contract column to the prepared and typed CTEs. Only a
// column that is cast keeps its text apart: it tells unparseable from missing.
func (v *view) stageColumn(c *contracts.Column) {
	name := ident(c.Name)
	switch {
	case v.Typed:
		source := ident(c.Sources[0])
		if c.Expression != "" {
			source = "(" + c.Expression + ")"
		}
		v.BatchColumns = append(v.BatchColumns, "try_cast("+source+" AS "+c.Type.String()+") AS "+name)
		v.TypedColumns = append(v.TypedColumns, name)
	case c.Type.Kind == sparksql.STRING:
		v.PreparedColumns = append(v.PreparedColumns, prepared(c)+as(prepared(c), name))
		v.TypedColumns = append(v.TypedColumns, name)
	default:
		text := ident("text_" + c.Name)
		v.PreparedColumns = append(v.PreparedColumns, prepared(c)+" AS "+text)
		v.TypedColumns = append(v.TypedColumns, text, cast(c, text)+" AS "+name)
	}
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
	for _, s := range v.sources() {
		if s == v.table.Source.LoadedAt {
			continue
		}
		equal = append(equal, "coalesce(CAST(lower("+ident(s)+") = "+lit(strings.ToLower(s))+" AS INT), 0)")
		filled = append(filled, "CAST("+ident(s)+" IS NOT NULL AND "+ident(s)+" <> '' AS INT)")
	}
	return "coalesce(\n      " + strings.Join(keys, "\n      AND ") +
		"\n      AND 2 * (" + strings.Join(equal, "\n        + ") + ")" +
		"\n        >= " + strings.Join(filled, "\n        + ") + ",\n      false\n    )"
}

// stagingColumns in table order.
func (v *view) stagingColumns() []plan.Column {
	out := []plan.Column{{Name: "_run_id", Type: "STRING"}, {Name: "_row_id", Type: "BIGINT"}}
	for _, c := range v.table.Columns {
		out = append(out, plan.Column{Name: c.Name, Type: c.Type.String(), Nullable: true})
	}
	for _, s := range v.sources() {
		out = append(out, plan.Column{Name: "raw_" + s, Type: "STRING", Nullable: true})
	}
	for _, m := range v.metadata() {
		out = append(out, plan.Column{Name: m.name, Type: m.typ, Nullable: true})
	}
	return append(out, plan.Column{Name: "_reject_reasons", Type: "ARRAY<STRING>", Nullable: true})
}
