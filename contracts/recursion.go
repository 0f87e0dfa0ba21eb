package contracts

import (
	"regexp"
	"strings"
)

// endless is a quantifier without an upper bound behind a group. A possessive
// one (++, *+) is a loop in Java, the others a call for each turn.
var endless = regexp.MustCompile(`^(?:[*+]|\{\d+,\})([+?]?)`)

// recursive finds a repeated group whose turns can differ in length: Java's
// engine (java.util.regex.Pattern, Loop and Prolog) calls itself for each turn,
// and some thousand turns overflow its stack. Spark takes that for the end of
// the executor, on one machine of the whole server (measured, 4.1.3).
func recursive(pattern string) (found string) {
	var open []int
	walk(pattern, func(i int) bool {
		if pattern[i] == '(' {
			open = append(open, i)
			return true
		}
		if len(open) == 0 {
			return true
		}
		group := pattern[open[len(open)-1] : i+1]
		open = open[:len(open)-1]
		m := endless.FindStringSubmatch(pattern[i+1:])
		if m != nil && m[1] != "+" && strings.ContainsAny(strings.TrimPrefix(group, "(?"), "|*+?{") {
			found = group + m[0]
		}
		return found == ""
	})
	return found
}

// possessive is the group with a quantifier that gives nothing back.
func possessive(group string) string {
	return strings.TrimSuffix(group, "?") + "+"
}
