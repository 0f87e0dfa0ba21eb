package contracts

import (
	"slices"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

const (
	// mostSegmentColumns bounds what a person can read in one line of a report,
	// and the number of groups that one column more multiplies.
	mostSegmentColumns = 3
	// smallestUsual is the default of atLeast: a segment that usually has fewer
	// rows doubles or halves by chance.
	smallestUsual = 10
)

// segmentKinds are the types whose text names a segment.
var segmentKinds = []sparksql.Kind{
	sparksql.STRING, sparksql.BOOLEAN, sparksql.TINYINT, sparksql.SMALLINT, sparksql.INT, sparksql.BIGINT,
	sparksql.FLOAT, sparksql.DOUBLE, sparksql.DECIMAL, sparksql.DATE, sparksql.TIMESTAMP, sparksql.TIMESTAMPNTZ,
}

// segments reads the columns whose values make the segments of a ratio, and
// below which usual number of rows a segment's volume is not judged.
func (t *tableLoader) segments(n *odcs.Node, rule *Rule) {
	by := n.Get("by")
	if by != nil {
		rule.By = t.segmentColumns(by)
	}
	if rule.Kind != VolumeRatio {
		return
	}
	atLeast := n.Get("atLeast")
	switch {
	case by == nil && atLeast != nil:
		t.problem(atLeast, "bad-bound", "atLeast is about the segments of by; name their columns, or remove it")
	case by != nil:
		rule.AtLeast = int64(atLeast.Int(smallestUsual))
		if rule.AtLeast < 1 || rule.AtLeast > 1_000_000_000 {
			t.problem(atLeast, "bad-bound", "atLeast counts rows, from 1 to 1000000000")
		}
	}
}

func (t *tableLoader) segmentColumns(by *odcs.Node) []string {
	items := by.Items()
	switch {
	case len(items) == 0:
		t.problem(by, "bad-segment", "by names no column; write for example by: [country], or remove it")
	case len(items) > mostSegmentColumns:
		t.problem(by, "bad-segment", "by names %d columns; at most %d make a segment", len(items), mostSegmentColumns)
	}
	columns := t.columns(by)
	for i, name := range columns {
		if c := t.table.Column(name); c != nil && c.Type.Kind != "" && !slices.Contains(segmentKinds, c.Type.Kind) {
			t.problem(items[i], "bad-segment", "the column %q is %s, whose values name no segment; take a column of plain values", name, c.Type)
		}
	}
	return columns
}
