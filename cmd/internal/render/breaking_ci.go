package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/cmd/internal/review"
	"sluice/contracts"
	"sluice/contracts/breaking"
)

// Reviewed is what became of a contract as JSON has it. File is left out where
// two files were named.
type Reviewed struct {
	File     string           `json:"file,omitempty"`
	Class    string           `json:"class"`
	Gate     ReviewedGate     `json:"gate"`
	Changes  []ReviewedChange `json:"changes"`
	Problems []Problem        `json:"problems,omitempty"` // of its waivers
}

// ReviewedGate is the gate.
type ReviewedGate struct {
	OK    bool   `json:"ok"`
	From  string `json:"from"`
	To    string `json:"to"`
	Needs string `json:"needs"`
}

// ReviewedChange is one change.
type ReviewedChange struct {
	Rule      string             `json:"rule"`
	Path      string             `json:"path"`
	Level     string             `json:"level"`
	Direction string             `json:"direction"`
	Class     string             `json:"class"`
	Text      string             `json:"text"`
	Consumers []ReviewedConsumer `json:"consumers"`
	Waived    *ReviewedWaiver    `json:"waived,omitempty"`
}

// ReviewedConsumer is a reader to ask.
type ReviewedConsumer struct {
	Name    string `json:"name"`
	Contact string `json:"contact,omitempty"`
}

// ReviewedWaiver is why a change does not count.
type ReviewedWaiver struct {
	Owner  string `json:"owner"`
	Reason string `json:"reason"`
	Until  string `json:"until"`
}

// ReviewJSON is the JSON form: one object for two files, else a list.
func ReviewJSON(r *review.Review) any {
	if r.Base == nil {
		return reviewed(r.Results[0], "")
	}
	out := []Reviewed{}
	for _, one := range r.Results {
		out = append(out, reviewed(one, one.File))
	}
	return out
}

func reviewed(r *breaking.Result, file string) Reviewed {
	out := Reviewed{File: file, Class: string(r.Class), Changes: []ReviewedChange{}}
	out.Gate = ReviewedGate{r.Gate.OK, r.Gate.From, r.Gate.To, r.Gate.Needs}
	if len(r.Problems) > 0 {
		out.Problems = ProblemList(r.Problems)
	}
	for _, c := range r.Changes {
		one := ReviewedChange{
			Rule: c.Rule, Path: c.Path, Level: string(c.Level), Direction: string(c.Direction), Class: string(c.Class),
			Text: c.Text(), Consumers: []ReviewedConsumer{},
		}
		for _, who := range c.Consumers {
			one.Consumers = append(one.Consumers, ReviewedConsumer{who.Name, who.Contact})
		}
		if w := c.Waiver; w != nil {
			one.Waived = &ReviewedWaiver{w.Owner, w.Reason, w.Until}
		}
		out.Changes = append(out.Changes, one)
	}
	return out
}

// ReviewJUnit writes a test case a contract, which fails with its gate.
func ReviewJUnit(w io.Writer, r *review.Review) error {
	suite := junitSuite{Name: "sluice breaking"}
	for _, one := range r.Results {
		var text strings.Builder
		Review(&text, &review.Review{Results: []*breaking.Result{one}})
		made := junitCase{Class: "sluice.breaking", Name: line(one.File)}
		if one.OK() {
			made.Output = strings.TrimRight(text.String(), "\n")
		} else {
			suite.Failures++
			message := gateText(one.Gate)
			if one.Gate.OK {
				message = line(one.Problems[0].Text)
			}
			made.Failure = &junitFailure{Message: message, Type: string(one.Class), Text: strings.TrimRight(text.String(), "\n")}
		}
		suite.Cases = append(suite.Cases, made)
	}
	return writeSuite(w, suite)
}

// ReviewProblems are changes as problems beside their lines: an error is what
// keeps its contract from being merged, a warning what somebody must be told.
func ReviewProblems(r *review.Review) []contracts.Problem {
	var out []contracts.Problem
	for _, one := range r.Results {
		if !one.Gate.OK {
			at := one.Gate.Position
			at.File = one.File
			out = append(out, contracts.Problem{Position: at, ID: "version-gate", Severity: contracts.Error, Text: gateText(one.Gate)})
		}
		for _, c := range shownChanges(one) {
			at := c.Position
			if at.File != one.File { // what is gone has no line any more
				at = contracts.Position{File: one.File, Line: 1, Column: 1}
			}
			text := fmt.Sprintf("%s: %s", c.Class.Words(), c.Text())
			if who := consumerText(c.Consumers); who != "" {
				text += "; ask " + who
			}
			if c.Waiver != nil {
				text += "; waived " + waiverText(c.Waiver)
			}
			out = append(out, contracts.Problem{Position: at, ID: c.Rule, Path: c.Path, Severity: reviewSeverity(one, c), Text: text})
		}
		out = append(out, one.Problems...)
	}
	return out
}

func reviewSeverity(r *breaking.Result, c breaking.Change) contracts.Severity {
	switch {
	case c.Waiver != nil || c.Class == breaking.Patch || c.Class == breaking.Minor:
		return contracts.Note
	case !r.Gate.OK && (c.Class == r.Class || c.Rule == breaking.RemovedTooEarly):
		return contracts.Error
	default:
		return contracts.Warning
	}
}

// ReviewMarkdown writes a comment for a pull request.
func ReviewMarkdown(w io.Writer, r *review.Review) {
	if len(r.Results) == 0 {
		fmt.Fprintln(w, "No contract changed.")
		return
	}
	for i, one := range r.Results {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "### %s\n\n", markdown(reviewHead(one)))
		if !one.Orphan {
			fmt.Fprintf(w, "Gate: **%s**\n", markdown(gateText(one.Gate)))
		}
		for _, p := range one.Problems {
			fmt.Fprintf(w, "\n%s\n", markdown(p.String()))
		}
		changes := shownChanges(one)
		if len(changes) == 0 {
			continue
		}
		fmt.Fprint(w, "\n| class | change | who is hurt | ask | what to do |\n| --- | --- | --- | --- | --- |\n")
		for _, c := range changes {
			do := c.Do
			if c.Waiver != nil {
				do = "waived " + waiverText(c.Waiver)
			}
			fmt.Fprintf(w, "| %s | `%s`<br>%s | %s | %s | %s |\n", markdown(c.Class.Words()), strings.ReplaceAll(markdownCode(c.Path), "|", `\|`),
				markdown(c.What), markdown(c.Hurt), markdown(consumerText(c.Consumers)), markdown(do))
		}
	}
}

// The escapes of Markdown: text of a contract is text, no table, link or HTML.
var markdownText = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "|", `\|`, "#", `\#`)

func markdown(text string) string { return markdownText.Replace(line(text)) }

func markdownCode(text string) string { return strings.ReplaceAll(line(text), "`", "'") }
