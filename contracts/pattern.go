package contracts

import (
	"errors"
	"regexp"
	"strings"
)

// checkPattern refuses a regular expression that no engine can read. Spark's is
// Java's, whose syntax is wider than Go's; what Go cannot compile is only looked
// at for what is clearly broken.
func checkPattern(pattern string) error {
	if pattern == "" {
		return errors.New("it is empty and so forbids nothing; remove it")
	}
	if _, err := regexp.Compile(pattern); err == nil {
		return nil
	}
	return balanced(pattern)
}

func balanced(pattern string) error {
	groups, classes := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 == len(pattern):
			return errors.New("it ends in a lone backslash; write \\\\ for a backslash")
		case strings.HasPrefix(pattern[i:], `\Q`):
			end := strings.Index(pattern[i:], `\E`)
			if end < 0 {
				return nil // Java quotes up to the end
			}
			i += end + 1
		case c == '\\':
			i++
		case c == '[':
			classes++
			rest := strings.TrimPrefix(pattern[i+1:], "^")
			if strings.HasPrefix(rest, "]") { // a ] at the start is a member in Go, an end of nothing in Java
				i += len(pattern[i+1:]) - len(rest) + 1
			}
		case c == ']' && classes > 0:
			classes--
		case classes > 0:
		case c == '(':
			groups++
		case c == ')':
			groups--
			if groups < 0 {
				return errors.New("a ) closes no group; write \\) for a parenthesis")
			}
		}
	}
	switch {
	case classes > 0:
		return errors.New("a [ is never closed; add ] or write \\[ for a bracket")
	case groups > 0:
		return errors.New("a ( is never closed; add ) or write \\( for a parenthesis")
	}
	return nil
}
