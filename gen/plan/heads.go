package plan

// Heads is the queries that show the branches and tags of an Iceberg table. The
// audit log may not be there yet, so that its runs are read apart.
type Heads struct {
	Table      string    `json:"table"`  // dotted, for people
	Branch     string    `json:"branch"` // where runs write and are audited
	Refresh    Statement `json:"refresh"`
	Properties Statement `json:"properties"`
	Heads      Statement `json:"heads"`
	Runs       Statement `json:"runs"`
}

// CommitProperty names the run that wrote main's head, where the runtime stamps
// no snapshots (Iceberg for Spark 3.5).
const CommitProperty = "contract.commit"
