package land

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// reader cuts text into records. Its rules are RFC 4180, exactly:
//
//   - A line ends with LF or CRLF, the last one also with the end of the file
//     or a CR before it. A CR anywhere else is part of a value.
//   - A quote opens a quoted field only as its first byte. In it, two quotes
//     are one, and line breaks are kept byte for byte.
//   - A quote inside an unquoted field, text after a closing quote and a quote
//     that never closes are broken quoting. The record's first physical line is
//     then malformed, alone, and reading goes on at the next line: a stray
//     quote costs one row, not the rest of the file.
//   - A record with another number of fields than the header is malformed,
//     with all its lines.
//   - An empty line is no record, except in a file of one column, where it is
//     an empty value: RFC 4180 has no other way to read it.
//
// encoding/csv is not used because it turns CRLF inside quotes into LF, skips
// empty lines in one-column files, and cannot go on after a stray quote.
type reader struct {
	src   *text
	delim []byte
	max   int // bytes of one record
	width int // columns of the header; 0 while reading the header

	// The record that next found, as offsets into src.rest().
	line      int64
	fields    []field
	size      int   // raw bytes, without the line end
	used      int   // raw bytes, with it
	lines     int64 // line feeds in used
	malformed bool
	broken    bool // malformed because of its quoting

	blanks  int64 // empty lines that a record followed
	pending int64 // empty lines since the last record
	values  []string
}

// field is one value in the raw record, between its quotes if it has any.
type field struct {
	start, end int
	doubled    bool // it holds doubled quotes
}

func newReader(src *source, delim rune, limit int) *reader {
	_, substitutes := src.Reader.(noSubstitutes)
	return &reader{src: newText(src, substitutes), delim: []byte(string(delim)), max: limit}
}

// next finds the next record and returns io.EOF after the last one.
func (r *reader) next() error {
	for {
		r.src.skip(r.used, r.lines)
		r.used, r.lines = 0, 0
		end, err := r.lineEnd(0)
		if err != nil {
			return err
		}
		r.physical(end)
		if r.size > 0 || r.width == 1 {
			break
		}
		r.pending++
	}
	r.blanks, r.pending = r.blanks+r.pending, 0
	r.line, r.malformed, r.broken = r.src.line, false, false
	body := r.src.rest()[:r.size]
	if bytes.IndexByte(body, '"') < 0 {
		r.split(body)
	} else if err := r.quoted(); err != nil {
		return err
	}
	r.malformed = r.broken || r.width > 0 && len(r.fields) != r.width
	return nil
}

// physical makes the record one physical line that ends at an offset.
func (r *reader) physical(end int) {
	r.extent(end)
	r.lines = int64(r.used - end)
}

// extent sets the raw record up to a line feed or the end of the file.
func (r *reader) extent(end int) {
	rest := r.src.rest()
	r.size, r.used = end, end
	if end < len(rest) {
		r.used++
	}
	if end > 0 && rest[end-1] == '\r' {
		r.size--
	}
}

// lineEnd is the offset of the first line feed at or after from, or that of
// the end of the file; io.EOF says that nothing is left at all. A record that
// is too long stops the reading if it is one line; if quotes hold several lines
// together, one of them is taken for a stray one.
func (r *reader) lineEnd(from int) (int, error) {
	scanned := from
	for {
		rest := r.src.rest()
		i := bytes.IndexByte(rest[scanned:], '\n')
		end := scanned + i
		if i < 0 {
			end = len(rest)
		}
		if from > 0 && end > r.max {
			return 0, errQuoting
		}
		if end > r.max {
			return 0, fmt.Errorf("line %d: it is longer than %d bytes; is the file delimited text, and are its line ends LF or CRLF?", r.src.line, r.max)
		}
		if i >= 0 {
			return end, nil
		}
		scanned = len(rest)
		if err := r.src.more(); errors.Is(err, io.EOF) {
			if len(rest) == 0 {
				return 0, io.EOF
			}
			return len(rest), nil
		} else if err != nil {
			return 0, err
		}
	}
}

// split cuts a line without quotes.
func (r *reader) split(body []byte) {
	r.fields = r.fields[:0]
	if len(r.delim) > 1 {
		start := 0
		for {
			i := bytes.Index(body[start:], r.delim)
			if i < 0 {
				r.fields = append(r.fields, field{start: start, end: len(body)})
				return
			}
			r.fields = append(r.fields, field{start: start, end: start + i})
			start += i + len(r.delim)
		}
	}
	// Short fields are the rule, and for them a plain loop beats IndexByte.
	d, start := r.delim[0], 0
	for i, b := range body {
		if b == d {
			r.fields = append(r.fields, field{start: start, end: i})
			start = i + 1
		}
	}
	r.fields = append(r.fields, field{start: start, end: len(body)})
}

// record builds the record that next found.
func (r *reader) record() Record {
	raw := string(r.src.rest()[:r.size])
	if r.malformed {
		return Record{Line: r.line, Malformed: &raw}
	}
	r.values = r.values[:0]
	for _, f := range r.fields {
		v := raw[f.start:f.end]
		if f.doubled {
			v = strings.ReplaceAll(v, `""`, `"`)
		}
		r.values = append(r.values, v)
	}
	return Record{Line: r.line, Fields: r.values}
}
