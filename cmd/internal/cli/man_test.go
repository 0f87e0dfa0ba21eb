package cli

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"sluice/cmd/internal/render"

	ucli "github.com/urfave/cli/v2"
)

func printedManual(t *testing.T) string {
	t.Helper()
	b := newBench()
	if code := b.main("man"); code != 0 {
		t.Fatalf("man exits %d: %s", code, b.err.String())
	}
	return b.out.String()
}

// The page has every command that does something, its flags and examples, and every
// exit code.
func TestManualIsWhole(t *testing.T) {
	page := printedManual(t)
	sections := map[string]string{}
	for _, part := range strings.Split(page, "\n.SS \"")[1:] {
		title, body, _ := strings.Cut(part, "\"\n")
		sections[title] = body
	}
	commands := 0
	var look func(path string, list []*ucli.Command)
	look = func(path string, list []*ucli.Command) {
		for _, c := range list {
			if len(c.Subcommands) > 0 {
				look(path+" "+c.Name, c.Subcommands)
				continue
			}
			commands++
			title := strings.TrimSpace(path + " " + c.Name + " " + strings.NewReplacer("…", "...", "-", `\-`).Replace(c.ArgsUsage))
			body, found := sections[title]
			if !found || !strings.Contains(body, "Examples:\n") {
				t.Errorf("no section %q with examples", title)
			}
			for _, name := range flagNames(c.Flags) {
				if !strings.Contains(body, `-`+strings.ReplaceAll(name, "-", `\-`)+`\fR`) {
					t.Errorf("%s lacks --%s", title, name)
				}
			}
		}
	}
	look("sluice", App(newBench().Env).Commands)
	if commands < 20 || len(sections) != commands {
		t.Errorf("%d sections, %d commands", len(sections), commands)
	}
	_, exits, _ := strings.Cut(page, ".SH EXIT STATUS")
	for _, code := range []string{"0", "1", "2", "3", "4", "5", "130"} {
		if !strings.Contains(exits, "\\fB"+code+"\\fR\n") {
			t.Errorf("no exit code %s", code)
		}
	}
}

// formatters are what this machine may have, and how each is asked for warnings.
var formatters = [][]string{
	{"groff", "-man", "-Tutf8", "-Kutf8", "-ww"},
	{"mandoc", "-Tlint", "-Wwarning"},
}

// undated is the one warning of mandoc that is meant: a date would make two pages of
// one binary.
var undated = regexp.MustCompile(`^mandoc: <stdin>:1:\d+: WARNING: missing date, using "": TH\n$`)

func formatted(t *testing.T, page string) {
	t.Helper()
	ran := 0
	for _, words := range formatters {
		path, err := exec.LookPath(words[0])
		if err != nil {
			continue
		}
		ran++
		var warnings bytes.Buffer
		cmd := exec.CommandContext(t.Context(), path, words[1:]...)
		cmd.Stdin, cmd.Stderr = strings.NewReader(page), &warnings
		if words[0] == "mandoc" {
			cmd.Stdout = &warnings
		}
		err = cmd.Run()
		if text := warnings.String(); text != "" && !undated.MatchString(text) || text == "" && err != nil {
			t.Errorf("%s: %v\n%s", words[0], err, text)
		}
	}
	if ran == 0 {
		t.Skip("neither groff nor mandoc is installed")
	}
}

func TestManualIsRendered(t *testing.T) { formatted(t, printedManual(t)) }

// No text of a command begins a macro or an escape.
func TestManualHoldsAnyText(t *testing.T) {
	odd := ".so /etc/passwd\n'br\n\\fBx\\n \"q\" ~^` – „ä“\n\n  indented\n\n."
	var out bytes.Buffer
	render.ManPage(&out, render.Man{Name: "x", Usage: odd[:15], Version: `1 "2"`, Synopsis: `.x "y"`, About: odd, Examples: strings.Split(odd, "\n"), Commands: []render.ManCommand{{Name: "x y", Arguments: `"z"…`, Usage: ".u", About: odd, Flags: []render.ManFlag{{Names: []string{"--f"}, Value: ".v", Usage: ".u"}}}}})
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, ".so") || strings.HasPrefix(line, ".x") || strings.HasPrefix(line, "'") || strings.Contains(line, `\n `) || strings.Contains(line, "\\fBx\\n") {
			t.Errorf("a macro or an escape: %s", line)
		}
	}
	formatted(t, out.String())
}
