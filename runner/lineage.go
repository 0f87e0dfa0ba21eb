package runner

import (
	"fmt"
	"strconv"
	"strings"
)

// snapshot is one state of an Iceberg table.
type snapshot struct {
	ID, Parent, Micros   int64 // Parent is 0 for the first one
	Operation            string
	UserMetadata         string
	Contract, Batch, Run string // read from userMetadata, "" when it is not ours
	Migration            bool   // a migration carried values to another column
	Changes              bool   // files came or went
	Main                 bool   // main's head
	Pin                  string // a tag that a run left on it
}

func (s snapshot) text() string { return strconv.FormatInt(s.ID, 10) }

// changesRows: a compaction (replace) writes the same rows into other files.
func (s snapshot) changesRows() bool { return s.Changes && s.Operation != "replace" }

// removes reports whether it could be the first of the two snapshots of a run
// that replaces a partition.
func (s snapshot) removes() bool { return s.Operation == "delete" || s.Operation == "overwrite" }

func readLineage(rows []Row) ([]snapshot, error) {
	out := make([]snapshot, 0, len(rows))
	for _, r := range rows {
		id, err := r.Number("snapshot_id")
		if err != nil {
			return nil, fmt.Errorf("reading the snapshots of the table: %w", err)
		}
		s := snapshot{ID: id, Operation: r.Text("operation"), UserMetadata: r.Text("user_metadata"), Pin: r.Text("pin")}
		s.Parent, _ = r["parent_id"].(int64)
		s.Micros, _ = r["committed_at"].(int64)
		s.Changes, _ = r["changes_rows"].(bool)
		s.Main, _ = r["is_main"].(bool)
		if m := stamp.FindStringSubmatch(s.UserMetadata); m != nil {
			s.Contract, s.Batch, s.Run = m[1], m[2], m[3]
		} else if m := migrationStamp.FindStringSubmatch(s.UserMetadata); m != nil {
			s.Contract, s.Migration = m[1], true
		}
		out = append(out, s)
	}
	return out, nil
}

// lineage is main's head and what it stands on, newest first. Branches that were
// never published are no part of it. It is whole when it ends at the first
// snapshot of the table, and not where older ones were expired or not read.
func lineage(all []snapshot) (chain []snapshot, whole bool) {
	byID := map[int64]snapshot{}
	next := int64(0)
	for _, s := range all {
		byID[s.ID] = s
		if s.Main {
			next = s.ID
		}
	}
	for next != 0 {
		s, read := byID[next]
		if !read {
			return chain, false
		}
		chain = append(chain, s)
		delete(byID, next)
		next = s.Parent
	}
	return chain, true
}

// pinOf parts the name of a tag that a run left: sluice/<batch>/<run>.
func pinOf(name string) (batch, run string, ours bool) {
	rest, ours := strings.CutPrefix(name, pinPrefix)
	batch, run, whole := strings.Cut(rest, "/")
	return batch, run, ours && whole && batch != "" && run != ""
}
