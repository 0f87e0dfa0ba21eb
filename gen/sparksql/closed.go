package sparksql

import (
	"errors"
	"fmt"
)

// Closed says why a text could not stand as a part of one statement: an open
// literal, identifier, comment or bracket, or a semicolon outside of them. What
// is closed can neither swallow the line behind it nor end its statement.
func Closed(sql string) error {
	tokens := Tokens(sql + "\n")
	if last := tokens[len(tokens)-1]; last.Kind != Space {
		// Whatever is open has swallowed the line feed.
		return fmt.Errorf("what begins with %.12q is never closed", last.Text)
	}
	var open []string
	for _, t := range tokens {
		switch t.Text {
		case ";":
			return errors.New("a ; would end the statement")
		case "(":
			open = append(open, ")")
		case "[":
			open = append(open, "]")
		case ")", "]":
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
