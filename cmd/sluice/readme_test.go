package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// block is a fenced block of the manual.
type block struct {
	line       int
	kind, mark string // sh, console, sql …; "" runs without Spark, or spark, platform, go
	text       string
}

// blocks are those of README.md in order.
func blocks(t *testing.T) []block {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []block
	open := false
	for i, line := range strings.Split(string(text), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !open:
			kind, mark, _ := strings.Cut(info, " ")
			out = append(out, block{line: i + 1, kind: kind, mark: mark})
			open = true
		case fence:
			open = false
		case open:
			out[len(out)-1].text += line + "\n"
		}
	}
	return out
}

// Every block of commands is of a kind that a test below runs or checks.
func TestManualBlocksAreCovered(t *testing.T) {
	covered := map[string]int{}
	for _, b := range blocks(t) {
		switch b.kind + " " + b.mark {
		case "sh ", "console ", "sh spark", "console spark", "sql ", "sh platform", "sql platform", "sh go":
			covered[b.mark]++
		case "yaml ", "python ", "mermaid ", " ": // no commands of a shell; sluice in them is checked by TestManualCommandsExist
		default:
			t.Errorf("README.md:%d: nothing covers a block %q %q", b.line, b.kind, b.mark)
		}
	}
	for _, mark := range []string{"", "spark", "platform", "go"} {
		if covered[mark] < 1 {
			t.Errorf("no block %q; is the parser right?", mark)
		}
	}
}

// Blocks without a mark need no Spark: each runs in a fresh copy of the project.
func TestManualCommands(t *testing.T) {
	for _, b := range blocks(t) {
		if b.mark != "" || b.kind != "sh" && b.kind != "console" {
			continue
		}
		t.Run("line "+strconv.Itoa(b.line), func(t *testing.T) {
			t.Parallel()
			m := newManual(t, "")
			m.env = append(m.env, "SPARK_REMOTE=", "JAVA_HOME="+filepath.Join(m.dir, "no-java"), "SLUICE_HOME="+filepath.Join(m.dir, "..", "home")) // or a block could start a Spark
			m.play(t, b)
		})
	}
}

// manual is a copy of the project in which a person follows the manual.
type manual struct {
	dir, prefix string // prefix is of the schemas in the copy's contracts; what is printed goes without it
	env         []string
}

// home moves the schemas of a contract, as far as they are those of examples.
var home = regexp.MustCompile(`\b(bronze|silver|gold|quarantine|staging|ops)\.`)

func newManual(t *testing.T, prefix string) *manual {
	t.Helper()
	m := &manual{dir: filepath.Join(t.TempDir(), "work"), prefix: prefix}
	for _, folder := range []string{"contracts", "sql"} {
		if err := m.copy(filepath.Join("../..", folder), filepath.Join(m.dir, folder)); err != nil {
			t.Fatal(err)
		}
	}
	m.env = append(os.Environ(), "PAGER=", "TERM=dumb", "GOBIN="+t.TempDir(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	for _, command := range []string{
		"git init -q -b main", "git add .", "git commit -qm start",
		"git update-ref refs/remotes/origin/main HEAD", "git update-ref refs/remotes/origin/release HEAD",
	} {
		if out, code := m.sh(t.Context(), command); code != 0 {
			t.Fatalf("%s: %s", command, out)
		}
	}
	return m
}

// copy leaves out what is no part of a user's project.
func (m *manual) copy(from, to string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inner, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, inner), 0o755)
		case strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".odcs.yaml") {
			text = home.ReplaceAll(text, []byte(m.prefix+"$1."))
		}
		return os.WriteFile(filepath.Join(to, inner), text, 0o644)
	})
}

// sh runs a command line; go is asked for in the repository, of which the copy is no
// part.
func (m *manual) sh(ctx context.Context, command string) (output string, code int) {
	root, _ := filepath.Abs("../..")
	cmd := exec.CommandContext(ctx, "bash", "-c", `go() { command go "$1" -C "$GOROOT_OF_MANUAL" "${@:2}"; }; `+command)
	cmd.Dir, cmd.Env = m.dir, append(m.env, "GOROOT_OF_MANUAL="+root)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return err.Error(), -1
	}
	return strings.ReplaceAll(out.String(), m.prefix, ""), cmd.ProcessState.ExitCode()
}

// play runs a block: of sh every line must end with 0, of console every command as it
// says, and print what is shown.
func (m *manual) play(t *testing.T, b block) {
	t.Helper()
	if b.kind == "sh" {
		if out, code := m.sh(t.Context(), "set -e\n"+b.text); code != 0 {
			t.Errorf("README.md:%d: exit %d\n%s", b.line, code, out)
		}
		return
	}
	for _, c := range transcript(b) {
		out, code := m.sh(t.Context(), c.command)
		if code != c.exit {
			t.Errorf("README.md:%d: %s\nexit %d, not %d\n%s", b.line, c.command, code, c.exit, out)
		}
		if !shows(c.output, lines(out)) {
			t.Errorf("README.md:%d: %s\nthe manual shows\n%s\nit printed\n%s", b.line, c.command, strings.Join(c.output, "\n"), out)
		}
	}
}

// call is a command of a transcript with what it prints.
type call struct {
	command string
	exit    int
	output  []string
}

var exitComment = regexp.MustCompile(`# exit (\d+)$`)

func transcript(b block) []call {
	var out []call
	for _, line := range strings.Split(strings.TrimRight(b.text, "\n"), "\n") {
		if command, is := strings.CutPrefix(line, "$ "); is {
			c := call{command: command}
			if m := exitComment.FindStringSubmatch(command); m != nil {
				c.exit, _ = strconv.Atoi(m[1])
			}
			out = append(out, c)
			continue
		}
		last := &out[len(out)-1]
		last.output = append(last.output, lines(line)...)
	}
	return out
}

// lines are those of a text with single blanks, without empty ones and without where a
// command has connected to.
func lines(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.Join(strings.Fields(line), " ")
		if line != "" && !strings.HasPrefix(line, "connected to ") {
			out = append(out, line)
		}
	}
	return out
}

// shows reports whether a transcript holds: a line of … is any number of lines, … in
// one any text.
func shows(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "…" {
		for i := range len(got) + 1 {
			if shows(want[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	if len(got) == 0 {
		return false
	}
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(want[0]), "…", ".*") + "$"
	return regexp.MustCompile(pattern).MatchString(got[0]) && shows(want[1:], got[1:])
}

func TestTranscript(t *testing.T) {
	calls := transcript(block{text: "$ a    # exit 4\nx  1\n…\ny … z\n\n$ b\n"})
	if len(calls) != 2 || calls[0].exit != 4 || calls[1].exit != 0 || len(calls[1].output) != 0 {
		t.Fatalf("%+v", calls)
	}
	for text, want := range map[string]bool{
		"x 1\ny 2 z": true, "connected to q\nx   1\na\nb\n\ny  a b z": true,
		"x 1": false, "x 2\ny 2 z": false, "x 1\ny 2 z\nmore": false, "": false,
	} {
		if got := shows(calls[0].output, lines(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
