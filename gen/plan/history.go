package plan

// History is the queries that show what became of a table. DESCRIBE HISTORY is
// no subquery, so that commits and runs are read apart.
type History struct {
	Table   string    `json:"table"`   // dotted, for people
	Commits Statement `json:"commits"` // as DESCRIBE HISTORY has them
	Runs    Statement `json:"runs"`    // holds :runs
	Most    int       `json:"most"`    // commits that are read
}

// HistoryParams are the markers of a History.
func HistoryParams() []Param {
	return []Param{{"runs", TextsParam, "the run ids that the commits carry"}}
}
