package land

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// text is a window on checked UTF-8: everything in rest() is whole characters,
// none of them NUL. Offsets into rest() stay true while it grows, until skip.
type text struct {
	src     io.Reader
	buf     []byte
	pos     int   // rest() starts here
	checked int   // rest() ends here
	end     int   // bytes read; the start of a character may lie after checked
	line    int64 // the physical line of pos
	err     error // io.EOF, once src is at its end

	strict bool // U+FFFD is a decoder's substitute for bytes it cannot read
}

func newText(src io.Reader, substitutes bool) *text {
	return &text{src: src, line: 1, strict: substitutes}
}

func (t *text) rest() []byte { return t.buf[t.pos:t.checked] }

// skip moves past n bytes that hold the given number of line feeds.
func (t *text) skip(n int, lines int64) {
	t.pos += n
	t.line += lines
}

// more makes rest() longer, or returns io.EOF or what is wrong with the file.
func (t *text) more() error {
	if t.err != nil {
		return t.err
	}
	t.room()
	before := t.checked
	for idle := 0; t.checked == before; idle++ {
		n, err := t.src.Read(t.buf[t.end:])
		t.end += n
		last := errors.Is(err, io.EOF)
		if bad := t.check(last); bad != nil {
			t.err = bad
			return bad
		}
		switch {
		case last:
			t.err = io.EOF
		case err != nil:
			t.err = t.at(t.checked, withoutPath(err))
		case n == 0 && idle > 100:
			t.err = t.at(t.checked, io.ErrNoProgress)
		}
		if t.err != nil && (!last || t.checked == before) {
			return t.err
		}
	}
	return nil
}

// room keeps space to read into: by moving rest() to the front if that frees
// half of the buffer, else by doubling it.
func (t *text) room() {
	if t.buf == nil {
		t.buf = make([]byte, 256<<10)
	}
	if len(t.buf)-t.end >= len(t.buf)/2 {
		return
	}
	to := t.buf
	if t.end-t.pos > len(t.buf)/2 {
		to = make([]byte, 2*len(t.buf))
	}
	t.end = copy(to, t.buf[t.pos:t.end])
	t.checked -= t.pos
	t.pos = 0
	t.buf = to
}

// check accepts the whole characters among the bytes that are new.
func (t *text) check(last bool) error {
	fresh := t.buf[t.checked:t.end]
	if !last {
		fresh = fresh[:len(fresh)-partial(fresh)]
	}
	bad := len(fresh)
	if !utf8.Valid(fresh) {
		bad = invalidAt(fresh)
	}
	if i := bytes.IndexByte(fresh[:bad], 0); i >= 0 {
		return t.at(t.checked+i, errors.New("a NUL byte is no text; the file is damaged, or UTF-16: then give --encoding utf-16le or utf-16be"))
	}
	if t.strict {
		if i := bytes.Index(fresh[:bad], []byte("\uFFFD")); i >= 0 {
			return t.at(t.checked+i, errors.New("bytes are no characters of the encoding named; name the right one with --encoding"))
		}
	}
	if bad < len(fresh) {
		return t.at(t.checked+bad, fmt.Errorf("byte 0x%02X is not UTF-8; name the encoding with --encoding (for example latin1)", fresh[bad]))
	}
	t.checked += len(fresh)
	return nil
}

// at names the physical line of an offset in buf.
func (t *text) at(offset int, err error) error {
	return fmt.Errorf("line %d: %w", t.line+int64(bytes.Count(t.buf[t.pos:offset], lf)), err)
}

var lf = []byte{'\n'}

// partial is the number of bytes at the end that start a character but do not
// finish it.
func partial(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

func invalidAt(p []byte) int {
	i := 0
	for i < len(p) {
		c, n := utf8.DecodeRune(p[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return i
}
