package plan

// Live is what a migration looks at: the published table, and the staging table
// whose typed columns follow it.
type Live struct{ Target, Staging State }

// Migration is what is left to do between a live table and its contract, in
// order. It is derived from the live state alone, so that a migration that was
// killed goes on where it stopped.
type Migration struct {
	Contract string
	Version  string
	Table    string
	From     string // contract.version of the table, "" = none
	Changes  []Change
	Detail   Statement // Delta: the table's protocol versions
}

// Change is one reviewed step of a migration.
type Change struct {
	Name        string
	Why         string
	Group       string     // what waits when this change cannot run
	After       []string   // groups that it waits for
	Last        bool       // it waits for everything
	Count       *Statement // one row: rows; nil when there is nothing to count yet
	Counts      string     // what Count counts, in words
	Meaning     Meaning    // of a count above zero
	Statement   *Statement // nil: somebody has to do it by hand
	Settings    []Setting  // set before the statement, unset after it, also on error
	Advice      string     // what to do by hand, or while the count blocks
	Destructive bool       // drops or rewrites data
	Warning     string
	Other       *Statement // another way to the same end, for the reader
}

// Meaning is what rows that a change counted mean for it.
type Meaning string

// The meanings. Without rows a change of Todo is done.
const (
	Tells  Meaning = "tells"
	Blocks Meaning = "blocks"
	Todo   Meaning = "todo"
)

// MigrationParams are the markers of a Migration.
func MigrationParams() []Param {
	return []Param{{Name: "added_at", Type: TextParam, Why: "the version of the contract and the time at which it adds the columns, UTC"}}
}
