package contracts

import (
	"regexp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
)

// ${VAR} and ${VAR:-default}, ODCS RFC 0050.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}`)

// Keys whose text sluice shows or ignores but never acts on: a variable in them
// is resolved by whoever uses it. SQL is not here by accident: no value may ever
// be put into it (design section 2), and expression and query look after that.
var verbatim = []string{
	"description", "businessName", "dataGranularityDescription", "transformDescription", "businessImpact", "examples",
	"authoritativeDefinitions", "tags", "synonyms", "context", "label", "query", "expression", "transformLogic", "pattern", "roles", "schedule", "method",
}

// expand resolves the variables of a part of the document that sluice acts on.
func (l *loader) expand(n *odcs.Node) {
	if n == nil {
		return
	}
	if strings.Contains(n.Text(), "${") {
		l.expandText(n)
	}
	for _, f := range n.Fields() {
		if !slices.Contains(verbatim, f.Key) {
			l.expand(f.Value)
		}
	}
	for _, item := range n.Items() {
		l.expand(item)
	}
}

func (l *loader) expandText(n *odcs.Node) {
	text, missing := l.set.substitute(n.Text())
	switch {
	case missing != "":
		l.problem(n, "unknown-variable", "the variable %q has no value; give it with --var %s=… or write ${%s:-default}", missing, missing, missing)
	case strings.Contains(variable.ReplaceAllString(n.Text(), ""), "${"):
		l.problem(n, "unknown-variable", "the text %q holds a ${ that begins no variable; write ${NAME} or ${NAME:-default}", n.Text())
	default:
		n.SetText(text)
	}
}

// substitute remembers which values stand in texts from now on, so that no
// problem shows them.
func (s *Set) substitute(text string) (out, missing string) {
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		value, given := s.opts.Vars[m[1]]
		if _, known := s.used[m[1]]; given && !known {
			s.used[m[1]] = value
			s.redactor = newRedactor(s.used, 0)
		}
	}
	return substitute(text, s.opts.Vars)
}

// report collects problems whose texts show no value of a variable.
func (s *Set) report() *odcs.Report {
	return &odcs.Report{Redact: func(text string) string { return s.redactor.Text(text) }}
}

// substitute makes one pass, so that a value that looks like a variable stays.
func substitute(text string, vars map[string]string) (out, missing string) {
	out = variable.ReplaceAllStringFunc(text, func(match string) string {
		m := variable.FindStringSubmatch(match)
		if value, ok := vars[m[1]]; ok {
			return value
		}
		if !strings.Contains(match, ":-") && missing == "" {
			missing = m[1]
		}
		return m[2]
	})
	return out, missing
}
