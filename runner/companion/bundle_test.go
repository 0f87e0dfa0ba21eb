package companion_test

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/runner/companion"
)

// program writes the header of a Linux program: 62 is amd64, 183 arm64.
func program(t *testing.T, machine byte) string {
	t.Helper()
	header := make([]byte, 64)
	copy(header, "\x7fELF\x02\x01\x01")
	header[16], header[18], header[20] = 2, machine, 1
	header[52], header[54], header[58] = 64, 56, 64
	path := filepath.Join(t.TempDir(), "sluice")
	if err := os.WriteFile(path, header, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A file that would fail on the cluster is refused before it is uploaded.
func TestInspect(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		script:               "it is no program for Linux",
		script + ".none":     "no such file",
		program(t, 62):       "not sluice",
		program(t, 183):      "not sluice",
		program(t, 243):      "EM_RISCV; drivers are amd64 or arm64",
		filepath.Dir(script): "is a directory",
	} {
		if _, err := companion.Inspect(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", path, err, want)
		}
	}
}

// Both programs are built from the checkout, static and as sluice (the one for
// another processor with SLUICE_LONG=1: it takes minutes where nothing is cached).
func TestBuildFromTheCheckout(t *testing.T) {
	if companion.Source(t.Context()) == "" {
		t.Fatal("this folder is no checkout")
	}
	for _, arch := range companion.Arches() {
		if arch != "amd64" && os.Getenv("SLUICE_LONG") != "1" {
			continue
		}
		b, err := companion.Choose(t.Context(), arch, nil, "/proc/self/exe", t.TempDir())
		if err != nil || b.Arch != arch || !b.Static {
			t.Errorf("%s: %+v, %v", arch, b, err)
			continue
		}
		if again, err := companion.Choose(t.Context(), arch, []companion.Binary{b}, "", t.TempDir()); err != nil || again != b {
			t.Errorf("the one that was named is not taken: %+v, %v", again, err)
		}
	}
	t.Chdir(t.TempDir())
	if _, err := companion.Choose(t.Context(), "arm64", nil, "/proc/self/exe", t.TempDir()); err == nil || !strings.Contains(err.Error(), "--binary") {
		t.Errorf("outside of the checkout: %v", err)
	}
}

func TestBundle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := companion.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	flights := aviation + "flights.odcs.yaml"
	b := companion.Bundle{
		Dir: dir, Version: `1.2.3 "x"`, Binaries: []companion.Binary{{Path: program(t, 183), Arch: "arm64"}},
		Contracts: map[string]string{"flights.odcs.yaml": flights, "sub/airlines.odcs.yaml": aviation + "airlines.odcs.yaml"},
		Run:       []string{"run", "it's.odcs.yaml"},
	}
	written, err := b.Write()
	want := []string{"sluice_job.py", "sluice-linux-arm64", "contracts/flights.odcs.yaml", "contracts/sub/airlines.odcs.yaml", "contracts.zip", "SparkJobDefinitionV1.json", "spark-submit.sh"}
	if err != nil || !slices.Equal(written, want) {
		t.Fatalf("written %q, %v", written, err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if main := read("sluice_job.py"); !strings.Contains(main, `__version__ = "1.2.3 \"x\""`) {
		t.Error("the main file has no version line")
	}
	var job struct{ ExecutableFile, CommandLineArguments, Language string }
	if err := json.Unmarshal([]byte(read("SparkJobDefinitionV1.json")), &job); err != nil || !strings.HasSuffix(job.ExecutableFile, "/sluice_job.py") || job.Language != "Python" || !strings.Contains(job.CommandLineArguments, "run it's.odcs.yaml --batch BATCH") {
		t.Errorf("job definition %+v, %v", job, err)
	}
	z, err := zip.OpenReader(filepath.Join(dir, "contracts.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	f, err := z.Open("flights.odcs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	packed, err := io.ReadAll(f)
	if original, _ := os.ReadFile(flights); err != nil || len(z.File) != 2 || string(packed) != string(original) {
		t.Errorf("the archive holds %d files, %v", len(z.File), err)
	}
	if err := companion.Prepare(dir); err == nil {
		t.Error("a folder that holds a bundle is taken again: contracts that are gone would stay")
	}
}

// The script passes the batch and what follows it on as it is, and needs a batch.
func TestSubmitScript(t *testing.T) {
	dir := t.TempDir()
	b := companion.Bundle{Dir: dir, Version: "test", Run: []string{"run", "it's $HOME.odcs.yaml"}}
	if _, err := b.Write(); err != nil {
		t.Fatal(err)
	}
	show := filepath.Join(dir, "show")
	if err := os.WriteFile(show, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o700); err != nil { //nolint:gosec // a script
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", filepath.Join(dir, "spark-submit.sh"), "b 1", "--report", "x y")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "SPARK_SUBMIT=" + show + " --conf a=b"}
	out, err := cmd.Output()
	want := strings.Join([]string{"--conf", "a=b", dir + "/sluice_job.py", "run", "it's $HOME.odcs.yaml", "--batch", "b 1", "--report", "x y", ""}, "\n")
	if err != nil || string(out) != want {
		t.Errorf("spark-submit gets %q, %v; want %q", out, err, want)
	}
	if err := exec.CommandContext(t.Context(), "/bin/sh", filepath.Join(dir, "spark-submit.sh")).Run(); err == nil {
		t.Error("the script runs without a batch")
	}
}
