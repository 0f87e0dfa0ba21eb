package land

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
)

func TestEncodings(t *testing.T) {
	text := "id,label\r\n1,\"café\r\n\"\n2,x\n"
	wide := "id,label\n1,日本😀\n"
	latin := strings.ReplaceAll(text, "é", "\xe9")
	for name, test := range map[string]struct{ name, text, enc, want string }{
		"utf-8":                    {"f.csv", text, "", "café\r\n"},
		"utf-8 with a mark":        {"f.csv", "\xef\xbb\xbf" + text, "UTF8", "café\r\n"},
		"latin1":                   {"f.csv", latin, "latin1", "café\r\n"},
		"iso-8859-1":               {"f.csv", latin, "ISO-8859-1", "café\r\n"},
		"latin1 in gzip":           {"f.csv.gz", gz(latin), "latin-1", "café\r\n"},
		"two gzip members":         {"f.csv.GZ", gz(text[:9]) + gz(text[9:]), "", "café\r\n"},
		"windows-1252":             {"f.csv", "id,label\n1,\x80\n", "Windows-1252", "€"},
		"utf-16 little":            {"f.csv", "\xff\xfe" + inUTF16(wide, false), "utf-16", "日本😀"},
		"utf-16 big":               {"f.csv", "\xfe\xff" + inUTF16(wide, true), "utf_16", "日本😀"},
		"utf-16le":                 {"f.csv", inUTF16(wide, false), "utf-16le", "日本😀"},
		"utf-16be with a mark":     {"f.csv", "\xfe\xff" + inUTF16(wide, true), "utf-16be", "日本😀"},
		"shift_jis":                {"f.csv", "id,label\n1,\x93\xfa\x96\x7b\n", "Shift_JIS", "日本"},
		"a mark inside is a value": {"f.csv", "id,label\n1,\uFEFFx\n", "", "\uFEFFx"},
	} {
		t.Run(name, func(t *testing.T) {
			columns, all, err := rows(t, Options{Encoding: test.enc}, writeFile(t, test.name, test.text))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(columns, []string{"id", "label"}) || all[0][0] != "1" || all[0][1] != test.want {
				t.Errorf("got %q %q", columns, all)
			}
		})
	}
}

// TestEveryByte holds that a table encoding loses no byte it accepts: over a
// file larger than every buffer, each byte comes back as its own character.
func TestEveryByte(t *testing.T) {
	var file, want strings.Builder
	file.WriteString("v\n")
	for i := range 300_000 {
		b := byte(0xa0 + i%0x60)
		file.WriteByte(b)
		want.WriteRune(rune(b))
	}
	_, all, err := rows(t, Options{Encoding: "latin1"}, writeFile(t, "f.csv", file.String()))
	if err != nil || len(all) != 1 || all[0][0] != want.String() {
		t.Errorf("%d rows, %v", len(all), err)
	}
	text := strings.Repeat("é日😀x", 100_000)
	_, all, err = rows(t, Options{Encoding: "utf-16"}, writeFile(t, "g.csv", "\xff\xfe"+inUTF16("v\n"+text, false)))
	if err != nil || len(all) != 1 || all[0][0] != text {
		t.Errorf("utf-16: %d rows, %v", len(all), err)
	}
}

// FuzzDecode holds that what is decoded at all can be turned back into the very
// bytes of the file.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"a,b\n", "\xff\xfea\x00", "\xfe\xff\x00a", "\x3d\xd8\x00\xde", "\x3d\xd8", "\x80\x81\xe9", "\xef\xbb\xbfa", "\x00\x00\xfe\xff", "\xfd\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		head := in[:min(4, len(in))]
		if mark, _ := markOf(head); mark != "" {
			return
		}
		for _, name := range []string{"latin1", "windows-1252", "utf-16le", "utf-16be"} {
			r, err := decode(iotest.HalfReader(bytes.NewReader(in)), head, name)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				continue
			}
			back := ""
			switch name {
			case "latin1":
				back, err = charmap.ISO8859_1.NewEncoder().String(string(text))
			case "windows-1252":
				back, err = charmap.Windows1252.NewEncoder().String(string(text))
			default:
				back = inUTF16(string(text), name == "utf-16be")
			}
			if err != nil || back != string(in) {
				t.Errorf("%s: %q became %q, which is %q, %v", name, in, text, back, err)
			}
		}
	})
}
