package odcs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Report collects problems. It is not safe for use by several goroutines.
type Report struct {
	// Redact, if set, hides what must not be shown in the parts of a text that
	// come from a document. The words around them are ours and stay.
	Redact func(text string) string

	problems []Problem
}

// Add records one problem with the severity of its id.
func (r *Report) Add(p Problem) {
	p.Severity = severityOf(p.ID)
	r.problems = append(r.problems, p)
}

// Count is the number of problems so far, so that a caller can tell whether a
// part of the work added any.
func (r *Report) Count() int { return len(r.problems) }

// Problems returns all of them sorted by place and without repetition: a node
// that several aliases reach is one piece of text.
func (r *Report) Problems() []Problem {
	sorted := slices.Clone(r.problems)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Position.File, b.Position.File),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column),
			cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Text, b.Text))
	})
	return slices.CompactFunc(sorted, func(a, b Problem) bool {
		return a.Position == b.Position && a.ID == b.ID && a.Text == b.Text
	})
}

// Report records a problem at n.
func (n *Node) Report(r *Report, id, format string, args ...any) {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch arg.(type) {
		case int, int64, float64, bool: // no text of a document becomes one
			shown[i] = arg
		default:
			shown[i] = r.shown(fmt.Sprint(arg))
		}
	}
	r.Add(Problem{Position: n.Pos, ID: id, Path: r.shown(n.Path), Text: fmt.Sprintf(format, shown...)})
}

// maxShown is how much of one text a problem repeats. A name may be as long as
// the file, and thousands of problems may name it.
const maxShown = 300

func (r *Report) shown(text string) string {
	if r.Redact != nil {
		text = r.Redact(text)
	}
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}
