package contracts

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// rowExpression reads an author's promise about each row. It rejects rows; only
// with a severity that warns, or over the published table, does it count them.
func (t *tableLoader) rowExpression(n *odcs.Node, rule *Rule) bool {
	implementation := n.Get("implementation")
	expression, code := implementation.Get("expression"), implementation.Get("code")
	if expression == nil {
		return false
	}
	rule.Expression = strings.TrimSpace(expression.Text())
	if err := t.checkRowExpression(rule.Expression); err != nil {
		t.problem(expression, "bad-expression", "%v", err)
		return false
	}
	rule.ID = cmp.Or(rule.ID, code.Text())
	if rule.ID == "" {
		t.problem(n, "missing-key", "a rowExpression needs an id, a name or a code, by which its rows are counted")
		return false
	}
	name := t.rowCode(n, code, rule.ID)
	onTable := n.Custom("constraint").Text() == "table"
	if rule.Warn || rule.OnTarget {
		if onTable {
			t.problem(n.Custom("constraint"), "useless-key", "%s only reports, so it cannot be a constraint of the table; give it a severity that refuses", ruleName(n))
		}
		rule.Compare = Comparison{Op: "mustBe", Bounds: []string{"0"}}
		return true
	}
	t.table.RowRules = append(t.table.RowRules, &RowRule{
		ID: rule.ID, Code: name, Expression: rule.Expression, OnTable: onTable,
		Severity: rule.Severity, Dimension: rule.Dimension, Owner: rule.Owner, About: rule.About, Position: n.Pos,
	})
	return false
}

// rowCode is the reason code of a row rule: its own, else made of its id.
func (t *tableLoader) rowCode(n, code *odcs.Node, id string) string {
	text := codeName(id)
	if code != nil {
		n, text = code, code.Text()
	}
	switch {
	case !codePattern.MatchString(text):
		t.problem(n, "bad-code", "the reason code %q is not a lower-case word of up to 128 letters, digits and _; write code: …", text)
	case slices.Contains(ownCodes, text):
		t.problem(n, "reserved-code", "the reason code %q is one that sluice gives by itself; choose another", text)
	}
	return text
}

// checkRowExpression: one boolean over the columns of the contract, nothing that
// could leave its place or depends on more than the row.
func (t *tableLoader) checkRowExpression(expression string) error {
	tokens, err := closedTokens(expression, false)
	if err != nil {
		return err
	}
	if strings.Contains(expression, "${") {
		return errors.New("the expression holds a ${…}; no variable is ever put into SQL, so write the value itself")
	}
	e := &expressionReader{tokens: tokens, members: true, bound: lambdaNames(tokens)}
	if err := e.read(); err != nil {
		return err
	}
	if len(e.columns) == 0 {
		return errors.New("the expression reads no column, so it says nothing about a row")
	}
	for _, name := range e.columns {
		if t.nodes[strings.ToLower(name)] == nil {
			return fmt.Errorf("the expression reads %q, which is no stored column of %q%s", name, t.table.Name, odcs.Suggest(name, t.columnNames()))
		}
	}
	return nil
}

// lambdaNames are the names that lambdas bind: x -> …, (k, v) -> ….
func lambdaNames(tokens []sparksql.Token) []string {
	var out []string
	for i := range tokens {
		if tokens[i].Text != "-" || i+1 == len(tokens) || tokens[i+1].Text != ">" {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			if tokens[j].Kind == sparksql.Word {
				out = append(out, strings.ToLower(tokens[j].Text))
			}
			if tokens[j].Text == "(" || tokens[i-1].Text != ")" {
				break
			}
		}
	}
	return out
}
