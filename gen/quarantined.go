package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
)

// Rejects names rows of one batch in quarantine.
type Rejects struct {
	Batch string
	Code  string // one of the codes of each row
	Limit int    // of rows; of keys for TiedRows
}

// QuarantinedTexts are the source columns that quarantine holds, each with the
// expression of its text there: raw_* as the source sent it, and file and line
// where the contract has a column of them. The queries below call them c0, c1 …
func QuarantinedTexts(t *contracts.Table) []Text {
	v := &view{table: t}
	var out []Text
	for _, source := range v.sources() {
		out = append(out, Text{source, "q." + ident(contracts.RawName(source))})
	}
	for _, m := range []struct {
		kind         contracts.MetadataKind
		source, name string
	}{{contracts.FileMetadata, t.Source.File, "_source_file"}, {contracts.LineMetadata, t.Source.Line, "_source_line"}} {
		if v.columnOf(m.kind) != nil {
			out = append(out, Text{m.source, "CAST(q." + ident(m.name) + " AS STRING)"})
		}
	}
	return out
}

// RejectedRows is the query for rows with a code: where it comes first before
// others, few codes before many, then in the order of the source.
func RejectedRows(t *contracts.Table, r Rejects) string {
	v := &view{table: t}
	return "SELECT\n  " + strings.Join(v.quarantined(), ",\n  ") + "\nFROM " + t.Quarantine.SQL() + " AS q" +
		"\nWHERE q.`_batch_id` = " + lit(r.Batch) +
		"\n  AND array_contains(" + codesOf + ", " + lit(r.Code) + ")" +
		"\nORDER BY q.`_reject_reason` <=> " + lit(r.Code) + " DESC, size(" + codesOf + "), `file`, `line`, " + v.cells() +
		fmt.Sprintf("\nLIMIT %d", r.Limit)
}

// TiedRows is the query for all versions of keys that have a code, among those
// whose newest versions tie within the batch: of them none was accepted, so that
// quarantine holds every version which decided. Rows of one key come together.
func TiedRows(t *contracts.Table, r Rejects) string {
	v := &view{table: t}
	var keys, join []string
	for _, k := range t.Key {
		keys = append(keys, ident(k))
		join = append(join, "q."+ident(k)+" <=> t."+ident(k))
	}
	const settled = "`_reject_reason` IN ('ambiguous_duplicate', 'duplicate_superseded')"
	list := strings.Join(keys, ", ")
	return "WITH tied AS (\n  SELECT " + list + ", count(*) AS `_versions`\n  FROM " + t.Quarantine.SQL() +
		"\n  WHERE `_batch_id` = " + lit(r.Batch) + " AND " + settled +
		"\n  GROUP BY " + list +
		"\n  HAVING count_if(`_reject_reason` = 'ambiguous_duplicate') > 1 AND count_if(`_reject_reason` = " + lit(r.Code) + ") > 0" +
		"\n  ORDER BY `_versions`, " + list + fmt.Sprintf("\n  LIMIT %d\n)", r.Limit) +
		"\nSELECT\n  to_json(array(" + strings.Join(prefixed("q", t.Key), ", ") + ")) AS `key`,\n  " + strings.Join(v.quarantined(), ",\n  ") +
		"\nFROM " + t.Quarantine.SQL() + " AS q\nJOIN tied AS t\n  ON " + strings.Join(join, "\n  AND ") +
		"\nWHERE q.`_batch_id` = " + lit(r.Batch) + " AND q." + settled +
		"\nORDER BY `key`, `file`, `line`, " + v.cells() + fmt.Sprintf("\nLIMIT %d", r.Limit*MostVersions+1)
}

// MostVersions of a key are as many as a person reads in a fixture.
const MostVersions = 50

// RejectCounts is the query for all codes of a batch with their rows.
func RejectCounts(t *contracts.Table, batch string) string {
	return "SELECT\n  `code`,\n  count(*) AS `rows`\nFROM (\n  SELECT explode(" + codesOf + ") AS `code`\n  FROM " + t.Quarantine.SQL() +
		" AS q\n  WHERE q.`_batch_id` = " + lit(batch) + "\n)\nGROUP BY `code`\nORDER BY `rows` DESC, `code`"
}

// codesOf are the codes of a row of quarantine.
const codesOf = "split(q.`_reject_reasons`, '; ')"

// quarantined are the columns of the queries for rows.
func (v *view) quarantined() []string {
	out := []string{"q.`_reject_reasons` AS `codes`", "q.`_contract_version` AS `version`"}
	where := map[string]string{"_source_file": "CAST(NULL AS STRING)", "_source_line": "CAST(NULL AS BIGINT)"}
	for _, m := range v.evidence() {
		if _, asked := where[m.name]; asked {
			where[m.name] = "q." + ident(m.name)
		}
	}
	out = append(out, where["_source_file"]+" AS `file`", where["_source_line"]+" AS `line`")
	for i, t := range QuarantinedTexts(v.table) {
		out = append(out, t.SQL+fmt.Sprintf(" AS `c%d`", i))
	}
	return out
}

// cells are the names of the texts, by which rows of one file and line are ordered.
func (v *view) cells() string {
	names := make([]string, len(QuarantinedTexts(v.table)))
	for i := range names {
		names[i] = fmt.Sprintf("`c%d`", i)
	}
	return strings.Join(names, ", ")
}
