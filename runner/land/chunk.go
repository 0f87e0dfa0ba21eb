package land

import (
	"context"
	"fmt"
)

// Sink takes chunks of rows, in the order of the files and their lines. A row
// has one value a column (string, or nil where the file has no such column or
// the record is malformed) and then these three:
//
//	file       string         File.Name
//	line       int64          Record.Line
//	malformed  string or nil  Record.Malformed
//
// The rows are the sink's to keep.
type Sink interface {
	Chunk(ctx context.Context, rows [][]any) error
}

// Meta is the number of values that follow the columns in a row.
const Meta = 3

// Counts are what Land handed to the sink.
type Counts struct {
	Rows, Malformed, Chunks int64
}

// Land streams scanned files to a sink, each by its own header, aligned to
// columns by name and ignoring case. columns may hold more than the files do
// (a table's own), never less. On an error, ErrChanged among them, chunks may
// have been handed on already: the caller must not commit them.
func Land(ctx context.Context, files []File, columns []string, opts Options, sink Sink) (Counts, error) {
	c := newChunker(columns, opts, sink)
	for _, f := range files {
		if err := c.align(f); err != nil {
			return c.counts, reading(f.Path, err)
		}
		before := c.counts
		if err := Stream(ctx, f, opts, func(rec Record) error { return c.add(ctx, rec) }); err != nil {
			return c.counts, err
		}
		// The same bytes gave other records: a fault of this program, and the
		// one that must never pass in silence.
		if rows, bad := c.counts.Rows-before.Rows, c.counts.Malformed-before.Malformed; rows != f.Records || bad != f.Malformed {
			return c.counts, reading(f.Path, fmt.Errorf("%d records (%d malformed) were counted and %d (%d) read", f.Records, f.Malformed, rows, bad))
		}
	}
	return c.counts, c.flush(ctx)
}

type chunker struct {
	sink     Sink
	columns  []string
	index    map[string]int
	maxBytes int
	maxRows  int

	file any   // File.Name
	to   []int // where in a row the file's columns go

	rows   [][]any
	bytes  int
	slab   []any // values of rows to come, so that a row costs no allocation
	counts Counts
}

func newChunker(columns []string, opts Options, sink Sink) *chunker {
	c := &chunker{sink: sink, columns: columns, index: map[string]int{}, maxBytes: opts.ChunkBytes, maxRows: opts.ChunkRows}
	if c.maxBytes <= 0 {
		c.maxBytes = 8 << 20
	}
	if c.maxRows <= 0 {
		c.maxRows = 100_000
	}
	for i, name := range columns {
		c.index[fold(name)] = i
	}
	return c
}

// align starts a file: it finds the place in a row of each of its columns.
func (c *chunker) align(f File) error {
	c.file, c.to = f.Name, make([]int, len(f.Header))
	for i, name := range f.Header {
		at, ok := c.index[fold(name)]
		if !ok {
			return fmt.Errorf("column %q is not among the columns to land", name)
		}
		c.to[i] = at
	}
	return nil
}

// perValue is about what a value costs beside its bytes when it is sent.
const perValue = 8

func (c *chunker) add(ctx context.Context, rec Record) error {
	width := len(c.columns) + Meta
	size := width*perValue + len(c.file.(string))
	if rec.Malformed != nil {
		size += len(*rec.Malformed)
	}
	for _, v := range rec.Fields {
		size += len(v)
	}
	// One row may be larger than a chunk; it is then a chunk by itself.
	if len(c.rows) == c.maxRows || len(c.rows) > 0 && c.bytes+size > c.maxBytes {
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	row := c.row(width)
	for i, v := range rec.Fields {
		row[c.to[i]] = v
	}
	meta := row[len(c.columns):]
	meta[0], meta[1] = c.file, rec.Line
	if rec.Malformed != nil {
		meta[2] = *rec.Malformed
		c.counts.Malformed++
	}
	c.counts.Rows++
	c.rows = append(c.rows, row)
	c.bytes += size
	return nil
}

func (c *chunker) row(width int) []any {
	if len(c.slab) < width {
		const values = 8192
		c.slab = make([]any, max(1, values/width)*width)
	}
	row := c.slab[:width:width]
	c.slab = c.slab[width:]
	return row
}

func (c *chunker) flush(ctx context.Context) error {
	if len(c.rows) == 0 {
		return nil
	}
	rows := c.rows
	c.rows, c.bytes = nil, 0
	c.counts.Chunks++
	if err := c.sink.Chunk(ctx, rows); err != nil {
		return fmt.Errorf("sending %d rows: %w", len(rows), err)
	}
	return nil
}
