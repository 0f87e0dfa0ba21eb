package review_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sluice/cmd/internal/review"
	"sluice/contracts/breaking"
)

// BenchmarkTree compares a working tree of 300 contracts of 60 columns, all of
// them changed, with its last commit. The aim is a second after git has answered.
func BenchmarkTree(b *testing.B) {
	dir := b.TempDir()
	write(b, dir, 300, "1.0.0", 100)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one"},
	} {
		cmd := exec.CommandContext(b.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Skipf("running git: %v: %s", err, out)
		}
	}
	write(b, dir, 300, "1.1.0", 50)
	opts := review.Options{Dir: dir, Suffix: []string{".odcs.yaml"}, Compare: breaking.Options{Today: "2026-06-01"}}
	for b.Loop() {
		r, err := review.Tree(b.Context(), opts)
		if err != nil || len(r.Results) != 300 || r.Failed() != 0 {
			b.Fatalf("%d results: %v", len(r.Results), err)
		}
	}
}

func write(tb testing.TB, dir string, contracts int, version string, longest int) {
	tb.Helper()
	for i := range contracts {
		var text strings.Builder
		fmt.Fprintf(&text, "apiVersion: v3.2.0\nkind: DataContract\nid: c%d\nversion: %s\nschema:\n- name: t%d\n  properties:\n", i, version, i)
		for j := range 60 {
			fmt.Fprintf(&text, "  - {name: c%d, logicalType: string, physicalType: STRING, description: What it is., logicalTypeOptions: {maxLength: %d}}\n", j, longest)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("c%d.odcs.yaml", i)), []byte(text.String()), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}
