package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"sluice/runner/connect"
)

// real gives Options for the Spark that all tests share. Without Java or Python
// the test is skipped; with SLUICE_REQUIRE_SPARK=1 it fails instead.
func real(t *testing.T) (context.Context, Options) {
	t.Helper()
	for _, tool := range []string{"java", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("SLUICE_REQUIRE_SPARK") == "1" {
				t.Fatalf("SLUICE_REQUIRE_SPARK=1, but %v", err)
			}
			t.Skipf("needs Spark: %v", err)
		}
	}
	alone(t)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	t.Cleanup(cancel)
	return ctx, Options{Version: os.Getenv("SLUICE_SPARK"), Log: func(line string) { t.Log(line) }}
}

var testLock *os.File

// alone keeps the one local Spark to this package until its tests have ended,
// as runner/runnertest does: who lets go between two tests waits for the whole
// of the other package. The time of the package's own limit is all there is.
func alone(t *testing.T) {
	t.Helper()
	if testLock != nil {
		return
	}
	ctx := t.Context()
	if end, limited := t.Deadline(); limited {
		bounded, cancel := context.WithDeadline(ctx, end.Add(-time.Minute))
		defer cancel()
		ctx = bounded
	}
	o := Options{Log: func(line string) { t.Log(line) }}
	lock, err := maker{Options: o}.lock(ctx, filepath.Join(os.TempDir(), "sluice-test-spark.lock"), "another package's test")
	if err != nil {
		t.Fatal(err)
	}
	testLock = lock
}

func TestRealServerIsShared(t *testing.T) {
	ctx, o := real(t)
	first, err := Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	second, err := Start(ctx, o)
	if err != nil || !second.Reused || second.PID != first.PID || time.Since(began) > 2*time.Second {
		t.Errorf("a second start: %+v, %v after %s", second, err, time.Since(began))
	}
	list, err := Status(o)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range list {
		found = found || s.PID == first.PID && s.Ready
	}
	if !found {
		t.Errorf("status %+v lacks %+v", list, first)
	}
}

// Tables of both formats survive stop and start, in a state folder of its own:
// the shared server belongs to the other tests.
func TestRealTablesSurviveARestart(t *testing.T) {
	ctx, o := real(t)
	o.State, o.Memory = t.TempDir(), "1g"
	t.Cleanup(func() { _, _ = Stop(context.Background(), o) })
	for turn := range 2 {
		s, err := Start(ctx, o)
		if err != nil || s.Reused {
			t.Fatalf("%+v, %v", s, err)
		}
		session, err := connect.Open(ctx, connect.Config{Remote: s.Remote})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"kept.d", "lake.kept.i"} {
			if turn == 0 {
				keep(t, ctx, session, table)
			}
			rows, err := session.Query(ctx, "SELECT CAST(count(*) AS BIGINT) AS n, current_timezone() AS zone FROM "+table)
			if err != nil || len(rows) != 1 || fmt.Sprintf("%v %v", rows[0]["n"], rows[0]["zone"]) != "1 UTC" {
				t.Errorf("start %d: %s has %v, %v", turn+1, table, rows, err)
			}
		}
		_ = session.Close()
		if stopped, err := Stop(ctx, o); err != nil || len(stopped) != 1 || s.alive() || answers(s.Port) {
			t.Fatalf("stopped %+v, %v", stopped, err)
		}
	}
}

func keep(t *testing.T, ctx context.Context, session *connect.Session, table string) {
	t.Helper()
	schema, format := "kept", "delta"
	if table == "lake.kept.i" {
		schema, format = "lake.kept", "iceberg"
	}
	for _, sql := range []string{
		"CREATE SCHEMA IF NOT EXISTS " + schema,
		"CREATE TABLE " + table + " (id BIGINT) USING " + format,
		"INSERT INTO " + table + " VALUES (1)",
	} {
		if err := session.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// A half-filled entry of the user's local Maven repository, a pom without its
// jar, makes Spark's resolver fail. The JVM's option stands in for that user:
// a JVM takes the home folder from the system, not from HOME.
func TestRealHalfFilledRepository(t *testing.T) {
	ctx, o := real(t)
	shared, err := o.complete()
	if err != nil {
		t.Fatal(err)
	}
	spark, err := shared.findSpark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	user := t.TempDir()
	entry := filepath.Join(user, ".m2", "repository", "io", "delta", "delta-storage", "3.3.2")
	write(t, filepath.Join(entry, "delta-storage-3.3.2.pom"), `<project><modelVersion>4.0.0</modelVersion><groupId>io.delta</groupId><artifactId>delta-storage</artifactId><version>3.3.2</version></project>`, 0o644)
	t.Setenv("JAVA_TOOL_OPTIONS", os.Getenv("JAVA_TOOL_OPTIONS")+" -Duser.home="+user)
	o.Home = t.TempDir()
	m, err := o.complete()
	if err != nil {
		t.Fatal(err)
	}
	m.packages = []string{"io.delta:delta-storage:3.3.2"} // small: this is fetched anew each time
	jars, err := m.jars(ctx, spark)
	if err != nil || len(jars) != 1 {
		t.Errorf("got %q, %v", jars, err)
	}
}
