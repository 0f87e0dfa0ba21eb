package plan

// History is the queries that show what became of a table. DESCRIBE HISTORY is
// no subquery, so that commits and runs are read apart.
type History struct {
	Table     string    `json:"table"`               // dotted, for people
	Snapshots bool      `json:"snapshots,omitempty"` // Iceberg: commits are snapshots, and branches have theirs
	Replaces  bool      `json:"replaces,omitempty"`  // Iceberg: a run deletes a partition, then appends it
	Refresh   Statement `json:"refresh"`             // Iceberg: before the snapshots are read
	Commits   Statement `json:"commits"`             // as DESCRIBE HISTORY or the snapshots have them
	Runs      Statement `json:"runs"`                // holds :runs, on Iceberg :snapshots
	Most      int       `json:"most"`                // commits that are read
}

// HistoryParams are the markers of a History.
func HistoryParams() []Param {
	return []Param{
		{Name: "runs", Type: TextsParam, Why: "the run ids that the commits carry"},
		{Name: "snapshots", Type: TextsParam, Why: "the ids of the snapshots that were read"},
	}
}

// Impact is the queries that compare what two versions of a contract make of the
// same rows. They read; nothing is written.
type Impact struct {
	Table   string            `json:"table"` // dotted, for people
	Batches Statement         `json:"batches"`
	Compare Statement         `json:"compare"` // holds :batches
	Origins map[string]Origin `json:"origins"` // of codes that a row gets by itself, from either version
	Key     []string          `json:"key"`     // source columns of the key
	Absent  []string          `json:"absent"`  // columns that bronze does not have; they are read as NULL
}

// Origin is where a code comes from.
type Origin struct {
	Column  string   `json:"column,omitempty"`  // "" = the row
	Rule    string   `json:"rule"`              // required, type, an option of ODCS, the id of a rule of the author
	Sources []string `json:"sources,omitempty"` // source columns of Column
}

// MostExamples of one pair of verdicts are as many as a comment of a pull request
// should show.
const MostExamples = 5

// MostVerdicts bounds the groups of rows that the comparison returns.
const MostVerdicts = 10_000

// ImpactParams are the markers of an Impact.
func ImpactParams() []Param {
	return []Param{{Name: "batches", Type: TextsParam, Why: "the batch ids"}}
}
