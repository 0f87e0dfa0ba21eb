package runner

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"sluice/gen/plan"
)

// mostNamed is how many broken segments a message names.
const mostNamed = 5

// segmentText is what a message says of one segment.
type segmentText struct {
	text string
	by   *big.Rat // how bad it is
}

// tooManySegments fails a check whose columns have more segments than are
// counted one by one.
func tooManySegments(c plan.Check, g Grouping, r *CheckResult) bool {
	if !g.tooMany() {
		return false
	}
	r.Value = fmt.Sprintf("%s has %d segments, too many to judge", strings.Join(c.By, ", "), g.Count)
	r.Bound = fmt.Sprintf("at most %d segments; name columns with fewer values in by", plan.MostSegments)
	return true
}

// ceilingBy judges the rejects of each segment.
func ceilingBy(c plan.Check, f Facts, r *CheckResult) bool {
	r.Bound = "at most " + c.Bounds[0] + " % of each segment"
	g := f.Segments[plan.SegmentName(c.By)]
	most, ok := new(big.Rat).SetString(c.Bounds[0])
	if tooManySegments(c, g, r) || !ok {
		return false
	}
	shares := rejectShares(g.Segments, f.Judged)
	r.Value = counted(len(g.Segments))
	if len(shares) > 0 && shares[0].by.Sign() > 0 {
		r.Value += ", the worst " + shares[0].text
	}
	over := slices.DeleteFunc(shares, func(s segmentText) bool { return s.by.Cmp(most) <= 0 })
	if len(over) > 0 {
		r.Value = named(over)
	}
	return len(over) == 0
}

// rejectShares are the rejects of each segment in percent, the worst first.
// Where a column is required, a row without its value is a reject for that very
// reason. So the segments of rejects alone that lack a value are one share of
// the whole batch: one bad line is not 100 %.
func rejectShares(segments []Segment, batch int64) []segmentText {
	var out []segmentText
	var without []string
	dirt := int64(0)
	for _, s := range segments {
		switch {
		case s.Judged <= 0:
		case s.Dirt == s.Judged && plan.HasNull(s.Name):
			dirt += s.Dirt
			without = append(without, s.Name)
		default:
			out = append(out, shareOf(shown(s.Name), "", s.Dirt, s.Judged))
		}
	}
	switch {
	case len(without) == 1:
		out = append(out, shareOf(shown(without[0]), " of the batch", dirt, batch))
	case len(without) > 1:
		out = append(out, shareOf(counted(len(without))+" without a value", " of the batch", dirt, batch))
	}
	sortWorst(out)
	return out
}

func shareOf(name, of string, part, whole int64) segmentText {
	percent := new(big.Rat).SetFrac64(part*100, max(whole, 1))
	return segmentText{fmt.Sprintf("%s: %s %%%s (%d of %d)", name, percent.FloatString(2), of, part, whole), percent}
}

// noBaseline says why a volume cannot be compared yet, "" when it can.
func noBaseline(c plan.Check, f Facts) string {
	by := plan.SegmentName(c.By)
	switch {
	case len(c.By) == 0 && f.Batches == 0:
		return "no earlier published batch"
	case len(c.By) > 0 && f.Usual[Window{by, c.Window}].Batches == 0 && !f.Segments[by].tooMany():
		return "no earlier published batch that counted rows by " + strings.Join(c.By, ", ")
	default:
		return ""
	}
}

// volumeBy compares the input rows of each segment with its usual ones. A
// segment that is missing from the batch has none of them.
func volumeBy(c plan.Check, f Facts, r *CheckResult) bool {
	g := f.Segments[plan.SegmentName(c.By)]
	if tooManySegments(c, g, r) {
		return false
	}
	usual := f.Usual[Window{plan.SegmentName(c.By), c.Window}]
	r.Bound = fmt.Sprintf("%s to %s times the usual rows of each segment in %d batches", c.Bounds[0], c.Bounds[1], usual.Batches)
	least, ok1 := new(big.Rat).SetString(c.Bounds[0])
	most, ok2 := new(big.Rat).SetString(c.Bounds[1])
	if !ok1 || !ok2 {
		return false
	}
	rows := map[string]int64{}
	for _, s := range g.Segments {
		rows[s.Name] = s.Rows
	}
	var out []segmentText
	judged := 0
	for name, median := range usual.Rows {
		m := new(big.Rat).SetFloat64(median)
		if m == nil || median < float64(c.AtLeast) {
			continue
		}
		judged++
		n := new(big.Rat).SetInt64(rows[name])
		few := n.Cmp(new(big.Rat).Mul(least, m)) < 0 && !plan.HasNull(name) // fewer rows without a value are no fault
		if many := n.Cmp(new(big.Rat).Mul(most, m)) > 0; !few && !many {
			continue
		}
		out = append(out, segmentText{fmt.Sprintf("%s: %d rows, usual %s", shown(name), rows[name], double(median)), n.Abs(n.Sub(n, m))})
	}
	r.Value = counted(len(g.Segments)) + fmt.Sprintf(", %d judged", judged)
	if len(out) > 0 {
		r.Value = named(out)
	}
	return len(out) == 0
}

func counted(n int) string {
	if n == 1 {
		return "1 segment"
	}
	return fmt.Sprintf("%d segments", n)
}

func sortWorst(all []segmentText) {
	slices.SortFunc(all, func(a, b segmentText) int { return cmp.Or(b.by.Cmp(a.by), cmp.Compare(a.text, b.text)) })
}

// named lists segments, the worst first.
func named(all []segmentText) string {
	sortWorst(all)
	texts := make([]string, len(all))
	for i, b := range all {
		texts[i] = b.text
	}
	return listed(texts)
}

// listed joins the first texts and says how many more there are.
func listed(texts []string) string {
	out := strings.Join(texts[:min(mostNamed, len(texts))], "; ")
	if more := len(texts) - mostNamed; more > 0 {
		out += fmt.Sprintf("; and %d more", more)
	}
	return out
}

// shown cuts a segment's name to what fits in a message.
func shown(name string) string {
	const most = 120
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}
