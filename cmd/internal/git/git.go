// Package git asks a git repository for older versions of files, by running git:
// which commit to compare with, which files it had and what was in them. It
// changes nothing in the repository and knows nothing of contracts.
//
//	repo, err := git.Open(ctx, ".")
//	base, err := repo.Base(ctx, "")
//	texts, err := repo.Read(ctx, base.Commit, paths)
package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Repo is a working tree.
type Repo struct {
	Root string // absolute
}

// Open finds the working tree that holds a folder.
func Open(ctx context.Context, dir string) (*Repo, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("looking for git: it is not installed; name two files instead: sluice breaking OLD NEW")
	}
	out, err := (&Repo{Root: dir}).run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("looking for a git working tree: %w; name two files instead: sluice breaking OLD NEW", err)
	}
	return &Repo{Root: line(out)}, nil
}

func line(out []byte) string { return strings.TrimRight(string(out), "\r\n") }

// command never asks for a password or an editor, and reads paths as they are.
func (r *Repo) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.quotePath=false", "--literal-pathspecs"}, args...)...)
	cmd.Dir = r.Root
	return cmd
}

func (r *Repo) run(ctx context.Context, args ...string) ([]byte, error) {
	out, err := r.command(ctx, args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if text := line(bytes.TrimSpace(failed.Stderr)); text != "" {
			return nil, fmt.Errorf("running git %s: %s", args[0], strings.ReplaceAll(text, "\n", " "))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("running git %s: %w", args[0], err)
	}
	return out, nil
}

// Files lists the files of a commit below the root, with slashes.
func (r *Repo) Files(ctx context.Context, commit string) ([]string, error) {
	out, err := r.run(ctx, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
	return split(out), err
}

// Present lists the files of the working tree that git does not ignore, also
// those that nobody has added yet.
func (r *Repo) Present(ctx context.Context) ([]string, error) {
	out, err := r.run(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	return split(out), err
}

// Renames maps files of the working tree to their names in the commit, where git
// finds them similar enough. It sees only what git knows of, not new files.
func (r *Repo) Renames(ctx context.Context, commit string) (map[string]string, error) {
	out, err := r.run(ctx, "diff", "--name-status", "-z", "--find-renames", "--diff-filter=R", commit)
	names := map[string]string{}
	for words := split(out); len(words) >= 3; words = words[3:] {
		names[words[2]] = words[1]
	}
	return names, err
}

func split(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// Read returns the contents of files of a commit, in one process for all.
func (r *Repo) Read(ctx context.Context, commit string, paths []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	if len(paths) == 0 {
		return out, nil
	}
	cmd := r.command(ctx, "cat-file", "--batch")
	var questions strings.Builder
	for _, path := range paths {
		if strings.Contains(path, "\n") {
			return nil, fmt.Errorf("reading %q of %s: a name with a line break cannot be asked for", path, commit)
		}
		fmt.Fprintf(&questions, "%s:%s\n", commit, path)
	}
	cmd.Stdin = strings.NewReader(questions.String())
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("running git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("running git cat-file: %w", err)
	}
	reader := bufio.NewReader(answers)
	var failure error
	for _, path := range paths {
		data, err := answer(reader)
		if err != nil {
			failure = fmt.Errorf("reading %q of %s: %w", path, commit, err)
			break
		}
		out[path] = data
	}
	_, _ = io.Copy(io.Discard, reader) // so that git can end
	if err := cmd.Wait(); err != nil && failure == nil {
		failure = fmt.Errorf("running git cat-file: %w", err)
	}
	return out, failure
}

// answer reads one reply of cat-file: OBJECT blob SIZE, then the bytes.
func answer(r *bufio.Reader) ([]byte, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	words := strings.Fields(head)
	if len(words) < 3 || words[len(words)-2] != "blob" {
		return nil, fmt.Errorf("git has no file there: %s", strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return nil, fmt.Errorf("reading the answer %q of git: %w", head, err)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	_, err = r.Discard(1)
	return data, err
}
