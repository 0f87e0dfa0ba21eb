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
	groups := 0
	classes, lone := walk(pattern, func(i int) bool {
		if pattern[i] == '(' {
			groups++
		} else {
			groups--
		}
		return groups >= 0
	})
	switch {
	case groups < 0:
		return errors.New("a ) closes no group; write \\) for a parenthesis")
	case lone:
		return errors.New("it ends in a lone backslash; write \\\\ for a backslash")
	case classes > 0:
		return errors.New("a [ is never closed; add ] or write \\[ for a bracket")
	case groups > 0:
		return errors.New("a ( is never closed; add ) or write \\( for a parenthesis")
	}
	return nil
}

// walk visits the parentheses of a pattern that make groups: none that is
// escaped, quoted by \Q and \E or in a class. It stops when visit says false.
// It returns how many classes stay open at the end, and whether the last
// character is a lone backslash.
func walk(pattern string, visit func(i int) bool) (classes int, lone bool) {
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 == len(pattern):
			return classes, true
		case strings.HasPrefix(pattern[i:], `\Q`):
			end := strings.Index(pattern[i:], `\E`)
			if end < 0 {
				return classes, false // Java quotes up to the end
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
		case (c == '(' || c == ')') && classes == 0:
			if !visit(i) {
				return classes, false
			}
		}
	}
	return classes, false
}
