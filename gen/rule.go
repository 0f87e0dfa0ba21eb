package gen

import (
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
	for _, r := range v.table.Rules {
		if !needsStatement(v.table, r) {
			continue
		}
		name := "rule_" + slug(r.ID)
		if _, taken := v.rules[name]; taken {
			return fmt.Errorf("naming statements: two rules differ from %q in punctuation alone; rename one", r.ID)
		}
		view := ruleView{Object: ident("accepted"), Why: oneLine(fmt.Sprintf("Rule %s over the accepted rows of this batch.", r.ID))}
		if r.Kind == contracts.DuplicateValues {
			view.Query = duplicates(r, view.Object)
		} else {
			query, err := v.author(r, view.Object)
			if err != nil {
				return err
			}
			view.Query = query
		}
		v.rules[name] = view
	}
	return nil
}

// duplicates counts keys that occur more than once; a key with a NULL part is
// none, as datacontract-cli counts.
func duplicates(r *contracts.Rule, object string) string {
	keys := idents(r.Columns)
	return "SELECT count(*) FROM (\n  SELECT " + strings.Join(keys, ", ") + "\n  FROM " + object +
		"\n  WHERE " + strings.Join(keys, " IS NOT NULL AND ") + " IS NOT NULL\n  GROUP BY " + strings.Join(keys, ", ") + "\n  HAVING count(*) > 1\n)"
}

// author fills the placeholders of a rule's own query; everything else passes
// through as it was written, once it is one statement that cannot leave its place.
func (v *view) author(r *contracts.Rule, object string) (string, error) {
	if err := closed(r.Query); err != nil {
		return "", fmt.Errorf("rule %s: %w", r.ID, err)
	}
	if strings.Contains(r.Query, "${BATCH_DATE") || strings.Contains(r.Query, "${PUBLISHED_TABLE") {
		return "", fmt.Errorf("rule %s: BATCH_DATE and PUBLISHED_TABLE need publish mode wap; a merge is judged before it is written", r.ID)
	}
	t := v.table
	column := ""
	if len(r.Columns) > 0 {
		column = ident(r.Columns[0])
	}
	schema := t.Target.Schema()
	catalog := ""
	if len(schema) > 1 {
		catalog = ident(schema[0])
	}
	known := map[string]string{
		"object": object, "table": object, "model": object, "column": column, "field": column, "property": column,
		"catalog": catalog, "database": catalog, "schema": "",
	}
	if len(schema) > 0 {
		known["schema"] = ident(schema[len(schema)-1])
	}
	return placeholder.ReplaceAllStringFunc(strings.TrimSpace(r.Query), func(match string) string {
		if text := known[placeholder.FindStringSubmatch(match)[1]]; text != "" {
			return text
		}
		return match
	}), nil
}

// closed refuses a text that would end its parentheses, literals or statement
// early, and markers, which a run would fill.
func closed(query string) error {
	if err := sparksql.Closed(query); err != nil {
		return fmt.Errorf("reading its query: %w", err)
	}
	for _, tok := range sparksql.Tokens(query) {
		if tok.Kind == sparksql.Marker {
			return fmt.Errorf("reading its query: it holds the marker %s; markers are sluice's own", tok.Text)
		}
	}
	return nil
}
