package runnertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Jupyter is a virtual environment with what runs a notebook without a browser.
// It is kept in the user's cache, as Spark is; the test lock keeps two makers apart.
func Jupyter(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	packages := []string{"nbclient==0.10.2", "ipykernel==6.29.5"}
	venv := filepath.Join(cache, "sluice", "jupyter-"+strings.Join(packages, "-"))
	marker := filepath.Join(venv, ".complete")
	if _, err := os.Stat(marker); err == nil {
		return venv
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, args := range [][]string{
		{"python3", "-m", "venv", "--clear", venv},
		append([]string{filepath.Join(venv, "bin", "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input"}, packages...),
	} {
		if out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return venv
}
