package land

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/transform"
)

// aliases are names people use that the IANA registry does not have. The WHATWG
// index has more, but reads latin1 and ascii as windows-1252, which is a guess.
var aliases = map[string]string{
	"": "utf-8", "utf8": "utf-8", "utf-8-sig": "utf-8", "utf-8-bom": "utf-8",
	"utf16": "utf-16", "utf16le": "utf-16le", "utf16be": "utf-16be",
	"latin-1": "iso-8859-1", "latin-9": "iso-8859-15", "ascii": "us-ascii", "sjis": "shift_jis",
}

var cp125x = regexp.MustCompile(`^(?:cp|win)-?(125\d)$`)

// canonical maps a name as typed to the one that the IANA index knows.
func canonical(name string) string {
	n := strings.ToLower(strings.TrimSpace(name))
	dashed := strings.ReplaceAll(n, "_", "-")
	if a, ok := aliases[dashed]; ok {
		return a
	}
	if strings.HasPrefix(dashed, "utf") {
		return dashed
	}
	return cp125x.ReplaceAllString(n, "windows-$1")
}

// decoderOf returns what turns bytes of the named encoding into UTF-8, nil for
// UTF-8 itself. No decoder ever puts a substitute in place of a byte: x/text
// does, so its tables are used and its decoders only where no table is.
func decoderOf(name string) (func(io.Reader) io.Reader, error) {
	n := canonical(name)
	switch n {
	case "utf-8":
		return nil, nil
	case "utf-16", "utf-16le", "utf-16be":
		return func(r io.Reader) io.Reader { return &stepReader{src: r, step: utf16Step(n == "utf-16be")} }, nil
	}
	enc, err := ianaindex.IANA.Encoding(n)
	if err != nil || enc == nil || enc == encoding.Replacement {
		return nil, fmt.Errorf("reading files: encoding %q is not known; use an IANA name such as utf-8, latin1, windows-1252 or utf-16", name)
	}
	if table, ok := enc.(*charmap.Charmap); ok {
		return func(r io.Reader) io.Reader { return &stepReader{src: r, step: tableStep(n, table)} }, nil
	}
	return func(r io.Reader) io.Reader { return noSubstitutes{transform.NewReader(r, enc.NewDecoder())} }, nil
}

// decode drops the byte order mark, which must agree with the encoding named.
func decode(r io.Reader, head []byte, name string) (io.Reader, error) {
	n := canonical(name)
	mark, size := markOf(head)
	switch {
	case mark == "utf-32":
		return nil, errors.New("line 1: the file starts with a UTF-32 byte order mark; convert it to UTF-8")
	case n == "utf-16" && mark == "":
		return nil, errors.New("line 1: there is no byte order mark to tell the two kinds of UTF-16 apart; give --encoding utf-16le or utf-16be")
	case mark != "" && mark != n && (n != "utf-16" || !strings.HasPrefix(mark, n)):
		name := strings.ToUpper(strings.TrimRight(mark, "lbe"))
		return nil, fmt.Errorf("line 1: the file starts with a %s byte order mark, so it is not %s; give --encoding %s", name, n, strings.ToLower(name))
	case n == "utf-16":
		n = mark
	}
	if _, err := io.CopyN(io.Discard, r, int64(size)); err != nil {
		return nil, err
	}
	to, err := decoderOf(n)
	if err != nil || to == nil {
		return r, err
	}
	return to(r), nil
}

func markOf(head []byte) (name string, size int) {
	switch s := string(head); {
	case strings.HasPrefix(s, "\xef\xbb\xbf"):
		return "utf-8", 3
	case s == "\xff\xfe\x00\x00" || s == "\x00\x00\xfe\xff":
		return "utf-32", 4
	case strings.HasPrefix(s, "\xff\xfe"):
		return "utf-16le", 2
	case strings.HasPrefix(s, "\xfe\xff"):
		return "utf-16be", 2
	}
	return "", 0
}

// step appends the text of src to dst and returns how many bytes it used. It
// may leave the start of an unfinished character, unless last. On an error dst
// holds everything before the bad bytes, so that the reader knows their line.
type step func(dst, src []byte, last bool) (out []byte, used int, err error)

type stepReader struct {
	src  io.Reader
	step step
	in   []byte // read, not decoded
	out  []byte // decoded, not handed out
	buf  []byte
	err  error
}

func (r *stepReader) Read(p []byte) (int, error) {
	if r.buf == nil {
		r.buf = make([]byte, 0, 96<<10)
		r.in = make([]byte, 0, 32<<10)
	}
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		n, err := r.src.Read(r.in[len(r.in):cap(r.in)])
		r.in = r.in[:len(r.in)+n]
		out, used, bad := r.step(r.buf[:0], r.in, errors.Is(err, io.EOF))
		r.in = r.in[:copy(r.in, r.in[used:])]
		r.out, r.buf, r.err = out, out[:0], err
		if bad != nil {
			r.err = bad
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// tableStep decodes one byte a character. A byte without a character, or whose
// character is a C1 control (0x80 to 0x9F read as ISO 8859), is refused: real
// files do not hold them, and casting would trim a Euro sign read so.
func tableStep(name string, table *charmap.Charmap) step {
	var text [256]string
	for b := range text {
		if c := table.DecodeByte(byte(b)); c != utf8.RuneError && (c < 0x80 || c > 0x9f) {
			text[b] = string(c)
		}
	}
	example := " (for example windows-1252)"
	if strings.HasPrefix(name, "windows-") {
		example = ""
	}
	return func(dst, src []byte, _ bool) ([]byte, int, error) {
		for i, b := range src {
			if text[b] == "" {
				return dst, i, fmt.Errorf("byte 0x%02X is no character of %s; name the right encoding with --encoding%s", b, name, example)
			}
			dst = append(dst, text[b]...)
		}
		return dst, len(src), nil
	}
}

func utf16Step(big bool) step {
	unit := func(p []byte) rune {
		if big {
			return rune(p[0])<<8 | rune(p[1])
		}
		return rune(p[1])<<8 | rune(p[0])
	}
	return func(dst, src []byte, last bool) ([]byte, int, error) {
		i := 0
		for ; i+1 < len(src); i += 2 {
			c := unit(src[i:])
			if utf16.IsSurrogate(c) {
				if i+3 >= len(src) && !last {
					break
				}
				pair := rune(utf8.RuneError)
				if i+3 < len(src) {
					pair = utf16.DecodeRune(c, unit(src[i+2:]))
				}
				if pair == utf8.RuneError {
					return dst, i, fmt.Errorf("0x%04X is half a character of UTF-16; the file is damaged, or not UTF-16", c)
				}
				c, i = pair, i+2
			}
			dst = utf8.AppendRune(dst, c)
		}
		if last && len(src)-i == 1 {
			return dst, i, errors.New("half a unit of UTF-16 is at the end; the file is cut off, or not UTF-16")
		}
		return dst, i, nil
	}
}

// noSubstitutes marks a decoder of x/text, which writes U+FFFD for what it
// cannot read; the text buffer then refuses that character.
type noSubstitutes struct{ io.Reader }
