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
func recursive(pattern string) string {
	var open []int
	class := 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], `\Q`):
			end := strings.Index(pattern[i:], `\E`)
			if end < 0 {
				return ""
			}
			i += end + 1
		case c == '\\':
			i++
		case c == '[':
			class++
		case c == ']' && class > 0:
			class--
		case class > 0:
		case c == '(':
			open = append(open, i)
		case c == ')' && len(open) > 0:
			group := pattern[open[len(open)-1] : i+1]
			open = open[:len(open)-1]
			m := endless.FindStringSubmatch(pattern[i+1:])
			if m != nil && m[1] != "+" && strings.ContainsAny(strings.TrimPrefix(group, "(?"), "|*+?{") {
				return group + m[0]
			}
		}
	}
	return ""
}

// possessive is the group with a quantifier that gives nothing back.
func possessive(group string) string {
	return strings.TrimSuffix(group, "?") + "+"
}
