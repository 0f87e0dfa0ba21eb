package gen

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

func ident(name string) string { return sparksql.Ident(name) }
func lit(text string) string   { return sparksql.String(text) }

// oneLine makes contract text safe inside a comment or a setting: no line
// break can end the comment, no control or format character hides text.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) }), " ")
}

var plain = regexp.MustCompile(`[^a-z0-9]+`)

// slug is a lower-case word for statement and constraint names. A name without
// any ASCII letter or digit gives none, so the caller passes what stands for it.
func slug(text, instead string) string {
	if word := strings.Trim(plain.ReplaceAllString(strings.ToLower(text), "_"), "_"); word != "" {
		return word
	}
	return instead
}

// namer keeps names apart that differ in punctuation alone.
type namer map[string]bool

func (n namer) name(stem string) string {
	name := stem
	for i := 2; n[name]; i++ {
		name = fmt.Sprintf("%s_%d", stem, i)
	}
	n[name] = true
	return name
}

// lookupNames are the statements that count rows of each relationship.
func lookupNames(t *contracts.Table) map[*contracts.Relationship]string {
	out := map[*contracts.Relationship]string{}
	taken := namer{}
	for _, r := range t.Relationships {
		out[r] = taken.name("lookup_" + slug(strings.Join(r.Columns, "_"), "columns"))
	}
	return out
}

// schemaNames are the statements that create the schemas of our tables, and
// their order.
func schemaNames(t *contracts.Table) (order []string, schemas map[string]sparksql.Name) {
	schemas = map[string]sparksql.Name{}
	seen := map[string]bool{}
	taken := namer{}
	for _, n := range []sparksql.Name{t.Target, t.Staging, t.Verdict, t.Quarantine, t.AuditLog} {
		schema := n.Schema()
		if len(schema) == 0 || seen[schema.SQL()] {
			continue
		}
		seen[schema.SQL()] = true
		name := taken.name("ensure_schema_" + slug(schema.String(), "other"))
		order = append(order, name)
		schemas[name] = schema
	}
	return order, schemas
}

// distinct collects the column names of one relation; Spark compares them
// without case.
type distinct struct {
	relation string
	seen     map[string]string
	err      error
}

func (d *distinct) add(name, what string) {
	key := strings.ToLower(name)
	if other, taken := d.seen[key]; taken && d.err == nil {
		d.err = fmt.Errorf("naming the columns of %s: %q is both %s and %s; rename one (physicalName names a column of the contract)", d.relation, name, other, what)
	}
	d.seen[key] = what
}

func (d *distinct) own(names ...string) {
	for _, n := range names {
		d.add(n, "a column of sluice's own")
	}
}

// icebergReserved are the names of Iceberg's metadata columns (MetadataColumns):
// a table that has one can be made, and writes to it then fail.
var icebergReserved = map[string]bool{
	"_file": true, "_pos": true, "_deleted": true, "_spec_id": true, "_partition": true, "_row_id": true, "_last_updated_sequence_number": true,
	"file_path": true, "pos": true, "row": true, "_change_type": true, "_change_ordinal": true, "_commit_snapshot_id": true,
}

// checkNames refuses contract columns that collide with what the statements
// add beside them: in the stage projection, in staging and what reads it with
// s.*, and in quarantine.
func (v *view) checkNames() error {
	for _, check := range []func(*distinct){v.namesProjected, v.namesPrepared, v.namesStaged, v.namesQuarantined} {
		d := &distinct{seen: map[string]string{}}
		check(d)
		if d.err != nil {
			return d.err
		}
	}
	if v.contract.Server.Format == contracts.Iceberg {
		for _, t := range v.tables()[1:6] {
			for _, c := range t.Columns {
				if icebergReserved[strings.ToLower(c.Name)] {
					return fmt.Errorf("naming the columns of %s: %q is a metadata column of Iceberg, whose tables cannot have another one; rename it by physicalName", t.Name, c.Name)
				}
			}
		}
	}
	seen := map[string]bool{}
	for _, c := range v.constraints() {
		if seen[c.Name] {
			return fmt.Errorf("naming constraints: two columns give a CHECK the name %q; rename one by physicalName", c.Name)
		}
		seen[c.Name] = true
	}
	return nil
}

func (v *view) namesProjected(d *distinct) {
	d.relation = "the stage statement"
	d.own("_row_number")
	for _, s := range v.bronze() {
		d.add(s, "a source column")
	}
	v.namesKept(d)
}

func (v *view) namesPrepared(d *distinct) {
	d.relation = "the stage statement"
	d.own("_row_number", "_is_header")
	for _, c := range v.table.Columns {
		d.add(c.Name, "a column of the contract")
		if casts(c) {
			d.add("text_"+c.Name, "the text of "+c.Name)
		}
		if c.Type.Nested() {
			d.add("json_"+c.Name, "the JSON of "+c.Name)
		}
	}
	v.namesKept(d)
}

func (v *view) namesStaged(d *distinct) {
	d.relation = "staging"
	d.own("_run_id", "_row_number", "_reject_reasons", "_codes", "_content", "_verdict", "_row_hash", "_newer", "_same_time", "_same_content", "_published_copies", "_change")
	for _, c := range v.table.Columns {
		d.add(c.Name, "a column of the contract")
	}
	v.namesKept(d)
}

// namesKept are the raw text and the loader's columns.
func (v *view) namesKept(d *distinct) {
	for _, s := range v.sources() {
		d.add(contracts.RawName(s), "the source text of "+s)
	}
	for _, m := range v.metadata() {
		if d.relation != "the stage statement" || !has(v.bronze(), m.name) {
			d.add(m.name, "load metadata")
		}
	}
}

func (v *view) namesQuarantined(d *distinct) {
	d.relation = "quarantine"
	for i, c := range v.quarantineColumns() {
		what := "a column of sluice's own"
		if i < len(v.table.Key) {
			what = "a key column"
		}
		d.add(c.Name, what)
	}
}
