package cli

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"sluice/runner/connect"
	"sluice/runner/land"
	"sluice/runner/local"
)

// Env is everything that a command takes from outside the process.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Terminal       bool // standard error is a terminal: a step that runs may be shown before it ends
	Width          int  // of that terminal in columns; 0 where it is none, or nobody knows
	Reader         bool // standard output is a terminal: a person reads it
	NoPager        bool // PAGER is set, and empty
	Version        string
	Executable     string // the file of this program

	// Open opens a Spark session.
	Open func(context.Context, connect.Config) (Session, error)
	// Spark is the local Spark.
	Spark LocalSpark

	// secrets are the values of variables, which no message may show.
	secrets *secrets
}

// Session is a Spark session that also takes rows.
type Session interface {
	land.Session
	Version() string
	Close() error
}

// LocalSpark starts, finds and stops the Spark server of this machine.
type LocalSpark struct {
	Start  func(context.Context, local.Options) (local.Server, error)
	Status func(local.Options) ([]local.Server, error)
	Stop   func(context.Context, local.Options) ([]local.Server, error)
}

// Process is the Env of a real process.
func Process() Env {
	pager, set := os.LookupEnv("PAGER")
	executable, _ := os.Executable()
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv:   os.Getenv,
		Terminal: terminal(os.Stderr),
		Width:    width(os.Stderr),
		Reader:   terminal(os.Stdout),
		NoPager:  set && pager == "",
		Version:  version(), Executable: executable,
		Open:  open,
		Spark: LocalSpark{Start: local.Start, Status: local.Status, Stop: local.Stop},
	}
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// version is the module's version, or the commit of a build from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}

func open(ctx context.Context, cfg connect.Config) (Session, error) {
	s, err := connect.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return connect.Loader{Session: s}, nil
}

// output remembers the first error of writing results, which is an error of the
// command: a script cut short on a full disk must not look complete.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}
