package runnertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"sluice/runner/local"
)

// Application prepares a Spark of the tested version for a job or a notebook of
// its own, with tables and metastore in a folder of the test. It skips and fails
// as Spark does, and keeps other test packages away as long.
func Application(t testing.TB) local.Application {
	t.Helper()
	needs(t, "java", "python3")
	alone(t)
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	app, err := local.Prepare(ctx, local.Options{
		Version: os.Getenv("SLUICE_SPARK"), State: t.TempDir(), Memory: "2g", Log: func(line string) { t.Log(line) },
	})
	if err != nil {
		t.Fatalf("preparing Spark: %v", err)
	}
	return app
}

// needs skips a test without the tools, or fails it with SLUICE_REQUIRE_SPARK=1.
func needs(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("SLUICE_REQUIRE_SPARK") == "1" {
				t.Fatalf("SLUICE_REQUIRE_SPARK=1, but %v", err)
			}
			t.Skipf("needs Spark: %v", err)
		}
	}
}
