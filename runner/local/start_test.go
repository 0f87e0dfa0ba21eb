package local

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Two starts at once give one server; a third reuses it; stop ends it.
func TestTwoStartsGiveOneServer(t *testing.T) {
	o := tools(t, works())
	type result struct {
		Server
		err error
	}
	results := make(chan result, 2)
	for range 2 {
		go func() {
			s, err := Start(t.Context(), o)
			results <- result{s, err}
		}()
	}
	a, b := <-results, <-results
	if a.err != nil || b.err != nil {
		t.Fatalf("%v, %v", a.err, b.err)
	}
	if a.PID != b.PID || a.Reused == b.Reused || !a.Ready {
		t.Errorf("two servers: %+v and %+v", a.Server, b.Server)
	}
	began := time.Now()
	if c, err := Start(t.Context(), o); err != nil || !c.Reused || time.Since(began) > 2*time.Second {
		t.Errorf("a later start: %+v, %v after %s", c, err, time.Since(began))
	}
	if list, err := Status(o); err != nil || len(list) != 1 || list[0].Port != a.Port || !list[0].Ready {
		t.Errorf("status %+v, %v", list, err)
	}
	other := o
	other.Version = "3.5"
	if stopped, err := Stop(t.Context(), other); err != nil || len(stopped) != 0 {
		t.Errorf("another version was stopped: %+v, %v", stopped, err)
	}
	if stopped, err := Stop(t.Context(), o); err != nil || len(stopped) != 1 || a.alive() || answers(a.Port) {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
	if list, err := Status(o); err != nil || len(list) != 0 {
		t.Errorf("status after the stop: %+v, %v", list, err)
	}
}

func TestTwoProcessesGiveOneServer(t *testing.T) {
	o := tools(t, works())
	out := make(chan string, 2)
	for range 2 {
		cmd := sluice(t, o)
		go func() {
			text, err := cmd.CombinedOutput()
			if err != nil {
				text = append(text, err.Error()...)
			}
			out <- strings.TrimSpace(string(text))
		}()
	}
	both := []string{<-out, <-out}
	slices.Sort(both)
	pid, _, _ := strings.Cut(both[0], " ")
	if want := []string{pid + " false <nil>", pid + " true <nil>"}; !slices.Equal(both, want) {
		t.Errorf("got %q, want %q", both, want)
	}
}

// A start whose command is killed leaves a server that comes up by itself: the
// next start must find it and not run a second one on the same metastore.
func TestAKilledStartIsFoundAgain(t *testing.T) {
	o := tools(t, map[string]string{"java": java17, "python3": fakePython("", sparkSubmit(resolves, "sleep 1; "+listens))})
	cmd := sluice(t, o)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(o.Home, "state", "4.1", "server.json")
	eventually(t, "a state file", func() bool { return exists(state) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if list, err := Status(o); err != nil || len(list) != 1 || list[0].Ready {
		t.Fatalf("status %+v, %v", list, err)
	}
	if s, err := Start(t.Context(), o); err != nil || !s.Reused || !s.Ready {
		t.Errorf("started %+v, %v", s, err)
	}
}

// What a killed install or download left is no Spark and no list of jars.
func TestHalfMadeFoldersAreMadeAnew(t *testing.T) {
	o := tools(t, works())
	venv := filepath.Join(o.Home, "pyspark-4.1.3")
	jars := filepath.Join(o.Home, "jars-4.1.3_2.13")
	junk := []string{filepath.Join(venv, "lib", "python3.11", "site-packages", "pyspark", "half"), filepath.Join(jars, "jars", "half.jar")}
	for _, path := range junk {
		write(t, path, "half", 0o644)
	}
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range junk {
		if exists(path) {
			t.Errorf("%s is still there", path)
		}
	}
	if _, err := Stop(t.Context(), o); err != nil || s.alive() {
		t.Fatalf("stopping: %v", err)
	}

	// Whole ones are used as they are; a jar that lost bytes counts as missing.
	keep := filepath.Join(venv, "keep")
	write(t, keep, "", 0o644)
	write(t, filepath.Join(jars, "jars", "delta.jar"), "j", 0o644)
	if _, err := Start(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(jars, "jars", "delta.jar")); err != nil || string(text) != "jar\n" {
		t.Errorf("the jar was not fetched again: %q, %v", text, err)
	}
	if !exists(keep) {
		t.Error("a whole install was made anew")
	}
}

// A pid that another process has by now is not ours: not a server, not to be ended.
func TestAReusedPIDIsLeftAlone(t *testing.T) {
	o := tools(t, works())
	sleeper := exec.Command("sleep", "60")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() }()
	state := filepath.Join(o.Home, "state", "4.1", "server.json")
	write(t, state, `{"version":"4.1","spark":"4.1.3","port":1,"birth":"12","pid":`+strconv.Itoa(sleeper.Process.Pid)+`}`, 0o644)
	if list, err := Status(o); err != nil || len(list) != 0 {
		t.Errorf("status %+v, %v", list, err)
	}
	if stopped, err := Stop(t.Context(), o); err != nil || len(stopped) != 0 || birth(sleeper.Process.Pid) == "" {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
	if s, err := Start(t.Context(), o); err != nil || s.Reused {
		t.Errorf("started %+v, %v", s, err)
	}
}

// A cancelled start ends at once, whatever it waits for, and leaves no process.
func TestACancelledStartLeavesNoProcess(t *testing.T) {
	hang := `sleep 60 & echo $! > "$HOLD"; wait`
	for name, python := range map[string]string{
		"pip":      fakePython(hang, ""),
		"resolver": fakePython("", sparkSubmit(hang, "")),
		"server":   fakePython("", sparkSubmit(resolves, hang)),
	} {
		t.Run(name, func(t *testing.T) {
			o := tools(t, map[string]string{"java": java17, "python3": python})
			hold := filepath.Join(t.TempDir(), "pid")
			t.Setenv("HOLD", hold)
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := Start(ctx, o)
				failed <- err
			}()
			var pid int
			eventually(t, "a child", func() bool {
				text, _ := os.ReadFile(hold)
				pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
				return pid > 0
			})
			began := time.Now()
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) || time.Since(began) > 3*time.Second {
				t.Errorf("%v after %s", err, time.Since(began))
			}
			eventually(t, "no process left", func() bool { return birth(pid) == "" })
			if list, err := Status(o); err != nil || len(list) != 0 {
				t.Errorf("status %+v, %v", list, err)
			}
		})
	}
}

// SPARK_HOME is used where it is the wanted version, and decides it where none is named.
func TestSparkHome(t *testing.T) {
	spark := t.TempDir()
	write(t, filepath.Join(spark, "bin", "spark-submit"), "#!/bin/sh\n"+sparkSubmit(resolves, listens), 0o755)
	write(t, filepath.Join(spark, "jars", "spark-core_2.13-3.5.4.jar"), "", 0o644)
	o := tools(t, works())
	o.Getenv = func(name string) string { return map[string]string{"SPARK_HOME": spark}[name] }
	var said []string
	o.Log = func(line string) { said = append(said, line) }
	s, err := Start(t.Context(), o)
	if err != nil || s.Spark != "3.5.4" || s.Version != "3.5" {
		t.Fatalf("%+v, %v", s, err)
	}
	if !strings.Contains(strings.Join(said, "\n"), "every network interface") {
		t.Errorf("nothing said of what 3.5 listens on: %q", said)
	}
	if _, err := os.Stat(filepath.Join(o.Home, "pyspark-3.5.7")); err == nil {
		t.Error("pyspark was installed all the same")
	}
	list, err := os.ReadFile(filepath.Join(o.Home, "jars-3.5.4_2.13", "list.json"))
	if err != nil || !strings.Contains(string(list), "spark-connect_2.13:3.5.4") || !strings.Contains(string(list), "delta-spark_2.13:3.3.2") {
		t.Errorf("packages: %s, %v", list, err)
	}
	o.Version = "4.1"
	if s, err := Start(t.Context(), o); err != nil || s.Spark != "4.1.3" {
		t.Errorf("%+v, %v", s, err)
	}
	o.Version = ""
}
