package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sluice/contracts"
	"sluice/gen/notebook"
	"sluice/gen/plan"

	ucli "github.com/urfave/cli/v2"
)

const (
	notebookExt  = ".ipynb"
	formatPython = "python"
)

// bookRequest is which notebooks a command shall write, beside those that are
// there: these are written again as they were.
type bookRequest struct {
	out    string
	asked  bool
	wanted notebook.Options
}

func notebookRequest(c *ucli.Context) (bookRequest, error) {
	r := bookRequest{out: c.String("out"), asked: c.Bool("notebook"), wanted: notebook.Options{Fixtures: c.Bool("fixtures")}}
	if !r.asked {
		for _, name := range []string{"format", "fixtures", "batch", "partition"} {
			if c.IsSet(name) {
				return r, usagef("--%s is for notebooks; add --notebook", name)
			}
		}
		return r, nil
	}
	switch c.String("format") {
	case formatPython:
		if c.IsSet("batch") || c.IsSet("partition") {
			return r, usagef("--batch and --partition are for --format magic; a notebook of Python takes them as parameters when it runs")
		}
		return r, nil
	case notebook.Magic:
	default:
		return r, usagef("reading --format: %q is neither python nor magic", c.String("format"))
	}
	if c.IsSet("fixtures") {
		return r, usagef("--fixtures is for notebooks of Python, which can run them; leave out --format magic")
	}
	r.wanted.Format, r.wanted.Batch = notebook.Magic, c.String("batch")
	if err := plan.CheckBatchID(r.wanted.Batch); err != nil {
		return r, &usageError{fmt.Errorf("--format magic has the literals of one batch: %w", err)}
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
			if s.Fixtures, err = fixturesOf(c, t); err != nil {
				return err
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

// options are those of the command, or of the notebook that is there.
func (r bookRequest) options(name, format string) (o notebook.Options, write bool, err error) {
	if r.asked && r.wanted.Format == format {
		return r.wanted, true, nil
	}
	text, err := os.ReadFile(filepath.Join(r.out, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return o, false, nil
	}
	if err != nil {
		return o, false, fmt.Errorf("reading a notebook: %w", err)
	}
	o, ours := notebook.Of(text)
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

func fixturesOf(*contracts.Contract, *contracts.Table) (*notebook.Fixtures, error) { return nil, nil }
