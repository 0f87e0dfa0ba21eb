// Package land reads delimited files strictly and hands them on as chunks of
// text values. It owns everything between a path and a chunk: encodings, line
// ends, RFC 4180 quoting, headers, the union of columns over several files. A
// Sink takes the chunks. Run is the sink that makes them a batch of bronze, by
// the statements of a plan.Landing; it knows no contract and no Spark client.
//
// Files are read twice. Scan checks every byte of every file, so that nothing
// is landed when any of them is bad; Land or Stream then reads them again and
// proves that they are still the same:
//
//	files, err := land.Scan(ctx, paths, opts)
//	columns, err := land.Columns(files)
//	counts, err := land.Land(ctx, files, columns, opts, sink)
//
// Nothing vanishes: every line of a file is the header, part of exactly one
// record, or a blank line that is counted. Nothing is guessed: a value is the
// text as sent, never trimmed, never null, and a record that cannot be read
// for certain is Malformed and carries its raw text instead of values.
package land

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrChanged says that a file is not the one that Scan read.
var ErrChanged = errors.New("the file changed since it was checked; land it again when it is complete")

// Options say how the files are written. The zero value is UTF-8, and a comma
// (a tab in files named .tsv or .tab).
type Options struct {
	Encoding  string   // IANA name; "" is utf-8
	Delimiter rune     // 0 is the default
	Reserved  []string // column names that landing itself writes

	MaxRecord  int // bytes of one record; 0 is 16 MiB
	ChunkBytes int // bytes of one chunk; 0 is 8 MiB
	ChunkRows  int // rows of one chunk; 0 is 100,000
}

// File is one file that Scan found good.
type File struct {
	Path   string   // as given
	Name   string   // the path as given, cleaned, with forward slashes: what a landed row names as its source
	Header []string // trimmed names, in file order

	Records        int64 // all records below the header, malformed ones among them
	Malformed      int64
	FirstMalformed int64 // the line of the first one; 0 if there is none
	Blank          int64 // empty lines between records; those at the end of the file are not counted

	Bytes    int64 // size on disk
	SHA256   string
	Modified time.Time
}

// Record is one record below the header.
type Record struct {
	Line   int64    // the physical line on which it starts; the first of the file is 1
	Fields []string // one a header column; nil if malformed. The slice is valid until the callback returns, its strings for ever

	// Malformed is the raw text, without its line end, of a record that has
	// another number of fields than the header or breaks the rules of quoting.
	Malformed *string
}

// Scan reads every file once and returns what it found, in the order given. It
// names all bad files, not just the first. A path that a client cannot read
// gives an UnsupportedError.
func Scan(ctx context.Context, paths []string, opts Options) ([]File, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New("reading files: none is given")
	}
	var bad []error
	var seen identities
	files := make([]File, len(paths))
	for i, path := range paths {
		f, err := scanFile(ctx, path, opts, &seen)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			bad = append(bad, reading(path, err))
		}
		files[i] = f
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return files, nil
}

func scanFile(ctx context.Context, path string, opts Options, seen *identities) (File, error) {
	src, err := open(ctx, path, opts)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = src.Close() }()
	if err := seen.add(path, src.stat); err != nil {
		return File{}, err
	}
	f := File{Path: path, Name: cleanName(path), Modified: src.stat.ModTime()}
	r := newReader(src, opts.delimiter(path), opts.maxRecord())
	if f.Header, err = r.header(opts.Reserved); err != nil {
		return File{}, err
	}
	if err := count(r, &f); err != nil {
		return File{}, err
	}
	if f.Bytes, f.SHA256, err = src.sum(); err != nil {
		return File{}, err
	}
	return f, nil
}

// count reads to the end of the file. Records are not built, so that the
// checking pass costs little more than reading the bytes.
func count(r *reader, f *File) error {
	for {
		switch err := r.next(); {
		case errors.Is(err, io.EOF):
			f.Blank = r.blanks
			return nil
		case err != nil:
			return err
		}
		f.Records++
		if r.malformed {
			f.Malformed++
			if f.FirstMalformed == 0 {
				f.FirstMalformed = r.line
			}
		}
	}
}

// Stream reads a scanned file again and calls fn for every record, in order.
// It returns ErrChanged if the file is not what Scan read. That may be known
// only after the last record, so whatever fn did must be undone on any error.
// opts must be those of Scan.
func Stream(ctx context.Context, f File, opts Options, fn func(Record) error) error {
	if err := opts.check(); err != nil {
		return err
	}
	if err := stream(ctx, f, opts, fn); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	return nil
}

func stream(ctx context.Context, f File, opts Options, fn func(Record) error) error {
	src, err := open(ctx, f.Path, opts)
	if err != nil {
		return reading(f.Path, err)
	}
	defer func() { _ = src.Close() }()
	if src.stat.Size() != f.Bytes || !src.stat.ModTime().Equal(f.Modified) {
		return reading(f.Path, ErrChanged)
	}
	r := newReader(src, opts.delimiter(f.Path), opts.maxRecord())
	if _, err := r.header(opts.Reserved); err != nil {
		return reading(f.Path, err)
	}
	if r.width != len(f.Header) {
		return reading(f.Path, ErrChanged)
	}
	for {
		err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return reading(f.Path, err)
		}
		if err := fn(r.record()); err != nil {
			return err // the caller's own error, in the caller's own words
		}
	}
	if n, sum, err := src.sum(); err != nil {
		return reading(f.Path, err)
	} else if n != f.Bytes || sum != f.SHA256 {
		return reading(f.Path, ErrChanged)
	}
	return nil
}

func reading(path string, err error) error { return fmt.Errorf("reading %q: %w", path, err) }

func (o Options) check() error {
	if d := o.Delimiter; strings.ContainsRune("\"\r\n\ufeff\ufffd", d) || !utf8.ValidRune(d) {
		return fmt.Errorf("reading files: %q cannot be a delimiter; name another character, such as ; or a tab", d)
	}
	_, err := decoderOf(o.Encoding)
	return err
}

func (o Options) delimiter(path string) rune {
	switch ext := extension(path); {
	case o.Delimiter != 0:
		return o.Delimiter
	case ext == ".tsv" || ext == ".tab":
		return '\t'
	default:
		return ','
	}
}

func (o Options) maxRecord() int {
	if o.MaxRecord > 0 {
		return o.MaxRecord
	}
	return 16 << 20
}
