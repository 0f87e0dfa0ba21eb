package land

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sluice/gen/plan"
	"sluice/runner"
)

// Session is a session that also takes rows.
type Session interface {
	runner.Session
	// View registers rows as a temporary view; every column is a string except _source_line.
	View(ctx context.Context, name string, columns []string, rows [][]any) error
}

// Request is one landing: scanned files, and how to plan their statements once
// the columns of bronze are known (nil when the table does not exist).
type Request struct {
	Files    []File
	Options  Options
	Describe string
	Plan     func(columns []string, bronze []plan.Column, views []string) (plan.Landing, error)
	Progress func(string)
}

// Report is what a landing did.
type Report struct {
	Table     string   `json:"table"`
	Files     int      `json:"files"`
	Rows      int64    `json:"rows"`
	Malformed int64    `json:"malformed"`
	Replaced  int64    `json:"replaced"` // rows that the batch had before
	Same      bool     `json:"same"`     // with the same content, so it kept its load time
	Added     []string `json:"columnsAdded"`
	Absent    []string `json:"columnsAbsent"`
}

// Run lands the files of a request as one batch, in one commit, and proves that
// as many rows lie in bronze as the files have records. Nothing is landed when
// a file changed since it was scanned: the rows wait in views until the write.
func Run(ctx context.Context, s Session, r Request) (Report, error) {
	columns, err := Columns(r.Files)
	if err != nil {
		return Report{}, err
	}
	bronze, err := describe(ctx, s, r.Describe)
	if err != nil {
		return Report{}, err
	}
	if _, err := r.Plan(columns, bronze, nil); err != nil {
		return Report{}, err // before anything is sent
	}
	sink := &views{session: s, columns: columns, progress: r.Progress}
	counts, err := Land(ctx, r.Files, columns, r.Options, sink)
	if err != nil {
		return Report{}, err
	}
	landing, err := r.Plan(columns, bronze, sink.names)
	if err != nil {
		return Report{}, err
	}
	out := Report{Table: landing.Table, Files: len(r.Files), Rows: counts.Rows, Malformed: counts.Malformed, Added: landing.Added, Absent: landing.Absent}
	err = commit(ctx, s, landing, &out)
	return out, err
}

func describe(ctx context.Context, s Session, query string) ([]plan.Column, error) {
	columns, err := s.Describe(ctx, query)
	if runner.NotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("describing bronze: %w", err)
	}
	out := []plan.Column{}
	for _, c := range columns {
		out = append(out, plan.Column{Name: c.Name, Type: c.Type, Nullable: c.Nullable})
	}
	return out, nil
}

// views sends each chunk as a temporary view of the session. A killed landing
// leaves nothing behind: views end with their session.
type views struct {
	session  Session
	columns  []string
	names    []string
	rows     int64
	progress func(string)
}

func (v *views) Chunk(ctx context.Context, rows [][]any) error {
	name := "sluice_landing_" + strconv.Itoa(len(v.names)+1)
	v.names = append(v.names, name)
	columns := append(append([]string{}, v.columns...), "_source_file", "_source_line", "_malformed")
	if err := v.session.View(ctx, name, columns, rows); err != nil {
		return err
	}
	v.rows += int64(len(rows))
	if v.progress != nil {
		v.progress(fmt.Sprintf("sent %d rows", v.rows))
	}
	return nil
}

// mended says what helps after a write that failed. Iceberg replaces whole files.
func mended(err error) string {
	if strings.Contains(err.Error(), "some, but not all, rows match filter") {
		return "files of this table mix batches: partition it by its batch column (ALTER TABLE … ADD PARTITION FIELD), rewrite its files and land again"
	}
	return "land it again"
}

func commit(ctx context.Context, s Session, l plan.Landing, out *Report) error {
	values := plan.Values{"loaded_at": nil}
	if l.Compare != nil {
		rows, err := s.Query(ctx, l.Compare.SQL)
		if err != nil {
			return fmt.Errorf("comparing the batch with bronze: %w", err)
		}
		if len(rows) == 1 {
			if out.Replaced, err = rows[0].Number("rows"); err != nil {
				return fmt.Errorf("comparing the batch with bronze: %w", err)
			}
			if same, _ := rows[0]["same_content"].(bool); same {
				out.Same = true
				values["loaded_at"] = rows[0]["kept_loaded_at"]
			}
		}
	}
	for _, st := range l.Ensure {
		if err := s.Exec(ctx, st.SQL); err != nil {
			return fmt.Errorf("running %s: %w", st.Name, err)
		}
	}
	binder := plan.Plan{Params: plan.LandingParams()}
	sql, _, err := binder.Bind(l.Write.SQL, values)
	if err != nil {
		return err
	}
	if err := s.Exec(ctx, sql); err != nil {
		return fmt.Errorf("writing the batch to %s: %w; %s", l.Table, err, mended(err))
	}
	rows, err := s.Query(ctx, l.Count.SQL)
	if err != nil {
		return fmt.Errorf("counting the batch in %s: %w", l.Table, err)
	}
	if len(rows) != 1 {
		return fmt.Errorf("counting the batch in %s: %d rows came back, not one", l.Table, len(rows))
	}
	n, err := rows[0].Number("rows")
	if err != nil {
		return fmt.Errorf("counting the batch in %s: %w", l.Table, err)
	}
	if n != out.Rows {
		return fmt.Errorf("rows_not_conserved: the files have %d records, %s holds %d rows of this batch; land it again", out.Rows, l.Table, n)
	}
	return nil
}
