package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/cmd/internal/git"
	"sluice/contracts"
	"sluice/contracts/breaking"
	"sluice/contracts/odcs"
)

// tree compares one working tree with one commit. Files are known by their paths
// from the root, with slashes.
type tree struct {
	opts     Options
	repo     *git.Repo
	limits   []string
	shownDir string            // the folder from which paths are shown
	old      map[string][]byte // contracts of the commit
	present  []string          // contracts of the working tree
	waiving  []string          // its files of waivers
	review   *Review
}

// Tree compares every contract of the working tree with the commit where its
// branch left the default one, or Against. Contracts that did not change are not
// in the result, unless their waivers have ended.
func Tree(ctx context.Context, opts Options) (*Review, error) {
	repo, err := git.Open(ctx, opts.Dir)
	if err != nil {
		return nil, err
	}
	t := &tree{opts: opts, repo: repo, review: &Review{}}
	if err := t.places(); err != nil {
		return nil, err
	}
	base, err := repo.Base(ctx, opts.Against)
	if err != nil {
		return nil, err
	}
	t.review.Base, t.review.Shallow = &base, repo.Shallow(ctx)
	if err := t.files(ctx, base.Commit); err != nil {
		return nil, err
	}
	renamed, err := t.renamed(ctx, base.Commit)
	if err != nil {
		return nil, err
	}
	for _, path := range t.present {
		if err := t.compare(path, renamed); err != nil {
			return nil, err
		}
	}
	if err := t.removed(renamed); err != nil {
		return nil, err
	}
	t.orphans(renamed)
	slices.SortStableFunc(t.review.Results, func(a, b *breaking.Result) int { return strings.Compare(a.File, b.File) })
	return t.review, nil
}

// places finds what the limits are from the root, and from where paths are shown.
func (t *tree) places() error {
	here, err := filepath.Abs(t.opts.Dir)
	if err != nil {
		return fmt.Errorf("looking for the working tree: %w", err)
	}
	if t.shownDir, err = filepath.EvalSymlinks(here); err != nil {
		return fmt.Errorf("looking for the working tree: %w", err)
	}
	for _, limit := range t.opts.Limits {
		full := filepath.Join(t.shownDir, limit)
		if filepath.IsAbs(limit) {
			full = limit
		}
		if real, err := filepath.EvalSymlinks(full); err == nil {
			full = real
		}
		inner, err := filepath.Rel(t.repo.Root, full)
		if err != nil || !filepath.IsLocal(inner) {
			return fmt.Errorf("looking for contracts: %q is not in the working tree %q", limit, t.repo.Root)
		}
		t.limits = append(t.limits, filepath.ToSlash(inner))
	}
	if t.limits == nil {
		t.limits = []string{"."}
	}
	return nil
}

// files lists the contracts of both sides, and reads the old ones.
func (t *tree) files(ctx context.Context, commit string) error {
	before, err := t.repo.Files(ctx, commit)
	if err != nil {
		return err
	}
	before = slices.DeleteFunc(before, t.otherThan(t.opts.Suffix))
	if t.old, err = t.repo.Read(ctx, commit, before); err != nil {
		return err
	}
	now, err := t.repo.Present(ctx)
	if err != nil {
		return err
	}
	t.waiving = slices.DeleteFunc(slices.Clone(now), t.otherThan(breaking.WaiverSuffixes))
	for _, path := range slices.DeleteFunc(now, t.otherThan(t.opts.Suffix)) {
		info, err := os.Lstat(t.full(path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("looking for contracts: %w", err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("looking for contracts: %q is no regular file; put the contract itself there", t.shown(path))
		default:
			t.present = append(t.present, path)
		}
	}
	t.review.Contracts = len(t.present)
	if len(t.present)+len(t.old) == 0 {
		return fmt.Errorf("looking for contracts: no file of the working tree %q under %s ends in %s", t.repo.Root, strings.Join(t.limits, ", "), t.opts.Suffix[0])
	}
	return nil
}

// otherThan tells paths that are none of the files meant: by their ending, or in a
// hidden folder or testdata below the folder that was asked for.
func (t *tree) otherThan(suffixes []string) func(path string) bool {
	return func(path string) bool {
		ends := slices.ContainsFunc(suffixes, func(end string) bool { return strings.HasSuffix(path, end) })
		for _, limit := range t.limits {
			if path == limit {
				return false
			}
			below, inside := strings.CutPrefix(path, limit+"/")
			if limit == "." {
				below, inside = path, true
			}
			if inside && ends && !skipped(below) {
				return false
			}
		}
		return true
	}
}

// orphans are files of waivers without a contract: none in the working tree, and
// none that only the commit has, for in the change that removes it a contract has
// a last word to say.
func (t *tree) orphans(renamed map[string]string) {
	moved := slices.Collect(maps.Values(renamed))
	known := slices.DeleteFunc(slices.Collect(maps.Keys(t.old)), func(path string) bool { return slices.Contains(moved, path) })
	known = append(known, t.present...)
	for _, path := range t.waiving {
		name := stem(path, breaking.WaiverSuffixes)
		if name == stem(path, nil) {
			continue // a contract that was named itself
		}
		_, err := os.Lstat(t.full(path))
		if err == nil && !slices.ContainsFunc(known, func(other string) bool { return stem(other, t.opts.Suffix) == name }) {
			t.review.Results = append(t.review.Results, breaking.Orphan(t.shown(path)))
		}
	}
}

func skipped(path string) bool {
	parts := strings.Split(path, "/")
	for i, name := range parts {
		folder := i < len(parts)-1
		if strings.HasPrefix(name, ".") || folder && (strings.HasPrefix(name, "_") || name == "testdata") {
			return true
		}
	}
	return false
}

func (t *tree) full(path string) string { return filepath.Join(t.repo.Root, filepath.FromSlash(path)) }

// shown is the path as seen from where the command runs.
func (t *tree) shown(path string) string {
	if rel, err := filepath.Rel(t.shownDir, t.full(path)); err == nil {
		return rel
	}
	return path
}

// parse keeps what is wrong with one file apart, so that the others are compared.
func (t *tree) parse(name string, data []byte) (*odcs.Document, error) {
	doc, err := parse(name, data)
	var problems contracts.Problems
	if errors.As(err, &problems) {
		t.review.Unreadable = append(t.review.Unreadable, problems...)
		return nil, nil
	}
	return doc, err
}

// waivers of a contract; false when they cannot be read.
func (t *tree) waivers(path string) (*breaking.Waivers, bool, error) {
	w, err := waiversBeside(t.full(path), t.shown(path), t.opts.Suffix)
	var problems contracts.Problems
	if errors.As(err, &problems) {
		t.review.Unreadable = append(t.review.Unreadable, problems...)
		return nil, false, nil
	}
	return w, err == nil, err
}
