package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sluice/runner"
	"sluice/runner/connect"
	"sluice/runner/local"
	"sluice/runner/runnertest/fake"
)

const orders = "../../../contracts/sales/orders.odcs.yaml"

// bench is a process without a process: buffers, an environment, a session.
type bench struct {
	Env
	out, err bytes.Buffer
	vars     map[string]string
	config   connect.Config // of the last Open
	started  []local.Options
	session  *session
	openErr  error
}

type session struct {
	fake.Session
	closed bool
}

func (s *session) Version() string { return "4.1.3" }
func (s *session) Close() error    { s.closed = true; return nil }
func (s *session) View(context.Context, string, []string, [][]any) error {
	return nil
}

func newBench() *bench {
	b := &bench{vars: map[string]string{}, session: &session{}}
	b.Env = Env{
		Stdin: strings.NewReader(""), Stdout: &b.out, Stderr: &b.err, Version: "test",
		Getenv: func(name string) string { return b.vars[name] },
		Open: func(_ context.Context, cfg connect.Config) (Session, error) {
			b.config = cfg
			if b.openErr != nil {
				return nil, b.openErr
			}
			return b.session, nil
		},
		Spark: LocalSpark{
			Start: func(_ context.Context, o local.Options) (local.Server, error) {
				b.started = append(b.started, o)
				return local.Server{Remote: "sc://localhost:4100", Spark: "4.1.3", Port: 4100, Reused: true}, nil
			},
			Status: func(local.Options) ([]local.Server, error) { return nil, nil },
			Stop: func(context.Context, local.Options) ([]local.Server, error) {
				return nil, errors.New("it does not end")
			},
		},
	}
	return b
}

func (b *bench) main(args ...string) int { return Main(append([]string{"sluice"}, args...), b.Env) }

func TestExitCodes(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	of := func(r runner.Result) error { return outcome(runner.Report{Batch: "b", Result: r}, false) }
	for _, one := range []struct {
		name string
		ctx  context.Context
		err  error
		want int
	}{
		{"published", t.Context(), of(runner.Published), 0},
		{"published before the interrupt", interrupted, of(runner.Published), 0},
		{"refused", t.Context(), of(runner.Refused), 4},
		{"failed", t.Context(), of(runner.Failed), 3},
		{"failed by the interrupt", interrupted, of(runner.Failed), 130},
		{"unknown", t.Context(), of(runner.Unknown), 5},
		{"unknown by the interrupt", interrupted, of(runner.Unknown), 5},
		{"a result of tomorrow", t.Context(), of("odd"), 5},
		{"published, report not written", t.Context(), notWritten(runner.Report{Result: runner.Published}, errors.New("disk full")), 5},
		{"refused, report not written", t.Context(), notWritten(runner.Report{Result: runner.Refused}, errors.New("disk full")), 4},
		{"usage", t.Context(), fmt.Errorf("wrapped: %w", usagef("no")), 2},
		{"finding", t.Context(), &findingError{"two problems"}, 1},
		{"any other error", t.Context(), errors.New("no"), 3},
		{"any other error when interrupted", interrupted, errors.New("no"), 130},
	} {
		t.Run(one.name, func(t *testing.T) {
			if got := exitCode(one.ctx, one.err); got != one.want {
				t.Errorf("exit code %d, want %d", got, one.want)
			}
		})
	}
}

func TestArrange(t *testing.T) {
	app := App(newBench().Env)
	for _, one := range []struct{ words, want string }{
		{"run C --batch b", "run --batch b -- C"},
		{"run --batch b C --json", "run --batch b --json -- C"},
		{"run --batch=b C -q", "run --batch=b -q -- C"},
		{"run C --batch -b", "run --batch -b -- C"},
		{"plan C -- --odd", "plan -- C --odd"},
		{"plan - --json", "plan --json -- -"},
		{"spark start --port 1 --spark 3.5", "spark start --port 1 --spark 3.5 --"},
		{"spark --help", "spark --help"},
		{"--version", "--version"},
		{"run --help", "run --help --"},
	} {
		got, err := arrange(app, strings.Fields("sluice "+one.words))
		if err != nil || !slices.Equal(got, strings.Fields("sluice "+one.want)) {
			t.Errorf("arrange(%s) = %v, %v, want %s", one.words, got, err, one.want)
		}
	}
}

// TestWhichSpark shows where each command line and environment leads.
func TestWhichSpark(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(csv, []byte("order_id\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		name, flags, variable, remote string
		fromEnv                       bool
		version                       string // of the local Spark, "-" if none is started
		code                          int
	}{
		{name: "nothing: local", remote: "sc://localhost:4100", version: ""},
		{name: "spark: local", flags: "--spark 3.5", variable: "sc://env:1", remote: "sc://localhost:4100", version: "3.5"},
		{name: "variable", variable: "sc://env:1", remote: "sc://env:1", fromEnv: true, version: "-"},
		{name: "flag before variable", flags: "--remote sc://flag:1", variable: "sc://env:1", remote: "sc://flag:1", version: "-"},
		{name: "server", flags: "--server prod", remote: "sc://spark-connect.example.internal:15002", version: "-"},
		{name: "variable before the server's host", flags: "--server prod", variable: "sc://env:1", remote: "sc://env:1", fromEnv: true, version: "-"},
		{name: "remote and spark", flags: "--remote sc://flag:1 --spark 4.1", version: "-", code: 2},
		{name: "unknown server", flags: "--server nope", version: "-", code: 2},
	} {
		t.Run(one.name, func(t *testing.T) {
			b := newBench()
			b.vars["SPARK_REMOTE"], b.openErr = one.variable, errors.New("stop here")
			want := one.code
			if want == 0 {
				want = 3
			}
			if code := b.main(append([]string{"land", orders, csv, "--batch", "b1"}, strings.Fields(one.flags)...)...); code != want {
				t.Errorf("exit code %d, want %d: %s", code, want, &b.err)
			}
			if b.config.Remote != one.remote || b.config.RemoteFromEnv != one.fromEnv {
				t.Errorf("connected to %q (from the environment: %v), want %q", b.config.Remote, b.config.RemoteFromEnv, one.remote)
			}
			started := "-"
			for _, o := range b.started {
				started = o.Version
			}
			if started != one.version {
				t.Errorf("started local Spark %q, want %q", started, one.version)
			}
		})
	}
}

func TestTokenComesFromTheEnvironment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	b := newBench()
	b.vars["SLUICE_TOKEN_FILE"] = file
	for _, text := range []string{"first\n", "second"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := token(b.Env)(t.Context()); err != nil || got != strings.TrimSpace(text) {
			t.Errorf("token %q, %v, want %q", got, err, text)
		}
	}
	b.vars["SLUICE_TOKEN"] = "direct"
	if got, err := token(b.Env)(t.Context()); err != nil || got != "direct" {
		t.Errorf("token %q, %v", got, err)
	}
	if token(newBench().Env) != nil {
		t.Error("a token without any source")
	}
}

func TestLandErrors(t *testing.T) {
	dir := t.TempDir()
	latin := filepath.Join(dir, "latin.csv")
	if err := os.WriteFile(latin, []byte("order_id\nM\xfcller\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		name string
		args []string
		want int
	}{
		{"no such file", []string{filepath.Join(dir, "none.csv")}, 2},
		{"a URI", []string{"s3://bucket/a.csv"}, 2},
		{"bytes that are no UTF-8", []string{latin}, 3},
		{"a delimiter of two characters", []string{latin, "--delimiter", "ab"}, 2},
	} {
		t.Run(one.name, func(t *testing.T) {
			b := newBench()
			if code := b.main(append([]string{"land", orders, "--batch", "b1"}, one.args...)...); code != one.want {
				t.Errorf("exit code %d, want %d: %s", code, one.want, &b.err)
			}
			if b.config.Remote != "" || b.out.Len() > 0 {
				t.Errorf("connected to %q, printed %q", b.config.Remote, &b.out)
			}
		})
	}
}

func TestSparkCommands(t *testing.T) {
	b := newBench()
	if code := b.main("spark", "start", "--port", "4200"); code != 0 || b.out.String() != "sc://localhost:4100\n" {
		t.Errorf("start: exit code %d, printed %q", code, &b.out)
	}
	if !strings.Contains(b.err.String(), "not on port 4200") {
		t.Errorf("start says nothing of the port: %q", &b.err)
	}
	b.out.Reset()
	if code := b.main("spark", "stop"); code != 3 {
		t.Errorf("stop: exit code %d, want 3", code)
	}
	if code := b.main("spark", "status", "--json"); code != 0 || b.out.String() != "[]\n" {
		t.Errorf("status: exit code %d, printed %q", code, &b.out)
	}
}

// TestFailedRun runs a real plan on a session whose tables are not there: the
// guard stops it before anything is written, and every reader is told.
func TestFailedRun(t *testing.T) {
	b := newBench()
	b.session.Answer = func(sql string) ([]runner.Row, error) {
		return nil, &runner.StatementError{Class: "TABLE_OR_VIEW_NOT_FOUND", Message: "[TABLE_OR_VIEW_NOT_FOUND] not there"}
	}
	path := filepath.Join(t.TempDir(), "report.json")
	code := b.main("run", orders, "--batch", "b1", "--report", path)
	if code != 3 {
		t.Errorf("exit code %d, want 3: %s%s", code, &b.out, &b.err)
	}
	if !b.session.closed {
		t.Error("the session stays open")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var report runner.Report
	if err := json.Unmarshal(text, &report); err != nil || len(report.Failures) == 0 || report.Batch != "b1" {
		t.Errorf("the report is %s, %v", text, err)
	}
	for _, want := range []string{"[ 1/", "guard_columns", "connected to the local Spark"} {
		if !strings.Contains(b.err.String(), want) {
			t.Errorf("progress has no %q: %s", want, &b.err)
		}
	}
	if b.session.Called("CREATE") || b.session.Called("INSERT") {
		t.Errorf("something was written: %v", b.session.Calls())
	}
}

// TestInterrupt sends the process a real signal while a command runs.
func TestInterrupt(t *testing.T) {
	b := newBench()
	b.Spark.Start = func(ctx context.Context, _ local.Options) (local.Server, error) {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		return local.Server{}, ctx.Err()
	}
	if code := b.main("spark", "start"); code != 130 {
		t.Errorf("exit code %d, want 130: %s", code, &b.err)
	}
}

// TestBrokenOutput shows that a result that was cut short is no success.
func TestBrokenOutput(t *testing.T) {
	b := newBench()
	b.Stdout = full{}
	if code := b.main("completion", "bash"); code != 3 || !strings.Contains(b.err.String(), "no space") {
		t.Errorf("exit code %d: %s", code, &b.err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
