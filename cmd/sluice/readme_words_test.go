package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/cmd/internal/cli"
	"sluice/contracts"
	"sluice/contracts/fixture"

	ucli "github.com/urfave/cli/v2"
)

// sluiceWords finds what is typed behind the program's name, in code alone, up to what ends a
// command in a shell, in YAML or in prose.
var sluiceWords = regexp.MustCompile("(?m)(?:^|[\\s\"'(`])sluice ((?:[^|&;#\n\"'`)<>]|\"[^\"\n]*\"|'[^'\n]*'|>=)+)")

var inlineCode = regexp.MustCompile("`[^`\n]+`")

// Every sluice command that the manual names, in a block or in prose, exists with its
// flags, also where nothing can run it.
func TestManualCommandsExist(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	app := cli.App(cli.Env{Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }})
	var named []string
	for _, b := range blocks(t) {
		if b.kind != "mermaid" {
			named = append(named, commandsIn(b)...)
		}
	}
	prose := regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(string(text), "")
	for _, code := range inlineCode.FindAllString(prose, -1) {
		for _, m := range sluiceWords.FindAllStringSubmatch(strings.Trim(code, "`"), -1) {
			named = append(named, m[1])
		}
	}
	if len(named) < 100 {
		t.Errorf("found %d commands", len(named))
	}
	for _, words := range named {
		if problem := unknown(app, strings.Fields(words)); problem != "" {
			t.Errorf("README.md: sluice %s: %s", words, problem)
		}
	}
}

// commandsIn leaves out what a transcript shows as printed.
func commandsIn(b block) []string {
	var out []string
	for line := range strings.Lines(b.text) {
		command, typed := strings.CutPrefix(line, "$ ")
		if b.kind == "console" && !typed || strings.HasPrefix(line, "#") {
			continue
		}
		command, _, _ = strings.Cut(command, " # ")
		for _, m := range sluiceWords.FindAllStringSubmatch(command, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// unknown says which word is no command or flag.
func unknown(app *ucli.App, words []string) string {
	commands, flags := app.Commands, app.Flags
	var own *ucli.Command
	for len(words) > 0 && len(commands) > 0 && !strings.HasPrefix(words[0], "-") {
		i := slices.IndexFunc(commands, func(c *ucli.Command) bool { return c.HasName(words[0]) })
		if i < 0 {
			if words[0] == strings.ToUpper(words[0]) || strings.HasPrefix(words[0], `"`) { // sluice COMMAND; logger -t sluice "text"
				return ""
			}
			return "there is no command " + words[0]
		}
		own, words = commands[i], words[1:]
		commands, flags = own.Subcommands, own.Flags
	}
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !strings.HasPrefix(word, "-") || name == "" || name == "help" || name == "version" {
			continue
		}
		if !slices.ContainsFunc(flags, func(f ucli.Flag) bool { return slices.Contains(f.Names(), name) }) {
			return "there is no flag " + word
		}
	}
	return ""
}

func TestUnknownWordsAreFound(t *testing.T) {
	app := cli.App(cli.Env{Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }})
	for words, ok := range map[string]bool{
		"run orders --batch b1": true, "fixture add orders --reason=x": true, "spark start --spark 3.5": true,
		"rum orders": false, "run orders --bach b1": false, "fixture ad": false, "spark start --remote x": false,
	} {
		if problem := unknown(app, strings.Fields(words)); (problem == "") != ok {
			t.Errorf("%s: %q", words, problem)
		}
	}
}

// Commands for contributors name packages, tests and benchmarks that are there.
func TestManualForContributors(t *testing.T) {
	for _, b := range blocks(t) {
		if b.mark != "go" {
			continue
		}
		for line := range strings.Lines(b.text) {
			line, _, _ = strings.Cut(line, "#")
			words := strings.Fields(line)
			for i, word := range words {
				if strings.HasPrefix(word, "./") {
					if out, err := exec.CommandContext(t.Context(), "go", "list", "-C", "../..", word).CombinedOutput(); err != nil {
						t.Errorf("README.md:%d: %s: %s", b.line, word, out)
					}
				}
				if word == "-bench" && !benchmark(t, words[i+1], words) {
					t.Errorf("README.md:%d: there is no benchmark %s", b.line, words[i+1])
				}
			}
		}
	}
}

func benchmark(t *testing.T, name string, words []string) bool {
	t.Helper()
	for _, word := range words {
		if !strings.HasPrefix(word, "./") {
			continue
		}
		files, err := filepath.Glob(filepath.Join("../..", word, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if regexp.MustCompile(`(?m)^func Benchmark\w*` + name).Match(text) {
				return true
			}
		}
	}
	return false
}

// A fixture file that the manual shows is one.
func TestManualFixtures(t *testing.T) {
	m, found := newManual(t, ""), 0
	for _, b := range blocks(t) {
		if b.kind != "yaml" || !strings.HasPrefix(b.text, "contract: ") {
			continue
		}
		found++
		path := filepath.Join(m.dir, "contracts/sales/manual.fixtures.yaml")
		if err := os.WriteFile(path, []byte(b.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := fixture.Load(path, contracts.Options{}); err != nil {
			t.Errorf("README.md:%d: %v", b.line, err)
		}
	}
	if found == 0 {
		t.Error("the manual shows no fixture file")
	}
}

// Blocks of Python are Python.
func TestManualPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	for _, b := range blocks(t) {
		if b.kind != "python" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), python, "-c", "import ast, sys; ast.parse(sys.stdin.read())")
		cmd.Stdin = strings.NewReader(b.text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("README.md:%d: %s", b.line, out)
		}
	}
}
