package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/contracts"
)

// Tally is the closing line of lint: what was found in how many contracts, and
// that notes were left out.
func Tally(problems contracts.Problems, files int, notes bool) string {
	var found []string
	for _, severity := range []struct {
		of   contracts.Problems
		noun string
	}{
		{problems.Of(contracts.Error), "problem"},
		{problems.Of(contracts.Warning), "warning"},
	} {
		if len(severity.of) > 0 {
			found = append(found, Count(len(severity.of), severity.noun))
		}
	}
	text := Count(files, "contract") + ", no problem"
	if len(found) > 0 {
		text = strings.Join(found, " and ") + " in " + Count(files, "contract")
	}
	switch n := len(problems.Of(contracts.Note)); {
	case n == 0:
	case notes:
		text += fmt.Sprintf(" (%s)", Count(n, "note"))
	case n == 1:
		text += " (1 note; --notes shows it)"
	default:
		text += fmt.Sprintf(" (%d notes; --notes shows them)", n)
	}
	return text
}

// Explain writes what one problem id stands for.
func Explain(w io.Writer, e contracts.Explanation) {
	fmt.Fprintf(w, "%s (%s)\n  %s\n  Fix: %s\n", e.ID, e.Severity, e.Means, e.Fix)
}

// ExplainAll writes the whole registry, a blank line between entries.
func ExplainAll(w io.Writer, all []contracts.Explanation) {
	for i, e := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		Explain(w, e)
	}
}

// Annotations writes workflow commands, by which GitHub shows problems beside
// the lines that they are about.
func Annotations(w io.Writer, problems []contracts.Problem) {
	level := map[bool]string{true: "error", false: "warning"}
	for _, p := range problems {
		command := level[p.Severity == contracts.Error]
		if p.Severity == contracts.Note {
			command = "notice"
		}
		fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", command,
			annotationProperty(p.Position.File), p.Position.Line, p.Position.Column, annotationProperty(p.ID), annotationText.Replace(line(p.Text)))
	}
}

// The escapes of GitHub's runner (actions/toolkit, command.ts): properties also
// end at a comma or colon.
var annotationText = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

func annotationProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(annotationText.Replace(line(text)))
}
