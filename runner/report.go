package runner

import (
	"encoding/json"
	"strconv"
	"time"
)

// Result is how a run ended.
type Result string

// The results and their exit codes.
const (
	Published Result = "published" // 0
	Refused   Result = "refused"   // 4
	Failed    Result = "failed"    // 3
	Unknown   Result = "unknown"   // 5: a person must look
)

// Report is what a run did. Its JSON names are fixed: scripts read them.
type Report struct {
	Contract string           `json:"contract"`
	Version  string           `json:"version"`
	Table    string           `json:"table"`
	Batch    string           `json:"batch"`
	Run      string           `json:"run"`
	Result   Result           `json:"result"`
	Rows     Rows             `json:"rows"`
	Reasons  map[string]int64 `json:"reasons"` // rows by first code
	Target   Target           `json:"target"`
	Checks   []CheckResult    `json:"checks"`
	Warnings map[string]int64 `json:"warnings"` // rows by warning
	Failures []string         `json:"failures"`
	Commit   *Commit          `json:"commit"` // null when nothing was committed to the target
	Steps    []StepReport     `json:"steps"`
	// Partition is the one that the run replaced, as --partition names it.
	Partition string   `json:"partition,omitempty"`
	Repairs   []Repair `json:"repairs,omitempty"`

	Attempt   int       `json:"-"`
	Started   time.Time `json:"-"`
	Recovered []string  `json:"-"` // run ids of earlier publishes that this run recorded
	Notes     []string  `json:"-"` // for people: what was skipped and why
}

// Rows counts the batch; input = accepted + rejected in every published run.
type Rows struct {
	Input    int64 `json:"input"`
	Accepted int64 `json:"accepted"`
	Rejected int64 `json:"rejected"`
	Refused  int64 `json:"refused"` // accepted rows kept in quarantine because the batch was refused
}

// Target counts what became of accepted rows; inserted and updated are the commit's own metrics.
type Target struct {
	Inserted   int64 `json:"inserted"`
	Updated    int64 `json:"updated"`
	Backfilled int64 `json:"backfilled"`
	Unchanged  int64 `json:"unchanged"`
	Stale      int64 `json:"stale"`
	Deleted    int64 `json:"deleted"`
}

// CheckResult is one judged check.
type CheckResult struct {
	Code      string `json:"code"`
	Rule      string `json:"rule,omitempty"`
	Result    string `json:"result"` // passed, failed, warned, skipped
	Value     string `json:"value"`
	Bound     string `json:"bound"`
	Severity  string `json:"severity"`
	Dimension string `json:"dimension"`
	Owner     string `json:"owner"`
}

// Commit is what was published: a version of a Delta table, or a snapshot that
// main of an Iceberg table became.
type Commit struct {
	Version            int64
	UserMetadata       string // "" on Iceberg where the runtime does not stamp snapshots
	Snapshot, Previous int64
	Branch             string // "" on Delta
}

// MarshalJSON writes the fields of the one or the other format. Snapshot ids are
// texts: as numbers they are beyond what many readers of JSON hold exactly.
func (c Commit) MarshalJSON() ([]byte, error) {
	if c.Branch == "" {
		return json.Marshal(map[string]any{"version": c.Version, "userMetadata": c.UserMetadata})
	}
	out := map[string]any{"snapshot": strconv.FormatInt(c.Snapshot, 10), "previous": strconv.FormatInt(c.Previous, 10), "branch": c.Branch}
	if c.UserMetadata != "" {
		out["userMetadata"] = c.UserMetadata
	}
	return json.Marshal(out)
}

// StepReport is the cost of one step.
type StepReport struct {
	Name       string  `json:"name"`
	Statements int     `json:"statements"`
	Seconds    float64 `json:"seconds"`
	Skipped    bool    `json:"skipped,omitempty"`
}

// Event is one line of progress: a step that begins, ends or is skipped, or a note.
type Event struct {
	Step    string
	Why     string
	State   string // begin, end, skip, note
	Seconds float64
	Text    string
	Number  int // of the step, from one
	Of      int
}
