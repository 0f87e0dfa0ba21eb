package contracts

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sluice/contracts/odcs"
)

// Position is a place in a contract file; lines and columns count from one.
type Position = odcs.Position

// Problem is one thing wrong with a document. Problems are collected and shown
// all at once, in file order; they are about the author's text, never about a run.
type Problem = odcs.Problem

// Problems is the error that Load returns when a document has any.
type Problems []Problem

// Error is every problem, a line each.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// Severity says what a problem means for the contract that has it.
type Severity = odcs.Severity

// The severities of a problem.
const (
	Error   = odcs.Error
	Warning = odcs.Warning
	Note    = odcs.Note
)

// Explanation is what a problem id stands for.
type Explanation = odcs.Explanation

// Explanations is the registry of problem ids, sorted by id.
func Explanations() []Explanation { return odcs.Explanations() }

// Explain finds an id in the registry.
func Explain(id string) (Explanation, bool) { return odcs.Explain(id) }

// Of returns the problems of one severity.
func (p Problems) Of(severity odcs.Severity) Problems {
	var out Problems
	for _, one := range p {
		if one.Severity == severity {
			out = append(out, one)
		}
	}
	return out
}

// Strict returns the warnings that count where no warning may be: those that an
// edit brought, not the calendar.
func (p Problems) Strict() Problems {
	return slices.DeleteFunc(p.Of(odcs.Warning), func(one Problem) bool {
		e, _ := Explain(one.ID)
		return e.Dated
	})
}

// Except returns the problems of the other severities.
func (p Problems) Except(severity odcs.Severity) Problems {
	var out Problems
	for _, one := range p {
		if one.Severity != severity {
			out = append(out, one)
		}
	}
	return out
}

// errors is the error of a document: the problems that keep it from being used.
func (p Problems) errors() error {
	if found := p.Of(odcs.Error); len(found) > 0 {
		return found
	}
	return nil
}

// Version is the SemVer of a contract, MAJOR.MINOR[.PATCH].
type Version struct {
	Major, Minor, Patch int
}

var semVer = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})(?:\.(0|[1-9][0-9]{0,8}))?$`)

// ParseVersion reads MAJOR.MINOR[.PATCH]; false for anything else.
func ParseVersion(text string) (Version, bool) {
	m := semVer.FindStringSubmatch(text)
	if m == nil {
		return Version{}, false
	}
	var v Version
	v.Major, _ = strconv.Atoi(m[1])
	v.Minor, _ = strconv.Atoi(m[2])
	v.Patch, _ = strconv.Atoi("0" + m[3])
	return v, true
}

// String is the three-part form.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Compare is -1, 0 or 1 as v is lower than, equal to or higher than w.
func (v Version) Compare(w Version) int {
	for _, d := range []int{v.Major - w.Major, v.Minor - w.Minor, v.Patch - w.Patch} {
		if d != 0 {
			return map[bool]int{true: 1, false: -1}[d > 0]
		}
	}
	return 0
}
