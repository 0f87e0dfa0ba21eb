package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Base is the commit to compare with.
type Base struct {
	Commit   string // its full id
	Ref      string // the branch that it was derived from, HEAD when there is none
	Detached bool   // HEAD is no branch
	Same     bool   // it is the commit that is checked out
}

// The branches that may be the default one, the surest first.
var defaults = []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"}

// Base finds where the work of this branch began: the merge base of HEAD with
// ref, or with the default branch when ref is empty. A repository without remote
// and without such a branch is compared with HEAD.
func (r *Repo) Base(ctx context.Context, ref string) (Base, error) {
	head, err := r.commit(ctx, "HEAD")
	if err != nil {
		return Base{}, errors.New("looking for the commit to compare with: the repository has no commit yet")
	}
	base := Base{Ref: ref}
	if _, err := r.run(ctx, "symbolic-ref", "-q", "HEAD"); err != nil {
		base.Detached = true
	}
	if ref == "" {
		if base.Ref, err = r.defaultBranch(ctx, base.Detached); err != nil {
			return Base{}, err
		}
	}
	target, err := r.commit(ctx, base.Ref)
	if err != nil {
		return Base{}, fmt.Errorf("looking for %q: no commit has that name here%s", base.Ref, r.shallowHint(ctx))
	}
	out, err := r.run(ctx, "merge-base", target, head)
	if err != nil {
		return Base{}, fmt.Errorf("looking for the commit where this branch left %s: the two share none%s", base.Ref, r.shallowHint(ctx))
	}
	base.Commit = line(out)
	base.Same = base.Commit == head
	return base, nil
}

func (r *Repo) commit(ctx context.Context, ref string) (string, error) {
	out, err := r.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	return line(out), err
}

func (r *Repo) defaultBranch(ctx context.Context, detached bool) (string, error) {
	for _, ref := range defaults {
		if _, err := r.commit(ctx, ref); err == nil {
			return ref, nil
		}
	}
	remotes, err := r.run(ctx, "remote")
	if err != nil {
		return "", err
	}
	if len(bytes.TrimSpace(remotes)) == 0 {
		return "HEAD", nil
	}
	where := ""
	if detached {
		where = " (HEAD is detached)"
	}
	return "", fmt.Errorf("looking for the default branch: none of %s is here%s; name it: --against origin/BRANCH%s", strings.Join(defaults, ", "), where, r.shallowHint(ctx))
}

// shallowHint says what a clone lacks that has only the newest commits, as CI
// systems make them.
func (r *Repo) shallowHint(ctx context.Context) string {
	out, err := r.run(ctx, "rev-parse", "--is-shallow-repository")
	if err != nil || line(out) != "true" {
		return ""
	}
	return "; this is a shallow clone, which lacks older commits: run git fetch --unshallow origin (of actions/checkout: fetch-depth: 0)"
}

// Shallow reports whether the clone lacks older commits.
func (r *Repo) Shallow(ctx context.Context) bool { return r.shallowHint(ctx) != "" }

// Short is enough of the commit for people.
func (b Base) Short() string { return b.Commit[:min(12, len(b.Commit))] }
