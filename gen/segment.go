package gen

import (
	"slices"
	"strconv"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// groupings are the tuples of columns that rules judge by segment, each once,
// in file order. Two rules that name the same columns in another order share one.
func groupings(t *contracts.Table) [][]string {
	var out [][]string
	for _, r := range t.Rules {
		if len(r.By) > 0 && grouping(out, r.By) < 0 {
			out = append(out, r.By)
		}
	}
	return out
}

// grouping is the place of a tuple in a list, or -1.
func grouping(list [][]string, by []string) int {
	return slices.IndexFunc(list, func(other []string) bool { return sameColumns(other, by) })
}

// windows are the groupings whose usual volume is asked for, each with its
// window of batches once.
func windows(t *contracts.Table) []usualView {
	var out []usualView
	all := groupings(t)
	for _, r := range t.Rules {
		if r.Kind != contracts.VolumeRatio || len(r.By) == 0 {
			continue
		}
		u := usualView{By: plan.SegmentName(all[grouping(all, r.By)]), Window: r.Window}
		if !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// segmentCheck adds to a ratio's check what it is judged by.
func segmentCheck(t *contracts.Table, r *contracts.Rule, c plan.Check) plan.Check {
	if len(r.By) == 0 {
		return c
	}
	all := groupings(t)
	c.By = all[grouping(all, r.By)]
	if r.Kind == contracts.VolumeRatio {
		c.Window, c.AtLeast = r.Window, r.AtLeast
	}
	return c
}

// segmentView is what the two statements of segments need.
type segmentView struct {
	SegmentColumns []string // the text of each column, NULL where the row has none
	SegmentNames   []string
	GroupingSets   []string
	CleanCodes     string // codes that are not dirt
	MostSegments   int
	Asked          []string // one line of VALUES for each grouping and window
	LongestWindow  int
}

type usualView struct {
	By     string
	Window int
}

func (v *view) fillSegments() {
	all := groupings(v.table)
	for _, c := range plan.GroupingColumns(all) {
		name := ident("by_" + c)
		v.SegmentColumns = append(v.SegmentColumns, v.segmentValue(c)+" AS "+name)
		v.SegmentNames = append(v.SegmentNames, name)
	}
	for _, by := range all {
		var names []string
		for _, c := range by {
			names = append(names, ident("by_"+c))
		}
		v.GroupingSets = append(v.GroupingSets, "("+strings.Join(names, ", ")+")")
	}
	v.CleanCodes = literals(notDirt(v.table))
	v.MostSegments = plan.MostSegments
	for _, u := range windows(v.table) {
		v.Asked = append(v.Asked, "("+lit(u.By)+", "+strconv.Itoa(u.Window)+")")
		v.LongestWindow = max(v.LongestWindow, u.Window)
	}
}

// segmentValue is the text of a column by which rows are counted. What a
// malformed or header row holds in a column is no value of it, and neither is
// one that the column's own rules refuse: a typing mistake opens no segment.
func (v *view) segmentValue(name string) string {
	codes := []string{"malformed_row", "header_row"}
	c := v.table.Column(name)
	for _, r := range c.Rules {
		codes = union(codes, []string{r.Code})
	}
	refused := []string{"arrays_overlap(s.`_reject_reasons`, array(" + literals(codes) + "))"}
	for _, r := range v.table.Relationships {
		if r.OnViolation == contracts.QuarantineRows && has(r.Columns, name) {
			refused = append(refused, "v.`reason` = "+lit(r.Code))
		}
	}
	value := "s." + ident(name)
	if c.Type.Kind != sparksql.STRING {
		value = "CAST(" + value + " AS STRING)"
	}
	return "CASE WHEN " + strings.Join(refused, " OR ") + " THEN NULL ELSE " + value + " END"
}
