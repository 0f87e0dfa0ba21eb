package contracts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/gen/sparksql"
)

// Words of an expression that name no column. Words that are fine column names
// in Spark too (date, year, hour, …) are not here: where they mean a type or a
// unit is told by what stands around them.
var expressionWords = strings.Fields(`CASE WHEN THEN ELSE END AND OR NOT IN IS NULL LIKE ILIKE RLIKE REGEXP BETWEEN ESCAPE
	CAST TRY_CAST AS TRUE FALSE INTERVAL FROM FOR DISTINCT DIV BOTH LEADING TRAILING`)

// Words whose result depends on more than the row, so that a replay would differ.
var unsteadyWords = strings.Fields(`CURRENT_DATE CURRENT_TIMESTAMP CURRENT_USER CURRENT_TIME LOCALTIMESTAMP NOW RAND RANDN RANDOM UUID
	SHUFFLE INPUT_FILE_NAME INPUT_FILE_BLOCK_START INPUT_FILE_BLOCK_LENGTH MONOTONICALLY_INCREASING_ID SPARK_PARTITION_ID UNIX_TIMESTAMP
	CURDATE RANDSTR UNIFORM USER SESSION_USER`)

// Texts of DATE '…' and TIMESTAMP '…' that Spark takes for the time of the run.
var unsteadyMoments = strings.Fields("now today tomorrow yesterday")

// Words that make an expression more than a value of one row.
var foreignWords = strings.Fields(`SELECT OVER LATERAL`)

// Functions that run any code of the server, and IDENTIFIER, which can name them
// by a text that nobody checks.
var foreignCalls = strings.Fields(`REFLECT TRY_REFLECT JAVA_METHOD IDENTIFIER`)

// expressionColumns finds the source columns that an author's expression reads,
// in the order in which they appear. It refuses what could leave the place in
// which the expression is put: a comment, a semicolon, an open quote or bracket.
func expressionColumns(expression string) ([]string, error) {
	tokens, err := closedTokens(expression, false)
	if err != nil {
		return nil, err
	}
	if strings.Contains(expression, "${") {
		return nil, errors.New("the expression holds a ${…}; no variable is ever put into SQL, so write the value itself")
	}
	e := &expressionReader{tokens: tokens}
	err = e.read()
	return e.columns, err
}

type expressionReader struct {
	tokens  []sparksql.Token // without spaces
	members bool             // column.member reads the column
	bound   []string         // names of lambda parameters, lower case
	i       int
	columns []string
}

func (e *expressionReader) read() error {
	for e.i = 0; e.i < len(e.tokens); e.i++ {
		if err := e.token(e.tokens[e.i]); err != nil {
			return err
		}
	}
	return nil
}

// word is the upper-case text of a neighbour, "" beyond the ends.
func (e *expressionReader) word(offset int) string {
	if i := e.i + offset; i >= 0 && i < len(e.tokens) {
		return strings.ToUpper(e.tokens[i].Text)
	}
	return ""
}

func (e *expressionReader) token(t sparksql.Token) error {
	switch t.Kind {
	case sparksql.Marker:
		return fmt.Errorf("the expression holds the parameter %s; write the value itself", t.Text)
	case sparksql.Quoted:
		name := strings.ReplaceAll(t.Text[1:len(t.Text)-1], "``", "`")
		if e.word(1) == "(" { // a function may stand in backticks too
			return e.wordToken(name)
		}
		return e.column(name)
	case sparksql.Word:
		return e.wordToken(t.Text)
	case sparksql.Literal, sparksql.Comment, sparksql.Space, sparksql.Other:
	}
	return nil
}

func (e *expressionReader) wordToken(text string) error {
	upper := strings.ToUpper(text)
	function := e.word(1) == "("
	switch {
	case text[0] >= '0' && text[0] <= '9':
		return nil
	case function && slices.Contains(foreignCalls, upper):
		return fmt.Errorf("%s reaches beyond SQL; keep to functions of source columns", text)
	case e.unsteadyMoment(upper):
		return fmt.Errorf("%s %s does not depend on the row, so a replay would give another value; write the value itself", text, e.tokens[e.i+1].Text)
	case slices.Contains(unsteadyWords, upper) && (function || strings.HasPrefix(upper, "CURRENT_") || upper == "LOCALTIMESTAMP"):
		return fmt.Errorf("%s does not depend on the row, so a replay would give another value; take it from a source column", text)
	case slices.Contains(foreignWords, upper), upper == "TABLE" && e.nameFollows():
		return fmt.Errorf("%s makes the expression more than a value of one row; keep to functions of source columns", text)
	case function, slices.Contains(expressionWords, upper), e.isType(), e.isUnit():
		return nil
	}
	return e.column(text)
}

// unsteadyMoment: TIMESTAMP 'now'.
func (e *expressionReader) unsteadyMoment(prefix string) bool {
	if prefix != "DATE" && !strings.HasPrefix(prefix, "TIMESTAMP") || e.i+1 == len(e.tokens) || e.tokens[e.i+1].Kind != sparksql.Literal {
		return false
	}
	return slices.Contains(unsteadyMoments, strings.ToLower(strings.Trim(e.tokens[e.i+1].Text, `'" `)))
}

// nameFollows: (TABLE t) is a query.
func (e *expressionReader) nameFollows() bool {
	if e.i+1 == len(e.tokens) {
		return false
	}
	kind := e.tokens[e.i+1].Kind
	return kind == sparksql.Word || kind == sparksql.Quoted
}

// isType: behind AS and ::, and before a literal that it prefixes (DATE '…', r'…').
func (e *expressionReader) isType() bool {
	if e.i+1 < len(e.tokens) && e.tokens[e.i+1].Kind == sparksql.Literal {
		return true
	}
	return e.word(-1) == "AS" || e.word(-1) == ":" && e.word(-2) == ":"
}

// isUnit: INTERVAL 1 DAY and EXTRACT(YEAR FROM …).
func (e *expressionReader) isUnit() bool {
	start := e.i - 2
	if start >= 0 && e.word(-2) == "-" { // INTERVAL -1 DAY
		start--
	}
	return start >= 0 && strings.EqualFold(e.tokens[start].Text, "INTERVAL") ||
		e.word(-1) == "(" && e.word(-2) == "EXTRACT" && e.word(1) == "FROM"
}

func (e *expressionReader) column(name string) error {
	switch dotted := e.word(1) == "." || e.word(-1) == "."; {
	case slices.Contains(e.bound, strings.ToLower(name)), e.members && e.word(-1) == ".":
		return nil
	case dotted && !e.members:
		return fmt.Errorf("the name %s is one of several parts; name the source column alone", name)
	}
	for _, c := range e.columns {
		if strings.EqualFold(c, name) {
			return nil
		}
	}
	e.columns = append(e.columns, name)
	return nil
}

// closedTokens splits a text without its blanks and comments, or says what is
// left open or could end the statement around it. Comments may stand in a query
// of several lines, not in an expression, which is put into a line.
func closedTokens(text string, comments bool) ([]sparksql.Token, error) {
	var out []sparksql.Token
	var open []string
	before := "" // the token that touches this one
	for _, t := range sparksql.Tokens(text) {
		raw := strings.EqualFold(before, "r")
		before = t.Text
		switch {
		case t.Kind == sparksql.Space, t.Kind == sparksql.Comment && comments:
			if strings.HasPrefix(t.Text, "/*") && !strings.HasSuffix(t.Text, "*/") || strings.HasPrefix(t.Text, "--") && strings.HasSuffix(text, t.Text) {
				return nil, errors.New("a comment runs to the end of the SQL; close it or put it elsewhere (a folded YAML text joins lines)")
			}
			continue
		case t.Kind == sparksql.Comment:
			return nil, errors.New("a comment stands in the SQL; use transformDescription for it")
		case t.Kind == sparksql.Literal && !closedLiteral(t.Text, raw), t.Kind == sparksql.Quoted && !closedIdentifier(t.Text):
			return nil, fmt.Errorf("the quote %s is never closed", t.Text[:1])
		case t.Text == ";":
			return nil, errors.New("a ; stands in the SQL; keep to one expression or statement without it")
		case t.Text == "(" || t.Text == "[":
			open = append(open, map[string]string{"(": ")", "[": "]"}[t.Text])
		case t.Text == ")" || t.Text == "]":
			if len(open) == 0 || open[len(open)-1] != t.Text {
				return nil, fmt.Errorf("a %s closes nothing", t.Text)
			}
			open = open[:len(open)-1]
		}
		out = append(out, t)
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("a %s is missing at the end", open[len(open)-1])
	}
	if len(out) == 0 {
		return nil, errors.New("the SQL is empty")
	}
	return out, nil
}

// closedLiteral: a raw one, r'…', knows no escape.
func closedLiteral(text string, raw bool) bool {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && !raw:
			i++
		case text[i] == text[0]:
			return i == len(text)-1
		}
	}
	return false
}

func closedIdentifier(text string) bool {
	for i := 1; i < len(text); i++ {
		if text[i] != '`' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '`' {
			i++
			continue
		}
		return i == len(text)-1 && i > 1
	}
	return false
}
