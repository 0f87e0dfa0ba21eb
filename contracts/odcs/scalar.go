package odcs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	plainInt    = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`) // 010 is ten to some readers of YAML and eight to others
	plainNumber = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)
	strictID    = regexp.MustCompile(`^[A-Za-z0-9_-]+$`) // 3.1, where the standard has ids first
	stableID    = regexp.MustCompile(`^[^.#/\\@!%&^\s]+$`)
)

func (c *checker) scalar(n *Node, s *shape, place string) bool {
	switch s.kind {
	case "text":
		return n.Kind == String || n.Kind == Date || c.wrong(n, place, "text")
	case "id":
		if n.Kind != String && n.Kind != Date {
			return c.wrong(n, place, "text")
		}
		if !idPattern(c.release).MatchString(n.text) {
			return c.refuse(n, "bad-id", "the id %q holds a blank or one of . # / \\ @ ! %% & ^; use letters, digits, _ and -", n.text)
		}
		return true
	case "bool":
		return n.Kind == Boolean || c.wrong(n, place, "true or false")
	case "int":
		return n.Kind == Int && plainInt.MatchString(n.text) || c.wrong(n, place, "a whole number in plain digits")
	case "number":
		return (n.Kind == Int && plainInt.MatchString(n.text) || n.Kind == Float && plainNumber.MatchString(n.text)) || c.wrong(n, place, "a number in plain digits")
	case "scalar":
		return n.Kind != Map && n.Kind != List || c.wrong(n, place, "a single value")
	case "set":
		if n.Kind == String && slices.Contains(s.set, n.text) {
			return true
		}
		if len(s.set) > 12 {
			return c.refuse(n, "unknown-value", "the %s %q is none that the standard knows%s", place, n.text, Suggest(n.text, s.set))
		}
		return c.refuse(n, "unknown-value", "%s is one of %s, not %q%s", place, strings.Join(s.set, ", "), n.text, Suggest(n.text, s.set))
	}
	panic("odcs: no such shape " + s.kind)
}

func idPattern(release Release) *regexp.Regexp {
	if release < Release32 {
		return strictID
	}
	return stableID
}

func (c *checker) refuse(n *Node, id, format string, args ...any) bool {
	n.Report(c.report, id, format, args...)
	return false
}

// wrong says what was expected and found, and how to write it.
func (c *checker) wrong(n *Node, place, want string) bool {
	if place == "" {
		place = "this"
	}
	found := string(n.Kind)
	if strings.HasSuffix(want, "plain digits") && n.text != "" {
		found = n.text
	}
	return c.refuse(n, "wrong-type", "%s must be %s, not %s%s", place, want, found, c.remedy(n, place, want))
}

func (c *checker) remedy(n *Node, place, want string) string {
	plain := n.Kind == Int || n.Kind == Float || n.Kind == Boolean
	switch {
	case inclusive[place] != "" && want == "true or false":
		return fmt.Sprintf(": up to v3.0 it is a flag beside %s; raise apiVersion to write the bound here", inclusive[place])
	case want == "text" && plain:
		return fmt.Sprintf("; quote it: %q", n.text)
	case want == "text" && n.Kind == Null:
		return "; remove the key or write a value (the word null needs quotes)"
	case n.Kind == String && want == "true or false":
		return fmt.Sprintf("; write true or false without quotes, not %q", n.text)
	case n.Kind == String && plainNumber.MatchString(n.text):
		return fmt.Sprintf("; remove the quotes: %s", n.text)
	}
	return ""
}
