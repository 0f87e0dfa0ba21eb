package sparksql

import (
	"errors"
	"fmt"
	"strings"
)

// Closed says why a text could not stand as a part of one statement: an open
// literal, identifier, comment or bracket, or a semicolon outside of them. What
// is closed can neither swallow the text behind it nor end its statement.
func Closed(sql string) error {
	var open []string
	for _, t := range Tokens(sql) {
		switch {
		case t.Kind == Literal && !closedLiteral(sql, t.Text), t.Kind == Quoted && !closedQuoted(t.Text):
			return fmt.Errorf("the quote %s is never closed", t.Text[:1])
		case t.Kind == Comment && strings.HasPrefix(t.Text, "/*") && !closedComment(t.Text):
			return errors.New("a comment is never closed")
		case t.Text == ";":
			return errors.New("a ; would end the statement")
		case t.Text == "(" || t.Text == "[":
			open = append(open, map[string]string{"(": ")", "[": "]"}[t.Text])
		case t.Text == ")" || t.Text == "]":
			if len(open) == 0 || open[len(open)-1] != t.Text {
				return fmt.Errorf("a %s closes nothing", t.Text)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("a %s is missing at the end", open[len(open)-1])
	}
	return nil
}

// closedLiteral tells a literal that its own quote ended from one that the end
// of the text cut off.
func closedLiteral(sql, text string) bool {
	if !strings.HasSuffix(sql, text) {
		return true // something follows, so the quote was found
	}
	if len(text) < 2 || text[len(text)-1] != text[0] {
		return false
	}
	return closing(text, 1, text[0], true) == len(text) && !escapedEnd(text)
}

// escapedEnd: the last quote is escaped, so it is none.
func escapedEnd(text string) bool {
	n := 0
	for i := len(text) - 2; i > 0 && text[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

func closedQuoted(text string) bool {
	return len(text) > 2 && strings.Count(text, "`")%2 == 0
}

func closedComment(text string) bool {
	return strings.Count(text, "/*") <= strings.Count(text, "*/") && strings.HasSuffix(text, "*/")
}
