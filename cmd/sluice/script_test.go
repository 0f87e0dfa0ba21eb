package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"sluice/cmd/internal/cli"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sluice": func() { os.Exit(cli.Main(os.Args, cli.Process())) },
	})
}

// TestScripts runs the command line as a user does. No script opens a
// connection that is answered: what needs Spark is tested where it lives.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("SLUICE_UPDATE") == "1",
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", root)
			e.Setenv("SPARK_REMOTE", "")
			e.Setenv("SLUICE_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("JAVA_HOME", filepath.Join(e.WorkDir, "no-java")) // or a script could start a Spark that outlives it
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command that must end with a given code: exits 2 sluice plan.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT…]")
	}
	code := "0"
	var failed *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		code = strconv.Itoa(failed.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}
