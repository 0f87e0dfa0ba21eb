package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file or a pipe holds plain SQL; a person reads it in colour, by the pager.
func TestRead(t *testing.T) {
	const sql = "SELECT 'it''s' AS a -- why\nFROM t;\n"
	for name, one := range map[string]struct {
		env          Env
		vars         map[string]string
		plain, shown bool
	}{
		"a pipe":               {env: Env{}, plain: true},
		"a terminal":           {env: Env{Reader: true}, vars: map[string]string{"PAGER": "cat"}},
		"no colour":            {env: Env{Reader: true}, vars: map[string]string{"PAGER": "cat", "NO_COLOR": "1"}, plain: true},
		"a dumb terminal":      {env: Env{Reader: true, NoPager: true}, vars: map[string]string{"TERM": "dumb"}, plain: true},
		"a pager that is gone": {env: Env{Reader: true}, vars: map[string]string{"PAGER": "no-such-pager -x"}},
		"a pager that is left": {env: Env{Reader: true}, vars: map[string]string{"PAGER": "sed 1q", "NO_COLOR": "1"}, shown: true},
	} {
		var out bytes.Buffer
		one.env.Stdout, one.env.Stderr = &out, &out
		one.env.Getenv = func(name string) string { return one.vars[name] }
		if err := one.env.read(t.Context(), []byte(sql)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		coloured := strings.Contains(out.String(), "\x1b[")
		switch {
		case one.shown && out.String() != strings.SplitAfter(sql, "\n")[0]:
			t.Errorf("%s: %q", name, out.String())
		case one.plain && out.String() != sql:
			t.Errorf("%s: %q", name, out.String())
		case !one.plain && !one.shown && !coloured:
			t.Errorf("%s: no colour in %q", name, out.String())
		}
	}
}

// A pager gets the file that standard output is, also through the whole command line:
// behind a pipe it would not page.
func TestPagerGetsTheFile(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b := newBench()
	b.Stdout, b.Reader = file, true
	script := filepath.Join(t.TempDir(), "pager")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncat > /dev/null\nif test -f /dev/fd/1; then echo a file; else echo a pipe; fi\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.vars["PAGER"] = script
	if code := b.main("plan", orders); code != 0 {
		t.Fatalf("plan exits %d: %s", code, b.err.String())
	}
	if text, err := os.ReadFile(file.Name()); err != nil || string(text) != "a file\n" {
		t.Errorf("the pager writes to %s (%v)", text, err)
	}
}
