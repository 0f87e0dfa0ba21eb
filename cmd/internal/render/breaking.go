package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/cmd/internal/review"
	"sluice/contracts"
	"sluice/contracts/breaking"
)

// Review writes what changed for people: a paragraph a contract, a block a
// change with who is hurt, whom to ask and what to do, and the gate at its end.
func Review(w io.Writer, r *review.Review) {
	for i, one := range r.Results {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, reviewHead(one))
		for _, c := range shownChanges(one) {
			reviewChange(w, c)
		}
		for _, p := range one.Problems {
			fmt.Fprintf(w, "  %s\n", line(p.String()))
		}
		if !one.Orphan {
			fmt.Fprintf(w, "  gate: %s\n", gateText(one.Gate))
		}
	}
}

// reviewHead is file, step of the version and worst class.
func reviewHead(r *breaking.Result) string {
	text := line(r.File)
	switch {
	case r.Orphan:
		return text + ": waivers without a contract"
	case r.Added:
		return fmt.Sprintf("%s %s: a new contract", text, line(r.Gate.To))
	case r.Gone:
		return fmt.Sprintf("%s %s: removed", text, line(r.Gate.From))
	}
	text = fmt.Sprintf("%s %s -> %s: ", text, line(r.Gate.From), line(r.Gate.To))
	if r.Class == breaking.None {
		return text + "no change that counts"
	}
	return text + r.Class.Words()
}

// shownChanges leaves out what another change tells already, and the version,
// which the head has.
func shownChanges(r *breaking.Result) []breaking.Change {
	var out []breaking.Change
	for _, class := range breaking.Classes() {
		for _, c := range r.Changes {
			if c.Class == class && !c.Part && class != breaking.None {
				out = append(out, c)
			}
		}
	}
	return out
}

func reviewChange(w io.Writer, c breaking.Change) {
	fmt.Fprintf(w, "  %-17s %-7s %s  (%s)\n", c.Class.Words(), c.Level, line(c.Path), c.Rule)
	fmt.Fprintf(w, "    %s: %s\n", line(c.Position.String()), line(c.What))
	for _, more := range []struct{ label, text string }{
		{"hurt", c.Hurt}, {"ask", consumerText(c.Consumers)}, {"do", c.Do}, {"waived", waiverText(c.Waiver)},
	} {
		if more.text != "" {
			fmt.Fprintf(w, "    %s: %s\n", more.label, line(more.text))
		}
	}
}

func gateText(g breaking.Gate) string {
	if g.OK {
		return "ok"
	}
	if g.To == "" {
		return "failed: needs " + line(g.Needs)
	}
	return fmt.Sprintf("failed: %s needs %s", line(g.To), line(g.Needs))
}

// consumerText names consumers with the way to reach them.
func consumerText(all []contracts.Consumer) string {
	var out []string
	for _, one := range all {
		text := one.Name
		if one.Contact != "" {
			text += " (" + one.Contact + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func waiverText(w *breaking.Waiver) string {
	if w == nil {
		return ""
	}
	return fmt.Sprintf("by %s until %s: %s", w.Owner, w.Until, w.Reason)
}

// ReviewTally is the closing line.
func ReviewTally(r *review.Review) string {
	failed := r.Failed()
	text := Count(len(r.Results), "changed contract")
	if failed > 0 {
		text = fmt.Sprintf("%d of %s must not be merged as they are", failed, text)
		if failed == 1 {
			text = fmt.Sprintf("1 of %s must not be merged as it is", Count(len(r.Results), "changed contract"))
		}
	}
	if r.Base == nil {
		return text
	}
	return fmt.Sprintf("%s, of %d", text, r.Contracts)
}

// ReviewBase says what the working tree is compared with.
func ReviewBase(r *review.Review) string {
	b := r.Base
	text := fmt.Sprintf("comparing the working tree with %s", b.Short())
	switch {
	case b.Ref == "HEAD":
		text += " (HEAD)"
	case b.Same:
		text += fmt.Sprintf(" (HEAD, which is part of %s: only what is not committed counts)", line(b.Ref))
	default:
		text += fmt.Sprintf(", where this branch left %s", line(b.Ref))
	}
	if b.Detached {
		text += "; HEAD is detached"
	}
	if r.Shallow && b.Same {
		text += "; this is a shallow clone: if the branch has commits of its own, run git fetch --unshallow origin or name a commit with --against"
	}
	return text
}

// ExplainRule writes what a rule of breaking stands for.
func ExplainRule(w io.Writer, r breaking.Rule) {
	fmt.Fprintf(w, "%s\n  %s\n  Fix: %s\n", r.ID, r.Means, r.Fix)
}

// ExplainRules writes all of them, a blank line between entries.
func ExplainRules(w io.Writer, all []breaking.Rule) {
	for i, r := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		ExplainRule(w, r)
	}
}
