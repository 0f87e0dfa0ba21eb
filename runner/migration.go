package runner

import (
	"time"

	"sluice/gen/plan"
)

// MigrateOptions are what a migration is asked to do.
type MigrateOptions struct {
	Apply            bool // run the changes; else only show them
	AllowDestructive bool // also those that drop or rewrite data
	// Next derives what is left to do from the live state.
	Next           func(plan.Live) (plan.Migration, error)
	Observe        func(Event) // progress; may be nil
	Now            func() time.Time
	AfterStatement func(s plan.Statement) error // tests plant faults here; nil in production
}

// Migration is what a migration found and did. Its JSON names are fixed.
type Migration struct {
	Contract string          `json:"contract"`
	Version  string          `json:"version"`
	Table    string          `json:"table"`
	From     string          `json:"from"` // contract.version before, "" = none
	Result   MigrationResult `json:"result"`
	Protocol Protocols       `json:"protocol"`
	Steps    []MigrationStep `json:"steps"`
	Failures []string        `json:"failures"`
}

// MigrationResult is how a migration ended.
type MigrationResult string

// The results of a migration.
const (
	NothingToDo MigrationResult = "nothing" // the table is as the contract has it
	NoTable     MigrationResult = "absent"  // a run creates it
	Planned     MigrationResult = "planned" // shown, nothing was changed
	Applied     MigrationResult = "applied"
	Left        MigrationResult = "left" // something waits for a person
	Broken      MigrationResult = "failed"
)

// Protocols are the table's Delta protocol before and after.
type Protocols struct {
	Before *Protocol `json:"before"`
	After  *Protocol `json:"after"` // null when nothing was applied
}

// Protocol is what a client must know to read and to write the table.
type Protocol struct {
	Reader   int64    `json:"minReaderVersion"`
	Writer   int64    `json:"minWriterVersion"`
	Features []string `json:"features"`
}

// MigrationStep is one change: reviewed, applied, or waiting.
type MigrationStep struct {
	Name        string    `json:"name"`
	Why         string    `json:"why"`
	State       StepState `json:"state"`
	Reason      string    `json:"reason,omitempty"` // why it waits
	Advice      string    `json:"advice,omitempty"`
	Count       *Counted  `json:"count,omitempty"`
	SQL         string    `json:"sql"` // "" = somebody has to do it by hand
	Destructive bool      `json:"destructive,omitempty"`
	Warning     string    `json:"warning,omitempty"`
	Other       string    `json:"other,omitempty"` // the statement of another way
	Seconds     float64   `json:"seconds,omitempty"`

	Settings []plan.Setting `json:"settings,omitempty"` // set around SQL
}

// StepState is what became of a step.
type StepState string

// The states of steps.
const (
	StepPlanned StepState = "planned"
	StepApplied StepState = "applied"
	StepWaits   StepState = "waits"
)

// Counted is what a step counted before it.
type Counted struct {
	What string `json:"what"`
	Rows *int64 `json:"rows"` // null when it can only be counted later
	SQL  string `json:"sql"`
}
