package land

import (
	"bytes"
	"errors"
	"io"
)

var errQuoting = errors.New("broken quoting")

// quoted cuts a record whose first line holds a quote. On entry the record is
// that line; if the quoting is broken, it stays so.
func (r *reader) quoted() error {
	first := r.used - int(r.lines)
	at, end := 0, first // end is where the physical line of at ends
	r.fields = r.fields[:0]
	for {
		var stop bool
		var err error
		at, end, err = r.field(at, end)
		if err == nil {
			at, stop, err = r.separator(at, end)
		}
		switch {
		case errors.Is(err, errQuoting):
			r.broken = true
			r.fields = r.fields[:0]
			r.physical(first)
			return nil
		case err != nil:
			return err
		case stop:
			r.extent(end)
			r.lines = int64(bytes.Count(r.src.rest()[:r.used], lf))
			return nil
		}
	}
}

// field reads the field at an offset and returns the offset after it, and the
// end of the physical line on which it ends.
func (r *reader) field(at, end int) (next, lineEnd int, err error) {
	if at == end || r.src.rest()[at] != '"' {
		next, err = r.plainField(at, end)
		return next, end, err
	}
	if next, err = r.quotedField(at); err == nil && next > end {
		end, err = r.lineEnd(next)
	}
	return next, end, err
}

// quotedField reads from an opening quote and returns the offset after the
// closing one.
func (r *reader) quotedField(open int) (int, error) {
	f := field{start: open + 1}
	at := open + 1
	for {
		i, err := r.quote(at)
		if err != nil {
			return 0, err
		}
		at = i + 1
		if at == len(r.src.rest()) {
			if err := r.src.more(); err != nil && !errors.Is(err, io.EOF) {
				return 0, err
			}
		}
		if rest := r.src.rest(); at < len(rest) && rest[at] == '"' {
			f.doubled = true
			at++
			continue
		}
		f.end = i
		r.fields = append(r.fields, f)
		return at, nil
	}
}

// quote finds the next quote. One that lies beyond the bound of a record
// counts as none, so that a stray quote in a large file costs no more than one
// in a small file.
func (r *reader) quote(from int) (int, error) {
	for {
		rest := r.src.rest()
		if i := bytes.IndexByte(rest[from:], '"'); i >= 0 {
			if from+i > r.max {
				return 0, errQuoting
			}
			return from + i, nil
		}
		if len(rest) > r.max {
			return 0, errQuoting
		}
		from = len(rest)
		if err := r.src.more(); errors.Is(err, io.EOF) {
			return 0, errQuoting
		} else if err != nil {
			return 0, err
		}
	}
}

// plainField reads an unquoted field of the line that ends at an offset.
func (r *reader) plainField(at, end int) (int, error) {
	body := r.body(at, end)
	if i := bytes.Index(body, r.delim); i >= 0 {
		body = body[:i]
	}
	if bytes.IndexByte(body, '"') >= 0 {
		return 0, errQuoting
	}
	r.fields = append(r.fields, field{start: at, end: at + len(body)})
	return at + len(body), nil
}

// separator steps over what may follow a field: a delimiter, or the line end.
func (r *reader) separator(at, end int) (next int, stop bool, err error) {
	body := r.body(at, end)
	switch {
	case len(body) == 0:
		return at, true, nil
	case bytes.HasPrefix(body, r.delim):
		return at + len(r.delim), false, nil
	}
	return 0, false, errQuoting
}

// body is the line from an offset up to its line end.
func (r *reader) body(at, end int) []byte {
	body := r.src.rest()[at:end]
	if n := len(body); n > 0 && body[n-1] == '\r' {
		body = body[:n-1]
	}
	return body
}
