package gen

import (
	"regexp"

	"sluice/contracts"
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

// stagedRun is the run id of a staged row. Iceberg's append reads it by its name.
func (v *view) stagedRun() string {
	if v.contract.Server.Format == contracts.Iceberg {
		return ":run_id AS `_run_id`"
	}
	return ":run_id"
}
