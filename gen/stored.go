package gen

import (
	"regexp"

	"sluice/gen/plan"
)

// narrow types are stored as INT by Iceberg (its table spec has no smaller one).
var narrow = regexp.MustCompile(`\b(TINYINT|SMALLINT)([,>]|$)`)

// asStored gives the columns of our tables the types that Iceberg shows.
func asStored(tables []plan.Table) {
	for _, t := range tables {
		for i := range t.Columns {
			t.Columns[i].Type = narrow.ReplaceAllString(t.Columns[i].Type, "INT$2")
		}
	}
}
