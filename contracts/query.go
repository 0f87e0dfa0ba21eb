package contracts

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/gen/sparksql"
)

// Names that a query may hold as {x} or ${x}: those of the standard's examples
// and other tools. BATCH_DATE and PUBLISHED_TABLE are bound by the plan.
var (
	placeholders = []string{"model", "table", "object", "schema", "catalog", "database", "dataset", "project"}
	onColumn     = []string{"column", "field", "property"} // of a rule that stands on a column
	queryMarkers = []string{"BATCH_DATE", "PUBLISHED_TABLE"}
)

var anyVariable = regexp.MustCompile(`\$\{([^}]*)\}?`)

// checkQuery accepts one reading statement. The text goes to the cluster as it
// is, inside the audit, so nothing else may be in it.
func checkQuery(query string, ofColumn bool) error {
	for _, m := range anyVariable.FindAllStringSubmatch(query, -1) {
		name, _, _ := strings.Cut(m[1], ":-")
		known := slices.Contains(placeholders, m[1]) || ofColumn && slices.Contains(onColumn, m[1]) || slices.Contains(queryMarkers, name)
		if !known {
			return fmt.Errorf("the variable %s cannot stand in SQL; only ${BATCH_DATE} and ${PUBLISHED_TABLE} are bound", m[0])
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
		if name := strings.ToUpper(strings.Trim(t.Text, "`")); slices.Contains(foreignCalls, name) && i+1 < len(tokens) && tokens[i+1].Text == "(" {
			return fmt.Errorf("%s reaches beyond SQL; a rule only reads tables", t.Text)
		}
		if i > 0 && writes(tokens[i-1], t, tokens[i:]) {
			return errors.New("the query would write; a rule only reads")
		}
	}
	return nil
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
