package land

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func gz(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text) // a bytes.Buffer takes everything
	_ = z.Close()
	return b.String()
}

func inUTF16(text string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

// rows lands files and returns all rows.
func rows(t *testing.T, opts Options, paths ...string) (columns []string, all [][]any, err error) {
	t.Helper()
	files, err := Scan(t.Context(), paths, opts)
	if err != nil {
		return nil, nil, err
	}
	if columns, err = Columns(files); err != nil {
		return nil, nil, err
	}
	var s collect
	counts, err := Land(t.Context(), files, columns, opts, &s)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range s {
		all = append(all, c...)
	}
	if int(counts.Rows) != len(all) || int(counts.Chunks) != len(s) {
		t.Errorf("counts %+v, %d rows in %d chunks came", counts, len(all), len(s))
	}
	return columns, all, nil
}

type collect [][][]any

func (c *collect) Chunk(_ context.Context, rows [][]any) error {
	*c = append(*c, rows)
	return nil
}

func TestJoinByName(t *testing.T) {
	a := writeFile(t, "a.csv", "id,Amount\n1,2\nbad\n")
	b := writeFile(t, "b.csv", "AMOUNT,note,ID\n3,x,4\n")
	c := writeFile(t, "c.tsv", "id\tzone\n5\t6,7\n")
	columns, all, err := rows(t, Options{}, a, b, c)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"id", "Amount", "note", "zone"}; !slices.Equal(columns, want) {
		t.Fatalf("got %q, want %q", columns, want)
	}
	name := func(p string) any { return filepath.ToSlash(p) }
	want := [][]any{
		{"1", "2", nil, nil, name(a), int64(2), nil},
		{nil, nil, nil, nil, name(a), int64(3), "bad"},
		{"4", "3", "x", nil, name(b), int64(2), nil},
		{"5", nil, nil, "6,7", name(c), int64(2), nil},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("got  %v\nwant %v", all, want)
	}
}

func TestLandColumns(t *testing.T) {
	files, err := Scan(t.Context(), []string{writeFile(t, "a.csv", "id,x\n1,2\n")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var s collect
	if _, err := Land(t.Context(), files, []string{"X", "old", "ID"}, Options{}, &s); err != nil || s[0][0][0] != "2" || s[0][0][1] != nil || s[0][0][2] != "1" {
		t.Errorf("a table's own columns: %v, %v", s, err)
	}
	if _, err := Land(t.Context(), files, []string{"id"}, Options{}, &s); err == nil {
		t.Error("a column that has no place: accepted")
	}
	opts := Options{Delimiter: '→'}
	if _, all, err := rows(t, opts, writeFile(t, "a.csv", "id→x\n1→\"2→\"\n")); err != nil || all[0][1] != "2→" {
		t.Errorf("a delimiter of several bytes: %v, %v", all, err)
	}
	if _, err := Columns([]File{{Header: make([]string, 1)}, {Header: manyNames()}}); err == nil {
		t.Error("too many columns together: accepted")
	}
}

func manyNames() []string {
	names := make([]string, maxColumns)
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	return names
}

func TestChunkBounds(t *testing.T) {
	var in strings.Builder
	in.WriteString("id,v\n")
	for i := range 1000 {
		fmt.Fprintf(&in, "%d,%s\n", i, strings.Repeat("x", i%50))
	}
	in.WriteString("big," + strings.Repeat("y", 5000) + "\nlast,\n")
	files, err := Scan(t.Context(), []string{writeFile(t, "a.csv", in.String())}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var s collect
	opts := Options{ChunkBytes: 2000, ChunkRows: 15}
	counts, err := Land(t.Context(), files, files[0].Header, opts, &s)
	if err != nil || counts.Rows != 1002 || int(counts.Chunks) != len(s) {
		t.Fatalf("%+v, %v", counts, err)
	}
	next := 0
	for _, chunk := range s {
		size := 0
		for _, row := range chunk {
			if row[2] != files[0].Name || row[3] != int64(next+2) {
				t.Fatalf("row %d is out of order: %v", next, row)
			}
			next++
			size += len(row[0].(string)) + len(row[1].(string)) + len(files[0].Name)
		}
		if len(chunk) == 0 || len(chunk) > opts.ChunkRows || size > opts.ChunkBytes && len(chunk) > 1 {
			t.Errorf("a chunk of %d rows, %d bytes", len(chunk), size)
		}
	}
	if next != 1002 {
		t.Errorf("%d rows came", next)
	}
}

type failing struct{ err error }

func (f failing) Chunk(context.Context, [][]any) error { return f.err }

func TestLandStops(t *testing.T) {
	path := writeFile(t, "a.csv", "id,v\n1,2\n3,4\n")
	files, err := Scan(t.Context(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("the server is full")
	if _, err := Land(t.Context(), files, files[0].Header, Options{}, failing{full}); !errors.Is(err, full) {
		t.Errorf("an error of the sink: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Land(ended, files, files[0].Header, Options{}, failing{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
	if _, err := Scan(ended, []string{path}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

func TestChangedFile(t *testing.T) {
	text := "id,v\n1,2\n3,4\n"
	for name, change := range map[string]struct {
		text string
		keep bool // the modification time
	}{
		"longer":                   {text + "5,6\n", true},
		"touched":                  {text, false},
		"other bytes, same length": {"id,v\n1,2\n3,5\n", true},
		"other header":             {"id_v\n1,2\n3,4\n", true},
		"no header any more":       {strings.Repeat("\n", len(text)), true},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, "a.csv", text)
			files, err := Scan(t.Context(), []string{path}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(change.text), 0o600); err != nil {
				t.Fatal(err)
			}
			at := files[0].Modified
			if !change.keep {
				at = at.Add(time.Second)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
			_, err = Land(t.Context(), files, []string{"id", "v"}, Options{}, &collect{})
			if !errors.Is(err, ErrChanged) && name != "no header any more" || err == nil {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestConservation holds that every record of a dirty file lands once.
func TestConservation(t *testing.T) {
	lines := []string{"1,2", "1", "", "\"a\nb\",c", "\"x", "5\",6", "1,2,3", `"a"b,c`, "\"\",", "é,\"ü\""}
	for seed := range 200 {
		var in strings.Builder
		in.WriteString("a,b\n")
		for i := range 30 {
			in.WriteString(lines[(seed*7+i*i*(seed%11+1)+i)%len(lines)] + "\n")
		}
		path := writeFile(t, "dirty.csv", in.String())
		files, err := Scan(t.Context(), []string{path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, all, err := rows(t, Options{ChunkRows: 7}, path)
		if err != nil || int64(len(all)) != files[0].Records {
			t.Fatalf("seed %d: %d of %d rows, %v", seed, len(all), files[0].Records, err)
		}
		last := int64(1)
		for _, row := range all {
			if line := row[3].(int64); line <= last || (row[4] != nil) == (row[0] != nil) {
				t.Fatalf("seed %d: row %v after line %d", seed, row, last)
			} else {
				last = line
			}
		}
	}
}

// TestFlights reads the real files as encoding/csv does.
func TestFlights(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/data/flights/*.csv")
	if err != nil || len(paths) == 0 {
		t.Skip("the flight records are not on this machine")
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		columns, all, err := rows(t, Options{}, path)
		if err != nil || len(all) != len(want)-1 || !slices.Equal(columns, want[0]) {
			t.Fatalf("%s: %d rows of %d, %v", path, len(all), len(want)-1, err)
		}
		for i, row := range all {
			for j, v := range want[i+1] {
				if row[j] != v {
					t.Fatalf("%s, row %d: got %v, want %q", path, i, row, want[i+1])
				}
			}
		}
	}
}
