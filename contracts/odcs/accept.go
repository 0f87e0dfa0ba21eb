package odcs

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// acceptance is a comment by which an author says that a warning is known:
//
//	# sluice: accept version-is-load-time, the feed has no change time
//
// It is about its own line, or about the next one that is no comment when it
// stands alone. Errors cannot be accepted.
type acceptance struct {
	id   string
	line int // that it is about
	at   Position
	met  bool
}

var acceptComment = regexp.MustCompile(`#\s*sluice:\s*accept\s+([a-z0-9-]+)`)

func acceptances(file string, data []byte) []*acceptance {
	var out, waiting []*acceptance // waiting for the line that they are about
	number := 0
	for text := range strings.Lines(string(data)) {
		number++
		alone := strings.HasPrefix(strings.TrimSpace(text), "#")
		for _, m := range acceptComment.FindAllStringSubmatchIndex(text, -1) {
			a := &acceptance{id: text[m[2]:m[3]], line: number, at: Position{File: file, Line: number, Column: utf8.RuneCountInString(text[:m[0]]) + 1}}
			out = append(out, a)
			if alone {
				waiting = append(waiting, a)
			}
		}
		if alone {
			continue
		}
		for _, a := range waiting {
			a.line = number
		}
		waiting = nil
	}
	return out
}

// Accepted drops the warnings and notes that the author has accepted, and
// reports the acceptances that are about nothing: a mended contract should lose
// its excuses.
func (d *Document) Accepted(problems []Problem) []Problem {
	if len(d.accepts) == 0 {
		return problems
	}
	report := &Report{}
	for _, p := range problems {
		if p.Severity == Error || !d.accepts.take(p) {
			report.Add(p)
		}
	}
	for _, a := range d.accepts {
		e, known := Explain(a.id)
		if a.met || e.Dated { // what is dated waits for its day
			continue
		}
		text := "no " + a.id + " is met here; remove the comment"
		if !known || e.Severity == Error {
			text = "only warnings and notes can be accepted, and " + a.id + " is none" + Suggest(a.id, acceptable())
		}
		report.Add(Problem{Position: a.at, ID: "useless-accept", Text: text})
	}
	return report.Problems()
}

// acceptable is every id that a comment may name.
func acceptable() []string {
	var out []string
	for _, e := range Explanations() {
		if e.Severity != Error {
			out = append(out, e.ID)
		}
	}
	return out
}

type accepts []*acceptance

func (all accepts) take(p Problem) bool {
	found := false
	for _, a := range all {
		if a.id == p.ID && a.line == p.Position.Line && a.at.File == p.Position.File {
			a.met, found = true, true
		}
	}
	return found
}
