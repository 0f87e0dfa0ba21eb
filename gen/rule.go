package gen

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

// placeholder is {name} or ${name}, as ODCS sql rules write them.
var placeholder = regexp.MustCompile(`\$?\{([A-Za-z_]+)\}`)

// fillRules prepares the queries of batch rules over the accepted rows.
func (v *view) fillRules() error {
	at := places(v.table)
	for _, r := range v.table.Rules {
		if p, needed := at[r]; !needed || p.column != "" {
			continue
		}
		view := v.ruleObject(r)
		if r.Kind == contracts.DuplicateValues {
			view.Query = duplicates(r, view.Object)
		} else {
			query, err := v.author(r, view.Object)
			if err != nil {
				return fmt.Errorf("writing rule %s: %w", r.ID, err)
			}
			view.Query = query
		}
		v.rules[at[r].statement] = view
	}
	return nil
}

// ruleObject is what a rule looks at. On an audit branch a query of the author
// sees the whole table as it would be, and a metric the replaced partition.
func (v *view) ruleObject(r *contracts.Rule) ruleView {
	from, accepted := v.candidate()
	switch {
	case r.OnTarget:
		return ruleView{Object: v.Published, Why: oneLine(fmt.Sprintf("Rule %s over the published table.", r.ID))}
	case v.table.Publish.Mode == contracts.WAP && r.Kind == contracts.SQLRule:
		return ruleView{Object: v.Candidate, Why: oneLine(fmt.Sprintf("Rule %s over the branch: the table as it would be.", r.ID))}
	case !accepted:
		return ruleView{Object: "(SELECT * FROM " + strings.ReplaceAll(from, "\n", " ") + ")", Why: oneLine(fmt.Sprintf("Rule %s over the partition on the branch.", r.ID))}
	default:
		return ruleView{Object: ident("accepted"), Accepted: true, Why: oneLine(fmt.Sprintf("Rule %s over the accepted rows of this batch.", r.ID))}
	}
}

// duplicates counts keys that occur more than once; a key with a NULL part is
// none, as datacontract-cli counts.
func duplicates(r *contracts.Rule, object string) string {
	keys := idents(r.Columns)
	return "SELECT count(*) FROM (\n  SELECT " + strings.Join(keys, ", ") + "\n  FROM " + object +
		"\n  WHERE " + strings.Join(keys, " IS NOT NULL AND ") + " IS NOT NULL\n  GROUP BY " + strings.Join(keys, ", ") + "\n  HAVING count(*) > 1\n)"
}

// author fills the placeholders of a rule's own query, outside of its literals
// and comments. Everything else passes through as it was written, once it is one
// statement that cannot leave its place.
func (v *view) author(r *contracts.Rule, object string) (string, error) {
	if err := sparksql.Closed(r.Query); err != nil {
		return "", err
	}
	query, err := v.markers(strings.TrimSpace(r.Query))
	if err != nil {
		return "", err
	}
	known := v.placeholders(object, r.Column)
	var out, code strings.Builder
	flush := func() {
		out.WriteString(placeholder.ReplaceAllStringFunc(code.String(), func(match string) string {
			name := placeholder.FindStringSubmatch(match)[1]
			text, isKnown := known[strings.ToLower(name)]
			if isKnown && text == "" && err == nil {
				err = fmt.Errorf("the query asks for %s, but table %s has none", match, v.table.Target)
			}
			if text == "" {
				return match
			}
			return text
		}))
		code.Reset()
	}
	for _, t := range sparksql.Tokens(query) {
		switch t.Kind {
		case sparksql.Marker: // ${BATCH_DATE}; the author's own are refused by markers
			flush()
			out.WriteString(t.Text)
		case sparksql.Literal, sparksql.Quoted, sparksql.Comment:
			flush()
			out.WriteString(t.Text)
		case sparksql.Other, sparksql.Word, sparksql.Space:
			code.WriteString(t.Text)
		}
	}
	flush()
	return out.String(), err
}

var (
	batchDateMark = regexp.MustCompile(`\$\{BATCH_DATE(:-[^}]*)?\}`)
	publishedMark = regexp.MustCompile(`\$\{PUBLISHED_TABLE(:-[^}]*)?\}`)
)

// markers puts the partition and the table that readers see in place of
// ${BATCH_DATE} and ${PUBLISHED_TABLE}. The standard's examples write the date
// inside of quotes, which then belong to the value.
func (v *view) markers(query string) (string, error) {
	date, dated := batchDate(v.table)
	var out strings.Builder
	for _, t := range sparksql.Tokens(query) {
		switch {
		case t.Kind == sparksql.Marker:
			return "", fmt.Errorf("the query holds the marker %s; markers are sluice's own, write the value itself", t.Text)
		case t.Kind != sparksql.Literal || !batchDateMark.MatchString(t.Text):
			out.WriteString(t.Text)
		case batchDateMark.FindString(t.Text) != t.Text[1:len(t.Text)-1]:
			return "", fmt.Errorf("the query holds %s; write '${BATCH_DATE}' as a literal of its own, and put the parts together by concat", t.Text)
		default:
			out.WriteString(batchDateMark.FindString(t.Text))
		}
	}
	text := out.String()
	if batchDateMark.MatchString(text) && !dated {
		return "", errors.New("${BATCH_DATE} needs publish with replacePartition and a partition by one column, or by a DATE")
	}
	if publishedMark.MatchString(text) && v.table.Publish.Mode == contracts.Merge {
		return "", errors.New("${PUBLISHED_TABLE} needs publish mode wap or replacePartition; a merge is judged before it is written, so read {object}")
	}
	text = batchDateMark.ReplaceAllLiteralString(text, date)
	return publishedMark.ReplaceAllLiteralString(text, v.Published), nil
}

// placeholders are the names of the standard's examples; "" where the target
// has no such part.
func (v *view) placeholders(object, column string) map[string]string {
	schema, catalog := "", ""
	if parts := v.table.Target.Schema(); len(parts) > 0 {
		schema = ident(parts[len(parts)-1])
		if len(parts) > 1 {
			catalog = ident(parts[0])
		}
	}
	out := map[string]string{
		"object": object, "table": object, "model": object,
		"schema": schema, "dataset": schema, "catalog": catalog, "database": catalog, "project": catalog,
	}
	if column != "" {
		for _, name := range []string{"column", "field", "property"} {
			out[name] = ident(column)
		}
	}
	return out
}
