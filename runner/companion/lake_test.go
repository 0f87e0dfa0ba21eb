package companion_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/runner/companion"
	"sluice/runner/local"
	"sluice/runner/runnertest"
)

const root = "../.."

// lake is the Spark of a job: tables of its own, and a bundle to submit.
type lake struct {
	t      *testing.T
	app    local.Application
	bundle string
}

// everywhere marks what says the same on every Spark: -short leaves it out.
func everywhere(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the main file does this in the same way on every Spark")
	}
}

// jobs prepares a lake, and a bundle with some contracts for this machine.
func jobs(t *testing.T, contracts ...string) lake {
	t.Helper()
	l := lake{t: t, app: runnertest.Application(t), bundle: filepath.Join(t.TempDir(), "bundle")}
	if err := companion.Prepare(l.bundle); err != nil {
		t.Fatal(err)
	}
	binary, err := companion.Build(t.Context(), root, runtime.GOARCH, filepath.Join(l.bundle, companion.BinaryName(runtime.GOARCH)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, path := range contracts {
		files[filepath.Base(path)] = path
	}
	b := companion.Bundle{Dir: l.bundle, Version: "test", Contracts: files, Binaries: []companion.Binary{binary}, Run: []string{"run", filepath.Base(contracts[0])}}
	if _, err := b.Write(); err != nil {
		t.Fatal(err)
	}
	// As an upload leaves it.
	if err := os.Chmod(binary.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	return l
}

// output is what a process said so far; the test reads it while it goes on.
type output struct {
	lines chan string
	all   bytes.Buffer
	rest  []byte
}

func (o *output) Write(p []byte) (int, error) {
	o.all.Write(p)
	o.rest = append(o.rest, p...)
	for {
		line, rest, whole := bytes.Cut(o.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if o.lines != nil {
			o.lines <- string(line)
		}
		o.rest = bytes.Clone(rest)
	}
}

// command is a process of the lake. The JVM of a short job does not need its
// best compiler, which takes a core of two. Without that one its code cache is
// 48 MB by default, which Spark can fill; a task then ends the driver with exit 50
// (InternalError: no such method: MethodHandle.linkToSpecial, Java 17).
func (l lake) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(slices.Clone(l.app.Env), "JAVA_TOOL_OPTIONS="+os.Getenv("JAVA_TOOL_OPTIONS")+" -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC")
	cmd.WaitDelay = time.Minute // for children of a killed driver, which hold its output
	return cmd
}

// submit runs a main file to its end and returns spark-submit's exit code and output.
func (l lake) submit(main string, args ...string) (int, string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 6*time.Minute)
	defer cancel()
	submit := l.app.Submit(ctx, append([]string{main}, args...)...)
	return l.run(l.command(ctx, submit.Path, submit.Args[1:]...))
}

// job runs the bundle's own script for a batch, as its reader would.
func (l lake) job(batch string, args ...string) (int, string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 6*time.Minute)
	defer cancel()
	return l.run(l.jobCommand(ctx, batch, args...))
}

func (l lake) jobCommand(ctx context.Context, batch string, args ...string) *exec.Cmd {
	cmd := l.command(ctx, "/bin/sh", append([]string{filepath.Join(l.bundle, "spark-submit.sh"), batch}, args...)...)
	cmd.Env = append(cmd.Env, "SPARK_SUBMIT="+filepath.Join(l.app.Home, "bin", "spark-submit")+" --properties-file "+l.app.Conf)
	return cmd
}

func (l lake) run(cmd *exec.Cmd) (int, string) {
	l.t.Helper()
	said := &output{}
	cmd.Stdout, cmd.Stderr = said, said
	began := time.Now()
	code := exitCode(l.t, cmd.Run())
	text := colours.ReplaceAllString(said.all.String(), "")
	l.t.Logf("%s: exit %d after %s", strings.Join(cmd.Args[max(0, len(cmd.Args)-4):], " "), code, time.Since(began).Round(time.Second))
	l.closed(text)
	return code, text
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

// colours are those of a notebook's tracebacks.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

var listened = regexp.MustCompile(`Spark Connect on sc://(127\.0\.0\.1:\d+)`)

// closed looks for ports that a job told of and left open.
func (l lake) closed(text string) {
	l.t.Helper()
	for _, found := range listened.FindAllStringSubmatch(text, -1) {
		if conn, err := net.DialTimeout("tcp", found[1], time.Second); err == nil {
			_ = conn.Close()
			l.t.Errorf("%s is still open after the end", found[1])
		}
	}
}

// rows asks the lake of the jobs; each query gives one text a row.
func (l lake) rows(queries ...string) [][]string {
	l.t.Helper()
	dir := l.t.TempDir()
	text, err := json.Marshal(queries)
	if err != nil {
		l.t.Fatal(err)
	}
	in, out := filepath.Join(dir, "queries.json"), filepath.Join(dir, "rows.json")
	if err := os.WriteFile(in, text, 0o600); err != nil {
		l.t.Fatal(err)
	}
	if code, said := l.submit("testdata/rows.py", in, out); code != 0 {
		l.t.Fatalf("asking the lake: exit %d: %s", code, tail(said))
	}
	var rows [][]string
	if text, err = os.ReadFile(out); err == nil {
		err = json.Unmarshal(text, &rows)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return rows
}

// tail is the end of what a process said without the log of Spark, and before it
// the first of Spark's own errors: what ends a driver is told far above its end.
func tail(text string) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(text), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "\tat ") || strings.Contains(line, " WARN ")
	})
	last := max(0, len(lines)-40)
	var errors []string
	for i, line := range lines[:last] {
		if strings.Contains(line, " ERROR ") && len(errors) < 30 {
			errors = append(errors, lines[i:min(i+3, last)]...)
		}
	}
	return strings.Join(append(errors, lines[last:]...), "\n")
}
