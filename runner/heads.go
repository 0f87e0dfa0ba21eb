package runner

import (
	"fmt"
	"strings"
)

// head is a reference of an Iceberg table: a branch or a tag, and two steps of
// the chain behind it. Snapshot ids are positive; 0 is none.
type head struct {
	Name, Type                    string // Type is BRANCH or TAG
	Snapshot, Parent, Grandparent int64
	Operation, ParentOperation    string
	Stamp                         string // userMetadata of the snapshot, "" where the runtime writes none
	Records, ParentRecords        int64  // rows of the snapshot and of its parent
	ParentDeleted                 int64  // rows that the parent snapshot took away
	OnMain                        bool   // main is this snapshot or a descendant of it
}

const mainBranch = "main"

// heads are the references by name.
type heads map[string]head

func readHeads(rows []Row) (heads, error) {
	out := heads{}
	for _, r := range rows {
		snapshot, err := r.Number("snapshot_id")
		if err != nil {
			return nil, fmt.Errorf("reading the heads of the table: %w", err)
		}
		h := head{
			Name: r.Text("name"), Type: r.Text("type"), Snapshot: snapshot,
			Operation: r.Text("operation"), ParentOperation: r.Text("parent_operation"), Stamp: r.Text("user_metadata"),
		}
		h.Parent, _ = r["parent_id"].(int64)
		h.Grandparent, _ = r["grandparent_id"].(int64)
		h.Records, _ = r["records"].(int64)
		h.ParentRecords, _ = r["parent_records"].(int64)
		h.ParentDeleted, _ = r["parent_deleted"].(int64)
		h.OnMain, _ = r["on_main"].(bool)
		out[h.Name] = h
	}
	return out, nil
}

// pinPrefix begins the tags of audited snapshots: sluice/<batch>/<run>. Batch and
// run ids hold no slash.
const pinPrefix = "sluice/"

// PinName is the tag of a run's audited snapshot.
func PinName(batch, run string) string { return pinPrefix + batch + "/" + run }

// pinned are the tags that runs of a batch left, by run id. A run drops its tag
// once it is recorded, so that one that is there belongs to a killed run.
func (h heads) pinned(batch string) map[string]head {
	out := map[string]head{}
	for name, one := range h {
		rest, ours := strings.CutPrefix(name, pinPrefix)
		of, run, whole := strings.Cut(rest, "/")
		if ours && whole && of == batch && one.Type == "TAG" {
			out[run] = one
		}
	}
	return out
}

// chain says in one line what a head stands on.
func (h head) chain() string {
	text := fmt.Sprintf("%d (%s)", h.Snapshot, h.Operation)
	if h.Parent != 0 {
		text += fmt.Sprintf(" on %d", h.Parent)
	}
	if h.ParentOperation != "" {
		text += fmt.Sprintf(" (%s)", h.ParentOperation)
	}
	if h.Grandparent != 0 {
		text += fmt.Sprintf(" on %d", h.Grandparent)
	}
	return text
}
