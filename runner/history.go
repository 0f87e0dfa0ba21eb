package runner

import (
	"fmt"
	"regexp"
	"strconv"

	"sluice/gen/plan"
)

// commit is one row of DESCRIBE HISTORY on Delta.
type commit struct {
	Version, ReadVersion int64
	Operation            string
	UserMetadata         string
	Contract, Batch, Run string // read from userMetadata, "" when it is not ours
	Micros               int64  // when, since 1970
	Metrics              map[string]int64
}

// stamp is the text that sluice writes into userMetadata, contract first.
var stamp = regexp.MustCompile(`^contract=(\S+) id=.* batch=([A-Za-z0-9._:+-]{1,128}) run=([A-Za-z0-9._:+-]{1,128})$`)

// migrationStamp is what a migration writes there.
var migrationStamp = regexp.MustCompile(`^contract=(\S+) id=.* migration$`)

// quiet are the Delta operations that change no row (DeltaOperations.scala).
// Anything else is taken for a data change: an unknown name costs an attempt, not a wrong verdict.
var quiet = map[string]bool{
	"OPTIMIZE": true, "VACUUM START": true, "VACUUM END": true, "SET TBLPROPERTIES": true, "UNSET TBLPROPERTIES": true,
	"ADD CONSTRAINT": true, "DROP CONSTRAINT": true, "ADD COLUMNS": true, "CHANGE COLUMN": true, "CHANGE COLUMNS": true,
	"UPGRADE PROTOCOL": true, "ADD FEATURE": true, "DROP FEATURE": true, "CREATE TABLE": true, "COMPUTE STATS": true,
	"CLUSTER BY": true, "REORG": true, "SET ROW TRACKING": true,
}

// reshaping are further operations that change no row. A run that meets one while
// it goes starts again all the same: its guard says best what the columns are now.
var reshaping = map[string]bool{
	"DROP COLUMNS": true, "RENAME COLUMN": true, "REPLACE COLUMNS": true, "UPDATE COLUMN METADATA": true, "UPDATE SCHEMA": true,
}

func (c commit) changesRows() bool { return !quiet[c.Operation] && !reshaping[c.Operation] }

func history(rows []Row) ([]commit, error) {
	out := make([]commit, 0, len(rows))
	for _, r := range rows {
		version, err := r.Number("version")
		if err != nil {
			return nil, fmt.Errorf("reading table history: %w", err)
		}
		c := commit{Version: version, ReadVersion: -1, Operation: r.Text("operation"), UserMetadata: r.Text("userMetadata"), Metrics: map[string]int64{}}
		if read, ok := r["readVersion"].(int64); ok {
			c.ReadVersion = read
		}
		c.Micros, _ = r["timestamp"].(int64)
		if m := stamp.FindStringSubmatch(c.UserMetadata); m != nil {
			c.Contract, c.Batch, c.Run = m[1], m[2], m[3]
		}
		for k, v := range metrics(r["operationMetrics"]) {
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				c.Metrics[k] = n
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// metrics takes the map<string,string> in the shapes that Arrow readers give.
func metrics(v any) map[string]string {
	out := map[string]string{}
	switch m := v.(type) {
	case map[string]string:
		return m
	case map[string]any:
		for k, v := range m {
			out[k] = fmt.Sprint(v)
		}
	case map[any]any:
		for k, v := range m {
			out[fmt.Sprint(k)] = fmt.Sprint(v)
		}
	}
	return out
}

// publishes reports whether an operation is the one by which a plan publishes.
func publishes(p *plan.Plan, operation string) bool { return operation == published(p) }

// published is that operation, as Delta's history calls it.
func published(p *plan.Plan) string {
	if p.Replaces() {
		return "WRITE"
	}
	return "MERGE"
}

// newest is the highest version, -1 for an empty history.
func newest(commits []commit) int64 {
	top := int64(-1)
	for _, c := range commits {
		top = max(top, c.Version)
	}
	return top
}

// changedAfter returns the first data-changing commit after version, if any.
// A history that starts later than version hides commits, so it counts as changed.
func changedAfter(commits []commit, version int64) (commit, bool) {
	oldest := int64(-1)
	var found commit
	changed := false
	for _, c := range commits {
		if oldest < 0 || c.Version < oldest {
			oldest = c.Version
		}
		if c.Version > version && !quiet[c.Operation] && (!changed || c.Version < found.Version) {
			found, changed = c, true
		}
	}
	if !changed && oldest > version+1 {
		return commit{Version: version + 1, Operation: "not shown by the history"}, true
	}
	return found, changed
}

// ofRun finds the publishing commit of a run: by run id and operation, never by "latest".
func ofRun(p *plan.Plan, commits []commit, run string) (commit, bool) {
	for _, c := range commits {
		if c.Run == run && publishes(p, c.Operation) {
			return c, true
		}
	}
	return commit{}, false
}
