package land

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// got is a record in a form that compares: fields, or the malformed text.
type got struct {
	line int64
	vals []string
	raw  string
	bad  bool
}

func ok(line int64, vals ...string) got     { return got{line: line, vals: vals} }
func malformed(line int64, raw string) got  { return got{line: line, raw: raw, bad: true} }
func whole(s string) io.Reader              { return strings.NewReader(s) }
func readerOf(src io.Reader, m int) *reader { return newReader(&source{Reader: src}, ',', m) }

// readAll returns the header, the records and the number of blank lines. The
// buffer starts tiny, so that every growth and move of it is taken.
func readAll(src io.Reader, limit int) (header []string, recs []got, blanks int64, err error) {
	r := readerOf(src, limit)
	r.src.buf = make([]byte, 16)
	if header, err = r.header(nil); err != nil {
		return nil, nil, 0, err
	}
	for {
		err := r.next()
		if errors.Is(err, io.EOF) {
			return header, recs, r.blanks, nil
		}
		if err != nil {
			return header, recs, r.blanks, err
		}
		rec := r.record()
		g := got{line: rec.Line, vals: slices.Clone(rec.Fields)}
		if rec.Malformed != nil {
			g.raw, g.bad = *rec.Malformed, true
		}
		recs = append(recs, g)
	}
}

func TestRecords(t *testing.T) {
	tests := map[string]struct {
		in     string
		want   []got
		blanks int64
	}{
		"plain":                           {"a,b\n1,2\n3,4\n", []got{ok(2, "1", "2"), ok(3, "3", "4")}, 0},
		"no newline at the end":           {"a,b\n1,2", []got{ok(2, "1", "2")}, 0},
		"crlf":                            {"a,b\r\n1,2\r\n\"3\",\"4\"\r\n", []got{ok(2, "1", "2"), ok(3, "3", "4")}, 0},
		"mixed line ends":                 {"a,b\r\n1,2\n3,4\r\n", []got{ok(2, "1", "2"), ok(3, "3", "4")}, 0},
		"cr at the end of the file":       {"a,b\r\n1,2\r", []got{ok(2, "1", "2")}, 0},
		"lone cr is data":                 {"a,b\n1\r,2\r\r\n", []got{ok(2, "1\r", "2\r")}, 0},
		"header only":                     {"a,b\n", nil, 0},
		"header without newline":          {"a,b", nil, 0},
		"empty fields are text":           {"a,b,c\n,\"\",\n", []got{ok(2, "", "", "")}, 0},
		"spaces are kept":                 {"a,b\n 1 ,\t2 \n", []got{ok(2, " 1 ", "\t2 ")}, 0},
		"delimiter in quotes":             {"a,b\n\"1,5\",2\n", []got{ok(2, "1,5", "2")}, 0},
		"doubled quotes":                  {"a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n", []got{ok(2, `say "hi"`, `"`)}, 0},
		"line breaks kept byte for byte":  {"a,b\n\"1\r\n2\n3\r4\",x\n5,6\n", []got{ok(2, "1\r\n2\n3\r4", "x"), ok(5, "5", "6")}, 0},
		"blank lines inside quotes":       {"a,b\n\"1\n\n\",x\n", []got{ok(2, "1\n\n", "x")}, 0},
		"quoted to the end of the file":   {"a,b\n1,\"2\"", []got{ok(2, "1", "2")}, 0},
		"quoted empty last field at eof":  {"a,b\n\"1\",", []got{ok(2, "1", "")}, 0},
		"cr after a closing quote at eof": {"a,b\n1,\"2\"\r", []got{ok(2, "1", "2")}, 0},
		"quoted header":                   {"\"a\",\"b\"\n1,2\n", []got{ok(2, "1", "2")}, 0},
		"letters of several bytes":        {"a,b\nZürich,\"日本,語\"\n", []got{ok(2, "Zürich", "日本,語")}, 0},
		"u+fffd as sent":                  {"a,b\n\uFFFD,2\n", []got{ok(2, "\uFFFD", "2")}, 0},
		"too few":                         {"a,b\n1\n3,4\n", []got{malformed(2, "1"), ok(3, "3", "4")}, 0},
		"too many":                        {"a,b\n1,2,3\r\n3,4\n", []got{malformed(2, "1,2,3"), ok(3, "3", "4")}, 0},
		"delimiter at the end":            {"a,b\n1,2,\n", []got{malformed(2, "1,2,")}, 0},
		"spaces alone are a record":       {"a,b\n  \n", []got{malformed(2, "  ")}, 0},
		"too many over several lines":     {"a,b\n1,\"x\r\ny\",3\r\n4,5\n", []got{malformed(2, "1,\"x\r\ny\",3"), ok(4, "4", "5")}, 0},
		"bare quote":                      {"a,b\n1,5\" nail\n3,4\n", []got{malformed(2, `1,5" nail`), ok(3, "3", "4")}, 0},
		"space before a quote":            {"a,b\n1, \"x\"\n3,4\n", []got{malformed(2, `1, "x"`), ok(3, "3", "4")}, 0},
		"text after a closing quote":      {"a,b\n1,\"x\"y\n3,4\n", []got{malformed(2, `1,"x"y`), ok(3, "3", "4")}, 0},
		"space after a closing quote":     {"a,b\n\"1\" ,2\n", []got{malformed(2, `"1" ,2`)}, 0},
		"unterminated, nothing quoted":    {"a,b\n1,\"x\n3,4\n5,6\n", []got{malformed(2, `1,"x`), ok(3, "3", "4"), ok(4, "5", "6")}, 0},
		"unterminated, crlf":              {"a,b\r\n1,\"x\r\n3,4\r\n", []got{malformed(2, `1,"x`), ok(3, "3", "4")}, 0},
		"unterminated, a later line quoted": {
			"a,b\n1,\"x\n3,4\n5,\"y\"\n7,8\n",
			[]got{malformed(2, `1,"x`), ok(3, "3", "4"), ok(4, "5", "y"), ok(5, "7", "8")},
			0,
		},
		"unterminated on the last line":   {"a,b\n1,2\n3,\"x", []got{ok(2, "1", "2"), malformed(3, `3,"x`)}, 0},
		"only a quote":                    {"a,b\n\"", []got{malformed(2, `"`)}, 0},
		"bare quote after quoted lines":   {"a,b\n\"x\ny\",5\"\n3,4\n", []got{malformed(2, `"x`), malformed(3, `y",5"`), ok(4, "3", "4")}, 0},
		"blank lines":                     {"a,b\n\n1,2\n\r\n\n3,4\n\n\n", []got{ok(3, "1", "2"), ok(6, "3", "4")}, 3},
		"blank lines before the header":   {"\n\na,b\n1,2\n", []got{ok(4, "1", "2")}, 2},
		"one column":                      {"a\n1\n\n\"\"\n3\n\n", []got{ok(2, "1"), ok(3, ""), ok(4, ""), ok(5, "3"), ok(6, "")}, 0},
		"one column, too many":            {"a\n1,2\n", []got{malformed(2, "1,2")}, 0},
		"header row again":                {"a,b\na,b\n", []got{ok(2, "a", "b")}, 0},
		"header of several physical line": {"\"a\n\",b\n1,2\n", []got{ok(3, "1", "2")}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for how, src := range map[string]io.Reader{
				"whole": whole(test.in), "bytes": iotest.OneByteReader(whole(test.in)), "eof with data": iotest.DataErrReader(whole(test.in)),
			} {
				_, recs, blanks, err := readAll(src, 1<<20)
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				if !reflect.DeepEqual(recs, test.want) || blanks != test.blanks {
					t.Errorf("%s:\n got %v, %d blank\nwant %v, %d blank", how, recs, blanks, test.want, test.blanks)
				}
			}
		})
	}
}

func TestRecordBound(t *testing.T) {
	long := strings.Repeat("x", 99)
	if _, _, _, err := readAll(whole("a,b\n1,2\n3,"+long+"\n"), 100); err == nil || !strings.Contains(err.Error(), "line 3: ") {
		t.Errorf("a long line: %v", err)
	}
	// The outcome of a stray quote does not depend on how much follows it.
	tail := strings.Repeat("3,4\n", 1000)
	_, recs, _, err := readAll(whole("a,b\n1,\"x\n"+tail+"5,\"y\"\n"), 100)
	if err != nil || len(recs) != 1002 || !reflect.DeepEqual(recs[0], malformed(2, `1,"x`)) || recs[1001].bad {
		t.Errorf("a stray quote far from the next: %d records, %v", len(recs), err)
	}
	// A line that goes on for ever after a closing quote is not read whole.
	in := io.MultiReader(whole("a,b\n\"1\n\",2"), iotest.OneByteReader(io.LimitReader(endless{}, 1<<20)))
	r := readerOf(in, 100)
	r.src.buf = make([]byte, 16)
	if _, err := r.header(nil); err != nil {
		t.Fatal(err)
	}
	if err := r.next(); err != nil || !r.broken || len(r.src.buf) > 1024 {
		t.Errorf("a long second line: %v, broken %v, buffer %d", err, r.broken, len(r.src.buf))
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestDelimiters(t *testing.T) {
	for _, d := range []rune{';', '\t', '|', '\x01', '§', '→'} {
		in := strings.ReplaceAll("a^b^c\n1^\"2^\n\"^\n^^3\n1^2\n", "^", string(d))
		r := newReader(&source{Reader: iotest.OneByteReader(whole(in))}, d, 1<<20)
		if _, err := r.header(nil); err != nil {
			t.Fatal(err)
		}
		var all []string
		for r.next() == nil {
			rec := r.record()
			all = append(all, fmt.Sprintf("%q", rec.Fields))
		}
		want := []string{fmt.Sprintf(`["1" %q ""]`, "2"+string(d)+"\n"), `["" "" "3"]`, `[]`}
		if !slices.Equal(all, want) {
			t.Errorf("%q: got %q, want %q", d, all, want)
		}
	}
}

// TestWriterRoundTrip reads back what encoding/csv writes.
func TestWriterRoundTrip(t *testing.T) {
	pieces := []string{"", "a", "1.5", " ", ",", `"`, "\n", "\r\n", "\r", "é", "日本", "\u2028", "\uFEFF", `\`, `\.`, "x,y", `""`, "NA", "\t"}
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		width := 2 + rnd.IntN(5)
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		must(t, w.Write(strings.Split("a,b,c,d,e,f", ",")[:width]))
		var want [][]string
		for range rnd.IntN(40) {
			rec := make([]string, width)
			for i := range rec {
				for range rnd.IntN(4) {
					rec[i] += pieces[rnd.IntN(len(pieces))]
				}
			}
			want = append(want, rec)
			must(t, w.Write(rec))
		}
		w.Flush()
		_, recs, blanks, err := readAll(&file, 1<<20)
		if err != nil || blanks != 0 || len(recs) != len(want) {
			t.Fatalf("seed %d: %d records of %d, %d blank, %v", seed, len(recs), len(want), blanks, err)
		}
		for i := range recs {
			if recs[i].bad || !slices.Equal(recs[i].vals, want[i]) {
				t.Fatalf("seed %d, record %d: got %+v, want %q", seed, i, recs[i], want[i])
			}
		}
	}
}

// model is the rules of reader's comment once more, on a whole text and with
// no care for speed.
func model(in string, width int) (recs []got, blanks int64) {
	lines := strings.SplitAfter(in, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	trim := func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }
	pending := int64(0)
	for i := 0; i < len(lines); {
		raw := trim(lines[i])
		if raw == "" && width != 1 {
			pending++
			i++
			continue
		}
		blanks, pending = blanks+pending, 0
		g, n := malformed(int64(i+1), raw), 1
		for take := 1; i+take <= len(lines); take++ {
			raw := trim(strings.Join(lines[i:i+take], ""))
			vals, state := modelFields(raw)
			if state == "open" {
				continue // the line break is inside quotes, if anything closes them
			}
			if state == "done" {
				n = take
				if g = malformed(int64(i+1), raw); len(vals) == width || width == 0 {
					g = ok(int64(i+1), vals...)
				}
			}
			break
		}
		recs = append(recs, g)
		i += n
	}
	return recs, blanks
}

func modelFields(raw string) (vals []string, state string) {
	for {
		if strings.HasPrefix(raw, `"`) {
			var v strings.Builder
			raw = raw[1:]
			for {
				before, after, found := strings.Cut(raw, `"`)
				if !found {
					return nil, "open"
				}
				v.WriteString(before)
				raw = after
				if !strings.HasPrefix(raw, `"`) {
					break
				}
				v.WriteByte('"')
				raw = raw[1:]
			}
			vals = append(vals, v.String())
			if raw != "" && raw[0] != ',' {
				return nil, "broken"
			}
		} else {
			v, _, _ := strings.Cut(raw, ",")
			if strings.Contains(v, `"`) {
				return nil, "broken"
			}
			vals = append(vals, v)
			raw = raw[len(v):]
		}
		if raw == "" {
			return vals, "done"
		}
		raw = raw[1:]
	}
}

func FuzzRecords(f *testing.F) {
	for _, s := range []string{
		"1,2\n3,4\n", "1,\"x\n3,4\n", "\"\"\"\n\",x\r\n", "\r\n\r", "\"a\"\r\n\"b\"\r", "1,\"2\"3\n", "\n\n1,2\n\n", "\"\r\n\",\"\n", "é,\"ü\n", "\xff\n", "\x00", ",\",\n\",\"\n,",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, body string, wide bool) {
		head, width := "a\n", 1
		if wide {
			head, width = "a,b\n", 2
		}
		in := head + body
		_, recs, blanks, err := readAll(whole(in), 1<<20)
		_, slow, slowBlanks, slowErr := readAll(iotest.OneByteReader(whole(in)), 1<<20)
		if fmt.Sprint(err) != fmt.Sprint(slowErr) {
			t.Fatalf("errors differ by the size of reads: %v, %v", err, slowErr)
		}
		if err != nil {
			return
		}
		if !reflect.DeepEqual(recs, slow) || blanks != slowBlanks {
			t.Fatalf("records differ by the size of reads:\n%v\n%v", recs, slow)
		}
		want, wantBlanks := model(in, width)
		if want = want[1:]; len(recs) == 0 && len(want) == 0 {
			return
		}
		if !reflect.DeepEqual(recs, want) || blanks != wantBlanks {
			t.Fatalf("%q:\n got %v, %d blank\nwant %v, %d blank", in, recs, blanks, want, wantBlanks)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
