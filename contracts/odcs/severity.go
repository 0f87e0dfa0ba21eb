package odcs

import (
	"slices"
	"strings"
)

// Severity says what a problem means for the contract that has it.
type Severity string

// The severities. A contract with an error is refused by every command; a
// warning is a probable mistake; a note tells what nobody has to mend.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Explanation is what one id stands for: the registry behind
// `sluice lint --explain` and the list in the README.
type Explanation struct {
	ID       string
	Severity Severity
	Means    string // what was found, and why it matters
	Fix      string // what to write instead
	Dated    bool   // it comes by the calendar and not by an edit: it never decides an exit code
}

// all is every part of the registry, sorted for the search by id.
var all = slices.SortedFunc(slices.Values(slices.Concat(registry, lintRegistry)), byID)

func byID(a, b Explanation) int { return strings.Compare(a.ID, b.ID) }

// Explanations returns the registry in the order of ids.
func Explanations() []Explanation { return slices.Clone(all) }

// Explain finds an id in the registry.
func Explain(id string) (Explanation, bool) {
	i, found := slices.BinarySearchFunc(all, Explanation{ID: id}, byID)
	if !found {
		return Explanation{}, false
	}
	return all[i], true
}

// severityOf panics on an id that is not registered: that is a mistake in the
// program, which every test over bad contracts would meet.
func severityOf(id string) Severity {
	e, known := Explain(id)
	if !known {
		panic("odcs: the problem id " + id + " is not in the registry")
	}
	return e.Severity
}
