package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sluice/contracts"
	"sluice/gen/notebook"
	"sluice/gen/plan"
	"sluice/runner/fixture"

	ucli "github.com/urfave/cli/v2"
)

const (
	notebookExt  = ".ipynb"
	formatPython = "python"
)

// bookRequest is which notebooks a command shall write, beside those that are
// there: these are written again as they were.
type bookRequest struct {
	ctx    context.Context // while files of rows are read
	out    string
	opts   contracts.Options
	asked  bool
	wanted notebook.Options
}

func notebookRequest(c *ucli.Context, opts contracts.Options) (bookRequest, error) {
	r := bookRequest{ctx: c.Context, out: c.String("out"), opts: opts, asked: c.Bool("notebook"), wanted: notebook.Options{Fixtures: c.Bool("fixtures")}}
	if !r.asked {
		for _, name := range []string{"format", "fixtures", "batch", "run", "partition", "existing"} {
			if c.IsSet(name) {
				return r, usagef("--%s is for notebooks; add --notebook", name)
			}
		}
		return r, nil
	}
	switch c.String("format") {
	case formatPython:
		for _, name := range []string{"batch", "run", "partition", "existing"} {
			if c.IsSet(name) {
				return r, usagef("--%s is for --format magic; a notebook of Python takes its batch as a parameter when it runs", name)
			}
		}
		return r, nil
	case notebook.Magic:
	default:
		return r, usagef("reading --format: %q is neither python nor magic", c.String("format"))
	}
	if c.IsSet("fixtures") {
		return r, usagef("--fixtures is for notebooks of Python, which can run them; leave out --format magic")
	}
	batch := c.String("batch")
	r.wanted = notebook.Options{Format: notebook.Magic, Batch: batch, Run: cmp.Or(c.String("run"), "paste-"+batch[:min(len(batch), 100)]), Existing: c.Bool("existing")}
	for _, id := range []string{batch, r.wanted.Run} {
		if err := plan.CheckBatchID(id); err != nil {
			return r, &usageError{fmt.Errorf("--format magic has the literals of one batch and run: %w", err)}
		}
	}
	var err error
	r.wanted.Partition, err = parsePartition(c.String("partition"))
	return r, err
}

// add puts the notebooks of a table into files.
func (r bookRequest) add(files map[string]string, folder string, c *contracts.Contract, t *contracts.Table, p *plan.Plan) error {
	for _, format := range []string{"", notebook.Magic} {
		name := folder + "/" + notebookName(folder, format)
		o, write, err := r.options(name, format)
		if err != nil {
			return err
		}
		if !write {
			continue
		}
		s := notebook.Subject{Plan: p, File: filepath.ToSlash(c.File), Options: o}
		if o.Fixtures {
			if s.Fixtures, err = r.fixtures(c, t); err != nil {
				return err
			}
		}
		if o.Format == notebook.Magic {
			if s.Plan, err = pasted(p, o); err != nil {
				return usagef("writing the notebook of %s: %w", c.File, err)
			}
		}
		text, err := notebook.Write(s)
		if err != nil {
			return usagef("writing the notebook of %s: %w", c.File, err)
		}
		files[name] = string(text)
	}
	return nil
}

// pasted is the plan with the literals of a batch.
func pasted(p *plan.Plan, o notebook.Options) (*plan.Plan, error) {
	values := plan.Values{"batch_id": o.Batch, "run_id": o.Run}
	if err := place(p, values, o.Partition); err != nil {
		return nil, err
	}
	pins(p, values)
	return p.Filled(values, o.Occasion())
}

// options are those of the command, or of the notebook that is there. A notebook of
// somebody else is never written over.
func (r bookRequest) options(name, format string) (o notebook.Options, write bool, err error) {
	asked := r.asked && r.wanted.Format == format
	path := filepath.Join(r.out, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r.wanted, asked, nil
	}
	if err != nil {
		return o, false, fmt.Errorf("reading a notebook: %w", err)
	}
	o, ours := notebook.Of(text)
	if asked && !ours {
		return o, false, usagef("writing %s: a notebook that sluice did not write has this name; move it, or write to another folder with --out", path)
	}
	if asked {
		o = r.wanted
	}
	return o, ours && o.Format == format, nil
}

func notebookName(table, format string) string {
	if format == notebook.Magic {
		return table + "_sql" + notebookExt
	}
	return table + notebookExt
}

func isNotebook(name string, text []byte) bool {
	if filepath.Ext(name) != notebookExt {
		return false
	}
	_, ours := notebook.Of(text)
	return ours
}

// fixtures reads those of a table, which are in one file beside its contract.
func (r bookRequest) fixtures(c *contracts.Contract, t *contracts.Table) (*notebook.Fixtures, error) {
	files, err := fixturesBeside(c, t, r.opts)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, usagef("writing the notebook of %s: no file of fixtures beside it is of table %s; leave out --fixtures, or write some (sluice fixture add)", c.File, t.Target)
	}
	if len(files) > 1 {
		return nil, usagef("writing the notebook of %s: its fixtures are in more than one file; put them into one", c.File)
	}
	out, err := fixture.Book(r.ctx, files[0])
	if err != nil {
		return nil, &usageError{err}
	}
	return out, nil
}
