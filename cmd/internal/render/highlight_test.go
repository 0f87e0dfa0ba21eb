package render

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Colours add nothing and take nothing away, whatever the statement holds.
func TestHighlightKeepsTheText(t *testing.T) {
	files, err := filepath.Glob("../../../sql/*/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no statements: %v", err)
	}
	texts := map[string][]byte{"hostile": []byte("SELECT 'it\\'s', `a``b` -- \u202e \x07\n/* open"), "empty": nil}
	for _, path := range files {
		if texts[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	colour := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for name, text := range texts {
		var out bytes.Buffer
		if err := Highlight(&out, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := colour.ReplaceAll(out.Bytes(), nil); !bytes.Equal(got, text) {
			t.Errorf("%s is another text", name)
		}
		if len(text) > 100 && !colour.Match(out.Bytes()) {
			t.Errorf("%s has no colour", name)
		}
	}
}

func TestHighlightDiff(t *testing.T) {
	var out bytes.Buffer
	if err := HighlightDiff(&out, []byte("--- a\n+++ b\n@@ -1 +1 @@\n same\n-old\n+new\nlast")); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[1m--- a\x1b[0m\n\x1b[1m+++ b\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n same\n\x1b[31m-old\x1b[0m\n\x1b[32m+new\x1b[0m\nlast\n"
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}
