package contracts

import (
	"slices"
	"strings"
	"unicode"
)

// personalWords mark a column whose values must not leave the lakehouse. The
// standard leaves the words of classification open; these are the ones that its
// examples and the usual catalogues have for what only some may read. public and
// internal are none of them.
var personalWords = []string{"pii", "spi", "phi", "pci", "personal", "private", "restricted", "confidential", "sensitive", "secret"}

// Personal reports whether the values of a column are for few eyes: its
// classification, or one of its tags, or those of a member, hold such a word in
// any case and company (PII, strictly-confidential, sensitive.health). A value
// like non-sensitive counts too: hiding too much is the smaller mistake.
func (c *Column) Personal() bool {
	if slices.ContainsFunc(append([]string{c.Classification}, c.Tags...), personal) {
		return true
	}
	return slices.ContainsFunc(c.Members, (*Column).Personal) || c.Item != nil && c.Item.Personal()
}

func personal(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(personalWords, w) })
}

// Gives reports whether a column, or a member of it, gives rows a code.
func (c *Column) Gives(code string) bool {
	if c.Codes.Missing == code || c.Codes.Unparseable == code ||
		slices.ContainsFunc(c.Rules, func(r ColumnRule) bool { return r.Code == code }) {
		return true
	}
	return slices.ContainsFunc(c.Members, func(m *Column) bool { return m.Gives(code) }) || c.Item != nil && c.Item.Gives(code)
}
