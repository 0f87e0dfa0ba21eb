package runner

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sluice/gen/plan"
)

// Refs are the branches and tags of an Iceberg table, main first.
type Refs struct {
	Table string `json:"table"`
	Heads []Ref  `json:"heads"`
}

// Ref is a branch or a tag, and the run that wrote what it stands on.
type Ref struct {
	Name      string    `json:"name"`
	Type      string    `json:"type"` // branch or tag
	Snapshot  string    `json:"snapshot"`
	Committed string    `json:"committedAt"` // UTC
	Operation string    `json:"operation"`
	Rows      *int64    `json:"rows"` // null where delete files take some away
	Contract  string    `json:"contractVersion"`
	Batch     string    `json:"batch"`
	Run       string    `json:"run"`
	Source    RefSource `json:"source"`
	Remark    string    `json:"remark,omitempty"`

	id     int64
	onMain bool
}

// RefSource is what says which run wrote a snapshot.
type RefSource string

// The sources, in the order in which they are asked. Iceberg for Spark 3.5 writes
// no stamp.
const (
	FromStamp    RefSource = "stamp"     // userMetadata in the summary of the snapshot
	FromAuditLog RefSource = "audit_log" // its row has the snapshot
	FromProperty RefSource = "property"  // contract.commit of the table
	FromTag      RefSource = "tag"       // sluice/<batch>/<run>, left by a killed run
	FromNothing  RefSource = ""
)

// ReadRefs reads the heads and finds the run behind each.
func ReadRefs(ctx context.Context, s Session, h plan.Heads) (Refs, error) {
	out := Refs{Table: h.Table, Heads: []Ref{}}
	fail := func(err error) (Refs, error) { return out, fmt.Errorf("reading the heads of %s: %w", h.Table, err) }
	if err := s.Exec(ctx, h.Refresh.SQL); err != nil {
		return fail(err)
	}
	properties, err := s.Query(ctx, h.Properties.SQL)
	if err != nil {
		return fail(err)
	}
	rows, err := s.Query(ctx, h.Heads.SQL)
	if err != nil {
		return fail(err)
	}
	runs, err := s.Query(ctx, h.Runs.SQL)
	if err != nil && !NotFound(err) {
		return fail(err)
	}
	authors := authorsOf(runs, propertiesOf(properties)[plan.CommitProperty])
	authors.pinned(rows)
	for _, r := range rows {
		ref, err := readRef(r)
		if err != nil {
			return fail(err)
		}
		authors.sign(&ref, r.Text("user_metadata"))
		out.Heads = append(out.Heads, ref)
	}
	out.remark(h.Branch, authors)
	return out, nil
}

func readRef(r Row) (Ref, error) {
	ref := Ref{Name: r.Text("name"), Type: strings.ToLower(r.Text("type")), Operation: r.Text("operation")}
	var err error
	if ref.id, err = r.Number("snapshot_id"); err != nil {
		return ref, err
	}
	committed, err := r.Number("committed_at")
	if err != nil {
		return ref, err
	}
	ref.Snapshot, ref.Committed = strconv.FormatInt(ref.id, 10), moment(committed)
	if n, known := r["records"].(int64); known {
		ref.Rows = &n
	}
	ref.onMain, _ = r["on_main"].(bool)
	return ref, nil
}

// author is the run that wrote a snapshot.
type author struct {
	contract, batch, run string
	source               RefSource
}

// authors are known by snapshot.
type authors map[int64]author

// authorsOf takes the newest row of each snapshot, and what the table's property
// says: snapshot=<id> contract=… id=… batch=… run=….
func authorsOf(runs []Row, property string) authors {
	out := authors{}
	for _, r := range runs {
		id, _ := r["snapshot_id"].(int64)
		if _, newer := out[id]; !newer && id != 0 {
			out[id] = author{r.Text("contract_version"), r.Text("batch_id"), r.Text("run_id"), FromAuditLog}
		}
	}
	of, text, _ := strings.Cut(strings.TrimPrefix(property, "snapshot="), " ")
	id, err := strconv.ParseInt(of, 10, 64)
	if m := stamp.FindStringSubmatch(text); err == nil && m != nil && out[id].source == FromNothing {
		out[id] = author{m[1], m[2], m[3], FromProperty}
	}
	return out
}

// pinned adds what the tags of runs say of snapshots that nothing else knows.
func (a authors) pinned(rows []Row) {
	for _, r := range rows {
		batch, run, ours := pinOf(r.Text("name"))
		id, _ := r["snapshot_id"].(int64)
		if ours && r.Text("type") == "TAG" && a[id].source == FromNothing {
			a[id] = author{batch: batch, run: run, source: FromTag}
		}
	}
}

// sign fills in who wrote the snapshot of a head.
func (a authors) sign(r *Ref, userMetadata string) {
	by := a[r.id]
	if m := stamp.FindStringSubmatch(userMetadata); m != nil {
		by = author{m[1], m[2], m[3], FromStamp}
	}
	if m := migrationStamp.FindStringSubmatch(userMetadata); m != nil && by.source == FromNothing {
		by.contract = m[1]
	}
	r.Contract, r.Batch, r.Run, r.Source = by.contract, by.batch, by.run, by.source
}

// remark says what a head means to an operator.
func (r *Refs) remark(branch string, known authors) {
	main := Ref{}
	for _, h := range r.Heads {
		if h.Name == mainBranch {
			main = h
		}
	}
	for i := range r.Heads {
		h := &r.Heads[i]
		batch, _, pin := pinOf(h.Name)
		switch {
		case h.Name == mainBranch:
			h.Remark = "what readers see"
		case h.Name == branch && h.Type == "branch" && h.id == main.id:
			h.Remark = "published"
		case h.Name == branch && h.Type == "branch" && h.onMain:
			h.Remark = "published; main went on since"
		case h.Name == branch && h.Type == "branch":
			h.Remark = "not published: refused, stopped or going on; the next run replaces it"
		case pin && h.Type == "tag":
			h.Remark = pinRemark(batch, h.onMain, known[h.id].source == FromAuditLog)
		}
		if h.Source == FromNothing {
			h.Remark = strings.TrimPrefix(h.Remark+"; "+unsigned(*h), "; ")
		}
	}
}

func pinRemark(batch string, onMain, recorded bool) string {
	switch {
	case recorded:
		return "of a run that is recorded; its tag stayed, and expires by itself"
	case onMain:
		return fmt.Sprintf("of a run that was killed: published, not recorded; run batch %s again, which records it", batch)
	default:
		return fmt.Sprintf("of a run that was killed before it published, or goes on; the next run of batch %s drops it", batch)
	}
}

// unsigned says why nothing names a run.
func unsigned(r Ref) string {
	switch {
	case r.Contract != "":
		return "a migration wrote it"
	case r.Operation == "replace":
		return "a compaction wrote it"
	default:
		return "no stamp, audit row or property names its run"
	}
}
