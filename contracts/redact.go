package contracts

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Redactor hides the values of variables: texts for people show ${NAME} in the
// place of a value, whatever its case, quoted or whole or a part of a name.
// The zero Redactor hides nothing.
type Redactor struct {
	pattern *regexp.Regexp
	names   map[string]string // a form of a value, lower case -> the variable
}

// Values shorter than this may be parts of innocent words.
const shortValue = 4

// NewRedactor hides values in texts that a program wrote around them. There a
// short value is hidden only where it stands by itself.
func NewRedactor(vars map[string]string) Redactor { return newRedactor(vars, shortValue) }

func newRedactor(vars map[string]string, least int) Redactor {
	r := Redactor{names: map[string]string{}}
	for _, name := range sortedNames(vars) {
		for _, form := range forms(vars[name]) {
			if _, taken := r.names[form]; !taken {
				r.names[form] = "${" + name + "}"
			}
		}
	}
	var all []string
	for form := range r.names {
		all = append(all, form)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for i, form := range all {
		all[i] = regexp.QuoteMeta(form)
		if len(form) < least && alphanumeric.MatchString(form) {
			all[i] = `\b` + all[i] + `\b`
		}
	}
	if len(all) > 0 {
		r.pattern = regexp.MustCompile("(?i)" + strings.Join(all, "|"))
	}
	return r
}

var alphanumeric = regexp.MustCompile(`^[A-Za-z0-9]+$`)

func sortedNames(vars map[string]string) []string {
	var out []string
	for name := range vars {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// forms are the texts that a value becomes on its way into a message: escaped
// by %q, without the backticks of a name, a part of a dotted name, a code.
func forms(value string) []string {
	escaped := strconv.Quote(value)
	out := []string{value, escaped[1 : len(escaped)-1], strings.ReplaceAll(value, "`", "")}
	for _, part := range append(strings.Split(value, "."), strings.TrimSpace(value), codeName(value)) {
		if len(strings.Trim(part, "_ `")) >= shortValue {
			out = append(out, strings.Trim(part, "`"), strings.TrimSpace(part))
		}
	}
	for i, form := range out {
		out[i] = strings.ToLower(form)
	}
	return slices.DeleteFunc(out, func(form string) bool { return form == "" })
}

// Text is the text with ${NAME} in the place of each value.
func (r Redactor) Text(text string) string {
	if r.pattern == nil {
		return text
	}
	return r.pattern.ReplaceAllStringFunc(text, func(match string) string {
		if name, known := r.names[strings.ToLower(match)]; known {
			return name
		}
		return "${…}" // equal but for a fold of case that ToLower does not know
	})
}
