package git_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sluice/cmd/internal/git"
)

// repository is one commit with the given files.
func repository(t *testing.T, files map[string]string) (*git.Repo, string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo, dir
}

func TestReadGivesBytesAsTheyWere(t *testing.T) {
	files := map[string]string{
		"a.yaml": "one\n", "ü b/c d.yaml": "two without end", "empty.yaml": "", "large.yaml": strings.Repeat("0123456789\n", 50_000), "crlf.yaml": "a\r\n\x00b",
	}
	repo, _ := repository(t, files)
	base, err := repo.Base(t.Context(), "")
	if err != nil || base.Ref != "main" || !base.Same || base.Detached {
		t.Fatalf("base %+v: %v", base, err)
	}
	paths, err := repo.Files(t.Context(), base.Commit)
	if err != nil || len(paths) != len(files) {
		t.Fatalf("files %q: %v", paths, err)
	}
	texts, err := repo.Read(t.Context(), base.Commit, paths)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if !bytes.Equal(texts[name], []byte(want)) {
			t.Errorf("%s has %d bytes, want %d", name, len(texts[name]), len(want))
		}
	}
	if _, err := repo.Read(t.Context(), base.Commit, []string{"nowhere.yaml"}); err == nil || !strings.Contains(err.Error(), `reading "nowhere.yaml"`) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A ref is text of the user: it must not become an option of git.
func TestRefIsNoOption(t *testing.T) {
	repo, _ := repository(t, map[string]string{"a": "1"})
	for _, ref := range []string{"--all", "-h", "main:a", "nosuch"} {
		if _, err := repo.Base(t.Context(), ref); err == nil || !strings.Contains(err.Error(), "no commit has that name") {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := git.Open(t.Context(), "."); err == nil || !strings.Contains(err.Error(), "it is not installed; name two files") {
		t.Errorf("without git: %v", err)
	}
}
