package docs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sluice/contracts/fixture"
)

// mostRows bounds what a page shows of one batch.
const mostRows = 20

// casesView is one fixture file.
type casesView struct {
	File     string // a link
	Defaults string
	Table    string
}

// cases tell by the fixtures what happens to a row like this.
func cases(s Subject) []casesView {
	var out []casesView
	for _, f := range s.Fixtures {
		v := casesView{File: file(f.Path), Defaults: cells(f.Defaults)}
		var rows [][]string
		for _, one := range f.Fixtures {
			w := &caseWriter{file: f, fixture: one}
			rows = append(rows, w.write()...)
		}
		v.Table = table([]string{"Case", "A row like this", "What happens"}, rows)
		out = append(out, v)
	}
	return out
}

func cells(list []fixture.Cell) string {
	var out []string
	for _, c := range list {
		shown := "null"
		if c.Text != nil {
			shown = value(*c.Text)
		}
		out = append(out, Code(c.Column+": "+shown))
	}
	return strings.Join(out, ", ")
}

// caseWriter makes the lines of one fixture; its name stands in the first.
type caseWriter struct {
	file    *fixture.File
	fixture *fixture.Fixture
	rows    [][]string
}

func (w *caseWriter) add(row, happens string) {
	name := ""
	if len(w.rows) == 0 {
		name = Text(w.fixture.Name)
		if why := sentence(w.fixture.Why); why != "" {
			name = Text(sentence(w.fixture.Name)) + " " + Text(why)
		}
	}
	w.rows = append(w.rows, []string{name, row, happens})
}

func (w *caseWriter) write() [][]string {
	for _, r := range w.fixture.Published {
		w.add(cells(r.Cells), "published before")
	}
	if len(w.fixture.History) > 0 {
		w.add("", "earlier batches had "+numbers(w.fixture.History)+" rows")
	}
	for i, b := range w.fixture.Batches {
		w.batch(i, b)
	}
	w.end()
	return w.rows
}

// end is what readers see when all batches have run.
func (w *caseWriter) end() {
	rows := w.fixture.End.Table
	for n, r := range rows {
		if n == mostRows {
			w.add(more(len(rows)-n), "")
			break
		}
		w.add(cells(r.Cells), "readers see it at the end")
	}
	if rows != nil && len(rows) == 0 {
		w.add("", "readers see no row at the end")
	}
}

func more(n int) string { return fmt.Sprintf("… and %d more", n) }

func numbers(list []int64) string {
	var out []string
	for _, n := range list {
		out = append(out, strconv.FormatInt(n, 10))
	}
	return strings.Join(out, ", ")
}

func (w *caseWriter) batch(i int, b *fixture.Batch) {
	verdicts := verdicts(b)
	for n, r := range b.Given {
		if n == mostRows {
			w.add(more(len(b.Given)-n), "")
			break
		}
		happens := "see the batch below"
		if n < len(verdicts) {
			happens = verdicts[n]
		}
		w.add(w.own(r), happens)
	}
	if len(b.Given) == 0 { // the rows stand elsewhere: in a file, or in an earlier batch
		for n, happens := range verdicts[:min(len(verdicts), mostRows)] {
			w.add(fmt.Sprintf("row %d of %s", n+1, w.whence(b)), happens)
		}
		if n := len(verdicts) - mostRows; n > 0 {
			w.add(more(n), "")
		}
	}
	what := outcome(b, len(verdicts) > 0)
	if what != "" || len(b.Given) == 0 && len(verdicts) == 0 {
		w.add("*"+w.name(i, b)+"*", either(what, "nothing is rejected"))
	}
}

// whence is where the rows of a batch stand that it does not give itself.
func (w *caseWriter) whence(b *fixture.Batch) string {
	if b.CSV == "" {
		return fmt.Sprintf("batch %d, again", b.Replay)
	}
	path := relative(filepath.Dir(w.file.Path), b.CSV)
	return link(Code(path), path)
}

// name says which batch it is, and what is special about it.
func (w *caseWriter) name(i int, b *fixture.Batch) string {
	name := "the batch"
	if len(w.fixture.Batches) > 1 {
		name = fmt.Sprintf("batch %d", i+1)
	}
	if len(w.fixture.Without) > 0 {
		name += " without the column " + Codes(w.fixture.Without)
	}
	if b.Replay > 0 {
		name += fmt.Sprintf(", batch %d again", b.Replay)
	}
	if b.Changed {
		name += " with other rows"
	}
	if b.AcceptChanged {
		name += " and --accept-changed"
	}
	switch {
	case b.CSV != "":
		name += ", the rows of " + w.whence(b)
	case b.Replay == 0 && len(b.Given) == 0:
		name += ", which is empty"
	}
	return name
}

// own are the cells that a row does not have from the defaults.
func (w *caseWriter) own(r fixture.Row) string {
	var out []fixture.Cell
	for _, c := range r.Cells {
		usual := slices.ContainsFunc(w.file.Defaults, func(d fixture.Cell) bool {
			return d.Column == c.Column && (d.Text == nil) == (c.Text == nil) && (c.Text == nil || *d.Text == *c.Text)
		})
		if !usual {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return "the usual values"
	}
	return cells(out)
}
