package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sluice/gen/plan"
)

// Segment is the rows of a batch that share the values of some columns.
type Segment struct {
	Name   string // origin=LGA; origin=NULL without a value that its column allows
	Rows   int64  // input
	Judged int64  // rows less superseded, late and already published ones
	Dirt   int64  // rejects that the ceiling counts
}

// Grouping is a batch by the values of some columns.
type Grouping struct {
	Count    int64 // of segments
	Segments []Segment
}

// tooMany: of more segments than plan.MostSegments, the statement returns one.
func (g Grouping) tooMany() bool { return g.Count > int64(len(g.Segments)) }

// Usual is what the last batches had: the median input rows of each segment.
type Usual struct {
	Batches int64
	Rows    map[string]float64
}

// Window names a baseline: the columns, and how many batches it looks back.
type Window struct {
	By      string
	Batches int
}

// segmentsLogged sets the number under which the guard asks for the usual rows
// of segments. An audit log of an older version has no column for them until
// ensure has added it, and then no batch in it.
func (a *attempt) segmentsLogged() {
	if a.numbers["audit_log_exists"] > 0 && !hasColumn(a.newColumns["audit_log"], "segments") {
		a.numbers["segments_logged"] = 1
	}
}

// guardSegments reads the usual rows of each segment.
func (a *attempt) guardSegments(ctx context.Context) error {
	a.segmentsLogged()
	out, err := a.step(ctx, "guard_segments")
	if err != nil {
		return err
	}
	usual := map[Window]Usual{}
	for _, r := range out["guard_segments"] {
		batches, err := r.Number("baseline_batches")
		if err != nil {
			return err
		}
		window, err := r.Number("window")
		if err != nil {
			return err
		}
		median, ok := r["median_rows"].(float64)
		if !ok {
			return fmt.Errorf("reading column %q of a control query: %T is no DOUBLE", "median_rows", r["median_rows"])
		}
		at := Window{r.Text("segment_by"), int(window)}
		if usual[at].Rows == nil {
			usual[at] = Usual{batches, map[string]float64{}}
		}
		usual[at].Rows[r.Text("segment")] = median
	}
	a.facts.Usual = usual
	return nil
}

// segments counts this run's rows by the columns of the rules by segment. It
// comes after settle, whose verdicts say which rows are dirt.
func (a *attempt) segments(ctx context.Context) error {
	out, err := a.step(ctx, "judge_segments")
	if err != nil || out == nil {
		return err
	}
	columns := plan.GroupingColumns(a.plan.Groupings)
	byID := map[int64][]string{}
	a.facts.Segments = map[string]Grouping{}
	for _, by := range a.plan.Groupings {
		byID[plan.GroupingID(columns, by)] = by
		a.facts.Segments[plan.SegmentName(by)] = Grouping{}
	}
	for _, r := range out["segments"] {
		id, err := r.Number("grouping")
		if err != nil {
			return err
		}
		by := byID[id]
		if by == nil {
			return fmt.Errorf("reading segments: the plan has no grouping %d; it was built by another version", id)
		}
		s, err := readSegment(r, by)
		if err != nil {
			return err
		}
		g := a.facts.Segments[plan.SegmentName(by)]
		if g.Count, err = r.Number("segments"); err != nil {
			return err
		}
		g.Segments = append(g.Segments, s)
		a.facts.Segments[plan.SegmentName(by)] = g
	}
	return nil
}

func readSegment(r Row, by []string) (s Segment, err error) {
	values := make([]*string, len(by))
	for i, column := range by {
		if text, ok := r["by_"+column].(string); ok {
			values[i] = &text
		}
	}
	s.Name = plan.Segment(by, values)
	if s.Rows, err = r.Number("rows"); err != nil {
		return s, err
	}
	if s.Judged, err = r.Number("judged_rows"); err != nil {
		return s, err
	}
	s.Dirt, err = r.Number("dirt_rows")
	return s, err
}

// recordedSegments are the input rows by segment that the audit log keeps as a
// later baseline: of the rules over volume alone, and only whole groupings.
func (a *attempt) recordedSegments() map[string]int64 {
	judge := a.plan.Step("judge")
	if judge == nil {
		return nil
	}
	var out map[string]int64
	for _, c := range judge.Checks {
		if c.Kind != plan.CheckVolume || len(c.By) == 0 {
			continue
		}
		g := a.facts.Segments[plan.SegmentName(c.By)]
		if g.tooMany() {
			continue
		}
		for _, s := range g.Segments {
			if out == nil {
				out = map[string]int64{}
			}
			out[s.Name] = s.Rows
		}
	}
	return out
}

// noteSegments names the segments of this batch that have no usual number of
// rows yet: they pass, and nothing else would show them.
func (a *attempt) noteSegments(c plan.Check) {
	if c.Kind != plan.CheckVolume || len(c.By) == 0 {
		return
	}
	if fresh := newSegments(c, a.facts); len(fresh) > 0 {
		a.note(fmt.Sprintf("rule %s: no usual number of rows yet for %s", c.Rule, listed(fresh)))
	}
}

// newSegments are in the batch and not in its baseline, the largest first.
func newSegments(c plan.Check, f Facts) []string {
	by := plan.SegmentName(c.By)
	usual := f.Usual[Window{by, c.Window}]
	if usual.Batches == 0 {
		return nil
	}
	var out []Segment
	for _, s := range f.Segments[by].Segments {
		if _, known := usual.Rows[s.Name]; !known && s.Rows >= c.AtLeast && !plan.HasNull(s.Name) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Segment) int { return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Name, b.Name)) })
	texts := make([]string, len(out))
	for i, s := range out {
		texts[i] = fmt.Sprintf("%s (%d rows)", shown(s.Name), s.Rows)
	}
	return texts
}
