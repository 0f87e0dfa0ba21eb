package docs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/contracts/fixture"
)

// verdicts are what becomes of each given row, as far as the fixture tells rows
// apart.
func verdicts(b *fixture.Batch) []string {
	e := b.Expect
	var out []string
	switch {
	case e.Reasons != nil:
		for _, list := range e.Reasons {
			out = append(out, verdict(list))
		}
	case e.Verdicts != nil:
		for _, v := range e.Verdicts {
			out = append(out, alternatives(v))
		}
	case len(e.Rejected) == 0 && !e.Ends():
		return slices.Repeat([]string{fixture.Accepted}, len(b.Given))
	case len(e.Rejected) == 1:
		for reason, n := range e.Rejected {
			if n == int64(len(b.Given)) {
				return slices.Repeat([]string{verdict([]string{reason})}, len(b.Given))
			}
		}
	}
	return out
}

// verdict is all the codes of a row; without one it is accepted.
func verdict(reasons []string) string {
	if len(reasons) == 0 {
		return fixture.Accepted
	}
	return "rejected: " + Codes(reasons)
}

// alternatives are the verdicts of a row that is not told apart from an equal one.
func alternatives(text string) string {
	var out []string
	for _, one := range strings.Split(text, " or ") {
		if one == fixture.Accepted {
			out = append(out, one)
			continue
		}
		out = append(out, verdict([]string{one}))
	}
	return strings.Join(out, ", or ")
}

// outcome is what becomes of the batch, and of its rows where they are not told
// apart.
func outcome(b *fixture.Batch, byRow bool) string {
	e := b.Expect
	var out []string
	if !byRow && len(e.Rejected) > 0 {
		out = append(out, "rejected: "+counted(e.Rejected))
	}
	switch {
	case len(e.Refused) > 0:
		out = append(out, "refused: "+Codes(e.Refused)+", nothing is published")
	case len(e.Failed) > 0:
		out = append(out, "the run fails: "+Codes(e.Failed)+", nothing is published")
	case e.Refused != nil:
		out = append(out, "published")
	}
	if e.Target != nil {
		out = append(out, became(*e.Target))
	}
	if len(e.Warnings) > 0 {
		out = append(out, "a warning: "+counted(e.Warnings))
	}
	return strings.Join(out, "; ")
}

// counted are codes with how often each comes, in the order of their names.
func counted(list map[string]int64) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		out = append(out, fmt.Sprintf("%s × %d", Code(name), list[name]))
	}
	return strings.Join(out, ", ")
}

// became is what the publication did with the accepted rows.
func became(t fixture.Target) string {
	var out []string
	for _, one := range []struct {
		name string
		n    int64
	}{
		{"inserted", t.Inserted},
		{"updated", t.Updated},
		{"backfilled", t.Backfilled},
		{"unchanged", t.Unchanged},
		{"stale, and so left alone", t.Stale},
		{"deleted", t.Deleted},
	} {
		if one.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", one.n, one.name))
		}
	}
	if len(out) == 0 {
		return "the table does not change"
	}
	return strings.Join(out, ", ")
}
