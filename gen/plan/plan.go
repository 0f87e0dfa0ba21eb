// Package plan holds what the generator and the runner both know: the ordered
// steps of one run of one table, as data. Every statement is finished SQL text
// up to its declared markers (:batch_id), which Bind fills. A plan is not a
// workflow language: the run protocol is Go in package runner, and a step has
// at most one condition under which it is skipped.
//
// The package knows no contract, no Spark client and no clock.
package plan

// Format is the version of the JSON form of a Plan.
const Format = 1

// Plan is one run of one table.
type Plan struct {
	Format      int               `json:"format"`
	Contract    string            `json:"contract"`          // contract id
	Version     string            `json:"version"`           // MAJOR.MINOR.PATCH
	Table       string            `json:"table"`             // dotted name of the target
	Catalog     string            `json:"catalog,omitempty"` // the session's current one; "" = the server's
	Mode        string            `json:"mode"`              // merge, replacePartition, wap
	Owner       string            `json:"owner"`
	Tables      []Table           `json:"tables"`
	Constraints []Constraint      `json:"constraints"`         // CHECKs that the target must carry
	Required    []string          `json:"required"`            // columns that column_all_null judges
	Columns     []string          `json:"columns"`             // target columns, for counts of values
	SourceRead  []string          `json:"sourceRead"`          // source columns under the batch hash
	NotDirt     []string          `json:"notDirt"`             // codes that the reject ceiling does not count
	Groupings   [][]string        `json:"groupings,omitempty"` // columns of the rules by segment; the statement segments numbers them
	Endings     []Ending          `json:"endings,omitempty"`   // what of the table is on its way out
	Params      []Param           `json:"params"`
	Branch      string            `json:"branch,omitempty"`    // wap
	Partition   []PartitionColumn `json:"partition,omitempty"` // columns of the partition that a run replaces
	Steps       []Step            `json:"steps"`
}

// Ending is the table or a column that is deprecated.
type Ending struct {
	Column    string   `json:"column,omitempty"`    // "" = the table
	EndOfLife string   `json:"endOfLife,omitempty"` // yyyy-MM-dd, UTC; "" = no date is set
	Successor string   `json:"successor,omitempty"` // the column that replaces it
	Fail      bool     `json:"fail,omitempty"`      // runs after the date fail
	Readers   []string `json:"readers,omitempty"`   // consumers of the contract that still list it, or list nothing
}

// Replaces reports whether a run replaces one partition of the table; else it merges.
func (p *Plan) Replaces() bool { return len(p.Partition) > 0 }

// Step returns the step with that name, or nil.
func (p *Plan) Step(name string) *Step {
	for i := range p.Steps {
		if p.Steps[i].Name == name {
			return &p.Steps[i]
		}
	}
	return nil
}

// TableOf returns the first table with that role, or nil.
func (p *Plan) TableOf(role Role) *Table {
	for i := range p.Tables {
		if p.Tables[i].Role == role {
			return &p.Tables[i]
		}
	}
	return nil
}

// Kind is the closed set of steps, in the order of a run.
type Kind string

// The step kinds. Branch, Write and Prove are write-audit-publish alone.
const (
	Guard      Kind = "guard"      // reads only; nothing is written before it passed
	Ensure     Kind = "ensure"     // creates what is missing
	Stage      Kind = "stage"      // every row, typed, with the codes of the rules that it breaks
	Audit      Kind = "audit"      // one aggregate over the staged rows
	Settle     Kind = "settle"     // verdicts that need other rows
	Quarantine Kind = "quarantine" // replaces the batch's rejects
	Judge      Kind = "judge"      // rules over the accepted rows
	Branch     Kind = "branch"     // creates the audit branch
	Write      Kind = "write"      // writes the candidate on the branch
	Prove      Kind = "prove"      // proves the branch, then the contract's rules on it
	Publish    Kind = "publish"    // makes accepted rows readable
	Record     Kind = "record"     // audit-log row, contract version, proof read
)

// Failure says what an error of a step's statement means for the run.
type Failure string

// The meanings of a failed statement.
const (
	FailRun      Failure = "fail"     // exit 3, nothing published
	FailPublish  Failure = "publish"  // exit 3, passed but not published, once history shows no commit
	FailRecorded Failure = "recorded" // exit 5, published but not recorded
)

// Step is one part of a run.
type Step struct {
	Name       string      `json:"name"` // unique in the plan
	Kind       Kind        `json:"kind"`
	Why        string      `json:"why"` // one line for a reader of the plan
	Statements []Statement `json:"statements"`
	Checks     []Check     `json:"checks,omitempty"`
	Settings   []Setting   `json:"settings,omitempty"` // set before the first statement, unset after the last, also on error
	SkipIfZero string      `json:"skipIfZero,omitempty"`
	OnFailure  Failure     `json:"onFailure"`
}

// Use says how a statement is sent.
type Use string

// The uses of a statement.
const (
	Exec     Use = "exec"     // for its effect
	Query    Use = "query"    // for its rows
	Describe Use = "describe" // analysed, not run: the columns of tables
)

// Statement is one SQL statement.
type Statement struct {
	Name string `json:"name"` // unique in the plan; the file stem under sql/
	Use  Use    `json:"use"`
	SQL  string `json:"sql"`
	// Script is what a printed script has in its place, where only a run knows a
	// value that must be a literal: "" is the same, LeftOut is nothing.
	Script string `json:"-"`
}

// LeftOut is the Script of a statement that a script does without.
const LeftOut = "-"

// Setting is a session setting. Value may hold markers.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Check is one judgement over numbers that statements returned.
type Check struct {
	Code      string   `json:"code"` // reject_ceiling, volume_out_of_range, audit_failed, …
	Rule      string   `json:"rule"` // the contract's rule id, or the code itself
	Kind      string   `json:"kind"` // see the constants
	Statement string   `json:"statement,omitempty"`
	Column    string   `json:"column,omitempty"` // of Statement's row; "" = its first cell
	Op        string   `json:"op,omitempty"`
	Bounds    []string `json:"bounds,omitempty"` // decimal text
	Severity  string   `json:"severity"`         // error or warning
	Dimension string   `json:"dimension,omitempty"`
	Owner     string   `json:"owner,omitempty"`
	By        []string `json:"by,omitempty"`      // a ratio that each segment of these columns keeps; one of Groupings
	Window    int      `json:"window,omitempty"`  // volumeRatio by segment: batches to look back
	AtLeast   int64    `json:"atLeast,omitempty"` // volumeRatio by segment: smaller usual volumes are not judged
}

// The kinds of checks.
const (
	CheckRowCount   = "rowCount"    // input rows against Op and Bounds
	CheckCeiling    = "rejectRatio" // Bounds[0] = percent
	CheckVolume     = "volumeRatio" // Bounds = smallest and largest ratio to the median
	CheckValue      = "value"       // Column of Statement against Op and Bounds
	CheckShare      = "share"       // percentage of Column in the column rows of Statement
	CheckAge        = "age"         // Column of Statement, in seconds, against Bounds
	CheckKey        = "key"         // no key twice: proven by settle
	CheckLookup     = "lookup"      // unknown_rows of Statement is zero
	CheckLookupOnce = "lookupOnce"  // ambiguous_rows of Statement is zero
	CheckReason     = "reason"      // no row was rejected with the code in Op
	CheckFact       = "fact"        // decided by the run protocol
)

// The rules of checks that the run protocol decides (CheckFact).
const (
	ProofChain      = "branch_is_this_run"     // the branch holds main's head and what this run wrote
	ProofRows       = "partition_rows"         // as many rows as were accepted
	ProofKeys       = "no_key_twice"           // each key that was written is there once, with its content
	ProofPartitions = "other_partitions_equal" // the same files on the branch and on main

	NothingAccepted  = "nothing_accepted"
	PartitionShrinks = "partition_shrinks"
	OlderDelivery    = "older_delivery"
)

// PartitionColumn is a column of the partition that a run replaces, and the
// marker that its value fills.
type PartitionColumn struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Param string `json:"param"`
}

// Role says what a table is to the plan.
type Role string

// The roles of tables.
const (
	SourceTable     Role = "source"
	TargetTable     Role = "target"
	StagingTable    Role = "staging"
	VerdictTable    Role = "verdict"
	QuarantineTable Role = "quarantine"
	AuditLogTable   Role = "audit_log"
	LookupTable     Role = "lookup"
)

// Table is a table with the columns that the plan expects of it.
type Table struct {
	Role    Role     `json:"role"`
	Alias   string   `json:"alias"`   // its struct in the guard's describe, and the suffix of its numbers
	Name    string   `json:"name"`    // dotted, for people
	SQL     string   `json:"sql"`     // quoted
	Columns []Column `json:"columns"` // for source and lookups: the ones that are read, type "" = any
	// NoCheck: the format has no CHECK. An existing column can then not be made a
	// required one of the table, and row rules alone hold it.
	NoCheck bool `json:"noCheck,omitempty"`
	// Fields shows the partition fields of the published table, where a migration
	// has to know them.
	Fields string `json:"fields,omitempty"`
	// Describe is analysed alone when the combined statement of the guard
	// meets a table that does not exist.
	Describe string `json:"describe"`
}

// Column returns the expected column with that name, as Spark compares names, or nil.
func (t Table) Column(name string) *Column { return State{Columns: t.Columns}.Column(name) }

// Column is an expected column.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // Spark DDL
	Nullable bool   `json:"nullable"`
	Comment  string `json:"comment,omitempty"` // of a column of the target: what the contract says of it
}

// Constraint is a named CHECK.
type Constraint struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// SessionSettings are what every session sets and verifies, and what printed
// scripts carry as SET lines, so that a value is read the same way everywhere:
// on Spark 3.5 the default timeParserPolicy throws where CORRECTED gives NULL,
// ANSI is off by default before 4.0, and variable substitution would rewrite
// `${…}` inside literals. A date before 1582 or a moment before 1900, such as the
// 0001-01-01 of many feeds, would fail the whole statement on Spark 3.5, which
// asks by which calendar it is to be stored; 4.0 takes the proleptic one.
func SessionSettings(ansi bool) []Setting {
	on := map[bool]string{true: "true", false: "false"}[ansi]
	return []Setting{
		{"spark.sql.session.timeZone", "UTC"},
		{"spark.sql.ansi.enabled", on},
		{"spark.sql.legacy.timeParserPolicy", "CORRECTED"},
		{"spark.sql.caseSensitive", "false"},
		{"spark.sql.storeAssignmentPolicy", "ANSI"},
		{"spark.sql.variable.substitute", "false"},
		{"spark.sql.parser.escapedStringLiterals", "false"},
		{"spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED"},
		{"spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED"},
		{"spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED"},
		{"spark.sql.parquet.int96RebaseModeInRead", "CORRECTED"},
		{"spark.databricks.delta.schema.autoMerge.enabled", "false"},
	}
}
