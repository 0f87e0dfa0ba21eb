package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/runner"
)

// effectText says what a rule does to rows.
var effectText = map[runner.Effect]string{
	runner.Rejects: "%s would reject %s",
	runner.Accepts: "%s would accept %s",
	runner.Gains:   "%s would be a further reason for %s that are rejected anyway",
	runner.Loses:   "%s would be no reason any more for %s that stay rejected",
}

func impactText(c runner.ImpactChange) string {
	rule := "rule " + line(c.Rule)
	switch {
	case c.Rule == "":
		rule = "code " + line(c.Code)
	case c.Column != "" && c.Rule == "required":
		rule = line(c.Column) + ": this requirement"
	case c.Column != "":
		rule = line(c.Column) + ": this " + line(c.Rule)
	}
	return fmt.Sprintf(effectText[c.Effect], rule, Count(c.Rows, "row")+" of "+batches(len(c.Batches)))
}

func batches(n int) string {
	if n == 1 {
		return "1 batch"
	}
	return fmt.Sprintf("%d batches", n)
}

// impactHead is the impact in one line.
func impactHead(i runner.Impact) string {
	refused, saved := 0, 0
	for _, b := range i.Batches {
		if b.Refused() {
			refused++
		}
		if b.Saved() {
			saved++
		}
	}
	var does []string
	for _, one := range []struct {
		rows      int64
		one, more string
	}{
		{i.Rows.Rejected, "reject %s that is accepted now", "reject %s that are accepted now"},
		{i.Rows.Accepted, "accept %s that is rejected now", "accept %s that are rejected now"},
		{i.Rows.Other, "change the reasons of %s that stays rejected", "change the reasons of %s that stay rejected"},
	} {
		switch {
		case one.rows == 1:
			does = append(does, fmt.Sprintf(one.one, Count(one.rows, "row")))
		case one.rows > 1:
			does = append(does, fmt.Sprintf(one.more, Count(one.rows, "row")))
		}
	}
	if len(does) == 0 {
		does = []string{"change no verdict"}
	}
	text := fmt.Sprintf("%s: contract %s instead of %s would %s", line(i.Table), i.To, i.From, strings.Join(does, ", "))
	text += fmt.Sprintf(", of %s in %s", Count(i.Rows.Input, "row"), batches(len(i.Batches)))
	if refused > 0 {
		text += fmt.Sprintf("; the ceiling would refuse %s", batches(refused))
	}
	if saved > 0 {
		text += fmt.Sprintf("; the ceiling would let %s pass that it refuses now", batches(saved))
	}
	return text
}

// ceilingText is the verdict of the ceiling where it is another, or refuses either way.
func ceilingText(b runner.ImpactBatch) string {
	value := func(r *runner.CheckResult) string { return r.Value + ", " + r.Bound }
	switch {
	case b.Refused():
		return "would be refused: " + value(b.NewCeiling)
	case b.Saved():
		return "would pass: " + value(b.NewCeiling)
	case b.NewCeiling != nil && b.NewCeiling.Result == "failed":
		return "refused either way: " + value(b.NewCeiling)
	default:
		return ""
	}
}

// Impact writes what a change would do, for the person who makes it.
func Impact(w io.Writer, i runner.Impact) {
	fmt.Fprintln(w, impactHead(i))
	if len(i.Changes) > 0 {
		fmt.Fprintln(w)
		var out []string
		for _, c := range i.Changes {
			out = append(out, fmt.Sprintf("  %s\t%s", impactText(c), line(c.Code)))
		}
		table(w, out...)
	}
	out := []string{"batch\trows\trejected\twould be\tceiling"}
	for _, b := range i.Batches {
		out = append(out, fmt.Sprintf("  %s\t%d\t%d\t%d\t%s", line(b.Batch), b.Rows, b.OldRejected, b.NewRejected, ceilingText(b)))
	}
	fmt.Fprintln(w)
	table(w, out...)
	if len(i.Examples) > 0 {
		fmt.Fprintln(w, "\nexamples")
		for _, e := range i.Examples {
			fmt.Fprintf(w, "  batch %s, %s: %s\n", line(e.Batch), verdicts(e), cells(e))
		}
	}
	if len(i.Notes) > 0 {
		fmt.Fprintln(w, "\nnotes")
		for _, n := range i.Notes {
			fmt.Fprintf(w, "  %s\n", line(n))
		}
	}
}

func verdicts(e runner.ImpactExample) string {
	switch {
	case e.Old != e.New:
		return line(e.Old) + " -> " + line(e.New)
	case len(e.Gains) > 0:
		return line(e.New) + ", and " + line(strings.Join(e.Gains, ", "))
	default:
		return line(e.New) + ", and no more " + line(strings.Join(e.Loses, ", "))
	}
}

func cells(e runner.ImpactExample) string {
	var parts []string
	for _, name := range e.Columns {
		value := "NULL"
		if v := e.Row[name]; v != nil {
			value = fmt.Sprintf("%q", cut(line(*v), 60))
		}
		parts = append(parts, line(name)+" "+value)
	}
	return strings.Join(parts, ", ")
}

// ImpactMarkdown writes a comment for a pull request.
func ImpactMarkdown(w io.Writer, i runner.Impact) {
	fmt.Fprintf(w, "### %s\n", markdown(impactHead(i)))
	if len(i.Changes) > 0 {
		fmt.Fprint(w, "\n| what it would do | code | rows | batches |\n| --- | --- | --- | --- |\n")
		for _, c := range i.Changes {
			fmt.Fprintf(w, "| %s | %s | %d | %d |\n", markdown(impactText(c)), markdown(c.Code), c.Rows, len(c.Batches))
		}
	}
	fmt.Fprint(w, "\n| batch | rows | rejected | would be | ceiling |\n| --- | --- | --- | --- | --- |\n")
	for _, b := range i.Batches {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %s |\n", markdown(b.Batch), b.Rows, b.OldRejected, b.NewRejected, markdown(ceilingText(b)))
	}
	if len(i.Examples) > 0 {
		fmt.Fprint(w, "\n| batch | verdict | row |\n| --- | --- | --- |\n")
		for _, e := range i.Examples {
			fmt.Fprintf(w, "| %s | %s | %s |\n", markdown(e.Batch), markdown(verdicts(e)), markdown(cells(e)))
		}
	}
	for _, n := range i.Notes {
		fmt.Fprintf(w, "\n%s\n", markdown(n))
	}
}
