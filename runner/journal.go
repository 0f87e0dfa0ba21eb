package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sluice/gen/plan"
)

// Mark says what is odd about an entry of a journal.
type Mark string

// The marks.
const (
	Stray      Mark = "stray"      // rows were changed by something else than a run
	Unrecorded Mark = "unrecorded" // a run published, but the audit log does not know
	Lost       Mark = "lost"       // the audit log knows a commit that the table does not have
)

// Journal is what became of a table, newest first.
type Journal struct {
	Table   string  `json:"table"`
	Entries []Entry `json:"entries"`
	Oldest  int64   `json:"oldestCommit"`             // version of the oldest commit that was read, -1 for none
	Last    string  `json:"oldestSnapshot,omitempty"` // Iceberg: of main's, the oldest that was read
	More    bool    `json:"more"`                     // there are older commits, which were not read
}

// Entry is a run, a commit, or both.
type Entry struct {
	When      string       `json:"when"` // UTC: the end of the run, else the time of the commit
	Batch     string       `json:"batch"`
	Run       string       `json:"run"`
	Contract  string       `json:"contractVersion"`
	Rows      *Rows        `json:"rows"` // null where no run is recorded
	Published bool         `json:"published"`
	Recovered bool         `json:"recovered,omitempty"`
	Migration bool         `json:"migration,omitempty"` // values of a column were carried to another; Iceberg alone stamps them
	Failures  string       `json:"failures,omitempty"`
	Commit    *TableCommit `json:"commit"` // null where the run changed no row
	Mark      Mark         `json:"mark,omitempty"`
	Why       string       `json:"why,omitempty"` // of the mark

	micros int64
}

// TableCommit is a version of the table, on Iceberg a snapshot. Operation is ""
// where the history that was read does not reach back to it.
type TableCommit struct {
	Version      int64
	Snapshot     string // the id of an Iceberg snapshot, "" on Delta
	Operation    string
	UserMetadata string
}

// MarshalJSON writes the fields of the one or the other format, as Commit does.
func (c TableCommit) MarshalJSON() ([]byte, error) {
	out := map[string]any{"operation": c.Operation, "userMetadata": c.UserMetadata}
	if c.Snapshot == "" {
		out["version"] = c.Version
	} else {
		out["snapshot"] = c.Snapshot
	}
	return json.Marshal(out)
}

// JournalOptions bound a journal.
type JournalOptions struct {
	Entries int
	Quiet   bool // also commits that change no row: OPTIMIZE, properties, columns
}

// ReadJournal joins the commits of a table with the runs of its audit log, by
// run id: a version number alone could be another commit's once a table was
// created anew. Without an audit log no run was recorded.
func ReadJournal(ctx context.Context, s Session, h plan.History, o JournalOptions) (Journal, error) {
	if h.Snapshots {
		return readSnapshots(ctx, s, h, o)
	}
	rows, err := s.Query(ctx, h.Commits.SQL)
	if err != nil {
		return Journal{}, fmt.Errorf("reading the history of %s: %w", h.Table, err)
	}
	commits, err := history(rows)
	if err != nil {
		return Journal{}, err
	}
	named := []string{}
	for _, c := range commits {
		if c.Run != "" && !slices.Contains(named, c.Run) {
			named = append(named, c.Run)
		}
	}
	runs, err := runsOf(ctx, s, h, plan.Values{"runs": named})
	if err != nil {
		return Journal{}, err
	}
	return journal(h, commits, runs, o)
}

// runsOf asks the audit log; without one no run was recorded.
func runsOf(ctx context.Context, s Session, h plan.History, values plan.Values) ([]Row, error) {
	sql, _, err := (&plan.Plan{Params: plan.HistoryParams()}).Bind(h.Runs.SQL, values)
	if err != nil {
		return nil, err
	}
	rows, err := s.Query(ctx, sql)
	if err != nil && !NotFound(err) {
		return nil, fmt.Errorf("reading the runs of %s: %w", h.Table, err)
	}
	return rows, nil
}

func journal(h plan.History, commits []commit, runs []Row, o JournalOptions) (Journal, error) {
	j := Journal{Table: h.Table, Oldest: -1, More: len(commits) == h.Most}
	for _, c := range commits {
		if j.Oldest < 0 || c.Version < j.Oldest {
			j.Oldest = c.Version
		}
	}
	published := map[string]int64{} // version by run
	shown := map[int64]bool{}
	all := make([]Entry, 0, len(runs)+len(commits))
	for _, r := range runs {
		e, err := entryOfRun(r)
		if err != nil {
			return j, fmt.Errorf("reading the runs of %s: %w", h.Table, err)
		}
		if e.Commit == nil && e.Published {
			e.Commit = stamped(commits, e.Run)
		}
		if e.Commit != nil {
			published[e.Run] = e.Commit.Version
			j.join(&e, commits, shown)
		}
		all = append(all, e)
	}
	for _, c := range commits {
		if !shown[c.Version] && (o.Quiet || c.changesRows()) {
			all = append(all, entryOfCommit(c, published))
		}
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(b.micros, a.micros) })
	j.Entries = all[:min(len(all), o.Entries)]
	return j, nil
}

// stamped is the oldest commit that carries a run's stamp, or nil. A script that a
// person ran records its run without the version of its commit, which no SQL can read.
func stamped(commits []commit, run string) *TableCommit {
	for _, c := range slices.Backward(commits) {
		if c.Run == run && c.changesRows() {
			return &TableCommit{Version: c.Version}
		}
	}
	return nil
}

// join completes the commit of a run from the table's history.
func (j *Journal) join(e *Entry, commits []commit, shown map[int64]bool) {
	for _, c := range commits {
		if c.Version == e.Commit.Version && c.Run == e.Run {
			e.Commit.Operation, e.Commit.UserMetadata = c.Operation, c.UserMetadata
			shown[c.Version] = true
			return
		}
	}
	if e.Commit.Version >= j.Oldest {
		e.Mark, e.Why = Lost, fmt.Sprintf("version %d of the table is not of this run: the table was created anew", e.Commit.Version)
	}
}

func entryOfRun(r Row) (Entry, error) {
	e := Entry{Batch: r.Text("batch_id"), Run: r.Text("run_id"), Contract: r.Text("contract_version"), Rows: &Rows{}, Failures: r.Text("failures")}
	for name, into := range map[string]*int64{
		"ended_at": &e.micros, "input_rows": &e.Rows.Input, "accepted_rows": &e.Rows.Accepted,
		"rejected_rows": &e.Rows.Rejected, "refused_rows": &e.Rows.Refused,
	} {
		n, err := r.Number(name)
		if err != nil {
			return e, err
		}
		*into = n
	}
	e.When = moment(e.micros)
	e.Published, _ = r["published"].(bool)
	e.Recovered, _ = r["recovered"].(bool)
	if version, committed := r["commit_version"].(int64); committed {
		e.Commit = &TableCommit{Version: version}
	}
	if snapshot, committed := r["snapshot_id"].(int64); committed {
		e.Commit = &TableCommit{Snapshot: strconv.FormatInt(snapshot, 10)}
	}
	return e, nil
}

// entryOfCommit is a commit that no recorded run made. Where a session left our
// stamp set, a commit of somebody else carries it; then the run has another version.
func entryOfCommit(c commit, published map[string]int64) Entry {
	e := Entry{
		When: moment(c.Micros), Batch: c.Batch, Run: c.Run, Contract: c.Contract, micros: c.Micros,
		Commit: &TableCommit{Version: c.Version, Operation: c.Operation, UserMetadata: c.UserMetadata},
	}
	version, recorded := published[c.Run]
	switch {
	case !c.changesRows():
	case c.Run == "":
		e.Mark, e.Why = Stray, "no run of sluice wrote this"
	case recorded:
		e.Mark, e.Why = Stray, fmt.Sprintf("it carries the stamp of a run whose commit is version %d", version)
	default:
		e.Mark, e.Why = Unrecorded, "no audit row has this run id; run its batch again, which records it"
	}
	return e
}

func moment(micros int64) string { return time.UnixMicro(micros).UTC().Format(time.RFC3339) }
