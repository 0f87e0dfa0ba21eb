package land

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestScanRefuses(t *testing.T) {
	latin, err := base64.StdEncoding.DecodeString("aWQsbGFiZWwsY2hhbmdlZF9hdAoxLG9rLDIwMjYtMDMtMDEgMDk6MDA6MDAKMixjYWbpLDIwMjYtMDMtMDEgMDk6MDA6MDAK")
	if err != nil {
		t.Fatal(err)
	}
	wide := strings.TrimSuffix(strings.Repeat("c,", maxColumns+1), ",")
	tests := map[string]struct {
		name, text string
		opts       Options
		want       []string // all in the message
	}{
		"case 01, latin1 as utf-8":  {"labels.csv", string(latin), Options{}, []string{"labels.csv", "line 3", "0xE9", "--encoding"}},
		"bad byte far into a file":  {"f.csv", "a,b\n" + strings.Repeat("1,\"2\n\"\n", 100_000) + "\xe9,1\n", Options{}, []string{"line 200002", "0xE9"}},
		"character cut off at end":  {"f.csv", "a\n1\n\xe2\x82", Options{}, []string{"line 3", "0xE2"}},
		"surrogate in utf-8":        {"f.csv", "a\n\xed\xa0\x80\n", Options{}, []string{"line 2", "0xED"}},
		"nul":                       {"f.csv", "a,b\n1,\x00\n", Options{}, []string{"line 2", "NUL"}},
		"nul before a bad byte":     {"f.csv", "a,b\n1,\x00\n\xe9", Options{}, []string{"line 2", "NUL"}},
		"bad byte before a nul":     {"f.csv", "a,b\n1,\xe9\n\x00", Options{}, []string{"line 2", "0xE9"}},
		"utf-16 by its mark":        {"f.csv", "\xff\xfe" + inUTF16("a,b\n", false), Options{}, []string{"line 1", "--encoding utf-16"}},
		"utf-16 without a mark":     {"f.csv", inUTF16("a,b\n", false), Options{}, []string{"line 1", "utf-16le"}},
		"utf-16 named, no mark":     {"f.csv", inUTF16("a,b\n", false), Options{Encoding: "UTF-16"}, []string{"line 1", "utf-16le or utf-16be"}},
		"utf-16le, big-endian mark": {"f.csv", "\xfe\xff" + inUTF16("a,b\n", true), Options{Encoding: "utf-16le"}, []string{"byte order mark", "utf-16"}},
		"utf-32":                    {"f.csv", "\xff\xfe\x00\x00a\x00\x00\x00", Options{}, []string{"UTF-32"}},
		"half a surrogate":          {"f.csv", "\xff\xfe" + inUTF16("a\n1\n", false) + "\x3d\xd8\x0a\x00", Options{Encoding: "utf-16"}, []string{"line 3", "0xD83D"}},
		"half a surrogate at end":   {"f.csv", inUTF16("a\n1\n", true) + "\xd8\x3d", Options{Encoding: "utf-16be"}, []string{"line 3", "0xD83D"}},
		"half a unit":               {"f.csv", inUTF16("a\n1\n", true) + "\x00", Options{Encoding: "utf-16be"}, []string{"line 3", "cut off"}},
		"utf-8 mark, latin1 named":  {"f.csv", "\xef\xbb\xbfa,b\n", Options{Encoding: "latin1"}, []string{"UTF-8 byte order mark", "--encoding utf-8"}},
		"not in windows-1252":       {"f.csv", "a\n\x81\n", Options{Encoding: "cp1252"}, []string{"line 2", "0x81", "windows-1252"}},
		"euro sign read as latin1":  {"f.csv", "a\n1\n\x80\n", Options{Encoding: "latin1"}, []string{"line 3", "0x80", "latin1", "windows-1252"}},
		"not in shift_jis":          {"f.csv", "a\n1\n\x81\xff\n", Options{Encoding: "shift_jis"}, []string{"line 3", "--encoding"}},
		"not in ascii":              {"f.csv", "a\n1\n\xe9\n", Options{Encoding: "ascii"}, []string{"line 3"}},
		"unknown encoding":          {"f.csv", "a\n", Options{Encoding: "klingon"}, []string{`"klingon"`}},
		"impossible delimiter":      {"f.csv", "a\n", Options{Delimiter: '"'}, []string{"delimiter"}},
		"empty file":                {"f.csv", "", Options{}, []string{"no header"}},
		"empty file in latin1":      {"f.csv", "", Options{Encoding: "latin1"}, []string{"no header"}},
		"only a mark":               {"f.csv", "\xef\xbb\xbf", Options{}, []string{"no header"}},
		"only blank lines":          {"f.csv", "\n\r\n", Options{}, []string{"no header"}},
		"empty gzip":                {"f.csv.gz", gz(""), Options{}, []string{"no header"}},
		"unnamed column":            {"f.csv", "a,,b,\n", Options{}, []string{"line 1", "column 2", "column 4"}},
		"duplicate":                 {"f.csv", "\nId,x, iD\n", Options{}, []string{"line 2", "1 and 3", "iD"}},
		"reserved":                  {"f.csv", "id,_BATCH_id\n", Options{Reserved: []string{"_batch_id"}}, []string{"column 2", "_BATCH_id"}},
		"space":                     {"f.csv", "order id\n", Options{}, []string{"a space", "rename"}},
		"other delimiter":           {"f.csv", "id;name\n1;x\n", Options{}, []string{"--delimiter ';'"}},
		"tabs":                      {"f.csv", "id\tname\n", Options{}, []string{`--delimiter '\t'`}},
		"equals sign":               {"f.csv", "a=b\n", Options{}, []string{"'='"}},
		"line break in a name":      {"f.csv", "\"a\nb\",c\n", Options{}, []string{`'\n'`}},
		"cr line ends":              {"f.csv", "id,name\r1,x\r2,y\r", Options{}, []string{"CR"}},
		"control character":         {"f.csv", "a\u0085b\n", Options{}, []string{"line 1"}},
		"too many columns":          {"f.csv", wide + "\n", Options{}, []string{"10001 columns"}},
		"broken header":             {"f.csv", "a,\"b\n1,2\n", Options{}, []string{"line 1", "quoting of the header"}},
		"no separator":              {"f.csv", "a\n" + strings.Repeat("x", 200), Options{MaxRecord: 100}, []string{"line 2", "100 bytes"}},
		"json":                      {"f.json", "{}", Options{}, []string{".json"}},
		"json lines in gzip":        {"f.ndjson.gz", gz("{}"), Options{}, []string{".ndjson"}},
		"parquet":                   {"f.PARQUET", "PAR1", Options{}, []string{"parquet"}},
		"parquet named csv":         {"f.csv", "PAR1....", Options{}, []string{"parquet"}},
		"gzip named csv":            {"f.csv", gz("a\n"), Options{}, []string{"gzip"}},
		"csv named gzip":            {"f.csv.gz", "a,b\n1,2\n3,4\n", Options{}, []string{"unpacking", "gzip"}},
		"gzip cut off":              {"f.csv.gz", strings.TrimSuffix(gz("a\n1\n2\n"), "\x00"), Options{}, []string{"line ", "unexpected EOF"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, test.name, test.text)
			files, err := Scan(t.Context(), []string{path}, test.opts)
			if err == nil {
				t.Fatalf("accepted: %+v", files)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
		})
	}
}

func TestScanRefusesPaths(t *testing.T) {
	good := writeFile(t, "good.csv", "a\n1\n")
	link := filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink(good, link); err != nil {
		t.Skip(err)
	}
	for path, isURI := range map[string]bool{
		"-": false, "s3://b/k.csv": true, "abfss://c@a/k.csv": true, "file:///tmp/x.csv": true, "dbfs:/x.csv": true, "x.parquet": false, "caf\xe9.csv": false,
	} {
		_, err := Scan(t.Context(), []string{path}, Options{})
		var u *UnsupportedError
		if !errors.As(err, &u) || u.URI != isURI || u.Path != path {
			t.Errorf("%q: %v", path, err)
		}
	}
	for name, paths := range map[string][]string{"none": {}, "missing": {good + "x"}, "folder": {filepath.Dir(good)}, "device": {os.DevNull}, "twice": {good, good}, "linked": {good, link}} {
		if _, err := Scan(t.Context(), paths, Options{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	// All bad files are named, and a good one among them does not help.
	_, err := Scan(t.Context(), []string{good, writeFile(t, "bad1.csv", "a\n\xff"), writeFile(t, "bad2.csv", "")}, Options{})
	if err == nil || !strings.Contains(err.Error(), "bad1.csv") || !strings.Contains(err.Error(), "bad2.csv") || strings.Contains(err.Error(), "good.csv") {
		t.Errorf("two bad files: %v", err)
	}
}

func TestScanCounts(t *testing.T) {
	path := writeFile(t, "orders.csv", "id, Amount ,note\n1,2,3\n\n1,2\n1,\"2\n3\",x\n\"\n\n")
	files, err := Scan(t.Context(), []string{filepath.Dir(path) + "/./orders.csv"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := files[0]
	if !slices.Equal(f.Header, []string{"id", "Amount", "note"}) || f.Records != 4 || f.Malformed != 2 || f.FirstMalformed != 4 || f.Blank != 1 {
		t.Errorf("got %+v", f)
	}
	if f.Name != filepath.ToSlash(path) || f.Bytes != 41 || len(f.SHA256) != 64 {
		t.Errorf("got %+v", f)
	}
}
