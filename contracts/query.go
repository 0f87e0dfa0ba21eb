package contracts

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// Names that a query may hold as {x} or ${x}: those of the standard's examples
// and other tools. BATCH_DATE and PUBLISHED_TABLE are bound by the plan.
var (
	placeholders = []string{"model", "table", "object", "schema", "catalog", "database", "dataset", "project"}
	onColumn     = []string{"column", "field", "property"} // of a rule that stands on a column
	queryMarkers = []string{"BATCH_DATE", "PUBLISHED_TABLE"}
)

var queryMarker = regexp.MustCompile(`\$\{(BATCH_DATE|PUBLISHED_TABLE)`)

var anyVariable = regexp.MustCompile(`\$\{([^}]*)\}?`)

// checkQuery accepts one reading statement. The text goes to the cluster as it
// is, inside the audit, so nothing else may be in it.
func checkQuery(query string, ofColumn bool) error {
	for _, m := range anyVariable.FindAllStringSubmatch(query, -1) {
		name, _, _ := strings.Cut(m[1], ":-")
		if !slices.Contains(queryMarkers, name) {
			if err := placeholder(m[0], m[1], ofColumn); err != nil {
				return err
			}
		}
	}
	tokens, err := closedTokens(query, true)
	if err != nil {
		return err
	}
	first := strings.ToUpper(tokens[0].Text)
	if first != "SELECT" && first != "WITH" {
		return fmt.Errorf("the query begins with %s; a rule reads by SELECT or WITH", tokens[0].Text)
	}
	for i, t := range tokens {
		if t.Kind == sparksql.Marker {
			return fmt.Errorf("the query holds the parameter %s; write the value itself", t.Text)
		}
		if t.Text == "{" && (i == 0 || tokens[i-1].Text != "$") && i+2 < len(tokens) && tokens[i+2].Text == "}" {
			if err := placeholder("{"+tokens[i+1].Text+"}", tokens[i+1].Text, ofColumn); err != nil {
				return err
			}
		}
		if name := strings.ToUpper(strings.Trim(t.Text, "`")); slices.Contains(foreignCalls, name) && i+1 < len(tokens) && tokens[i+1].Text == "(" {
			return fmt.Errorf("%s reaches beyond SQL; a rule only reads tables", t.Text)
		}
		if i > 0 && writes(tokens[i-1], t, tokens[i:]) {
			return errors.New("the query would write; a rule only reads")
		}
	}
	return nil
}

// placeholder refuses a name in braces that nothing fills: Spark would fail on it.
func placeholder(text, name string, ofColumn bool) error {
	known := placeholders
	if ofColumn {
		known = append(slices.Clone(placeholders), onColumn...)
	}
	switch {
	case slices.Contains(known, strings.ToLower(name)):
		return nil
	case slices.Contains(onColumn, strings.ToLower(name)):
		return fmt.Errorf("%s is filled in rules of a column only; name the column itself", text)
	default:
		return fmt.Errorf("nothing fills %s; write the value itself, or one of {%s}%s", text, strings.Join(known, "}, {"), odcs.Suggest(name, known))
	}
}

// writes finds the statement that may follow the WITH of Spark's grammar
// (dmlStatementNoWith): INSERT, MERGE, DELETE or UPDATE.
func writes(before, t sparksql.Token, rest []sparksql.Token) bool {
	if t.Kind != sparksql.Word {
		return false
	}
	next := ""
	if len(rest) > 1 {
		next = strings.ToUpper(rest[1].Text)
	}
	switch strings.ToUpper(t.Text) {
	case "INSERT":
		return next == "INTO" || next == "OVERWRITE"
	case "MERGE":
		return next == "INTO"
	case "DELETE":
		return next == "FROM"
	case "UPDATE":
		return before.Text == ")" && len(rest) > 2 && rest[1].Kind != sparksql.Other
	}
	return false
}
