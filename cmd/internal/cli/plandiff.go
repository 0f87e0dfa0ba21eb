package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"sluice/cmd/internal/git"
	"sluice/cmd/internal/render"
	"sluice/contracts"
	"sluice/gen/plan"

	ucli "github.com/urfave/cli/v2"
)

// showDiff prints how the statements of a run differ from those of the contract as
// it was at a git ref. Statements are known by their names, for their numbers shift.
func showDiff(c *ucli.Context, env Env, j job, now *plan.Plan) error {
	for _, other := range []string{"batch", "run", "partition", "step", "json", "grants"} {
		if c.IsSet(other) {
			return usagef("--diff and --%s exclude each other: a diff compares the statements with their markers", other)
		}
	}
	opts, err := contractOptions(c, env)
	if err != nil {
		return err
	}
	then, base, err := contractAt(c.Context, c.Args().First(), c.String("diff"), opts)
	if err != nil {
		return err
	}
	table, err := pick(then, c.String("table"))
	if err != nil {
		return err
	}
	old, err := job{then, table}.plan()
	if err != nil {
		return err
	}
	changes := compare(texts(now), texts(old))
	var text bytes.Buffer
	render.Changes(&text, now.Table, changes)
	if err := env.show(c.Context, text.Bytes(), render.HighlightDiff); err != nil {
		return err
	}
	if len(changes) == 0 {
		fmt.Fprintf(env.Stderr, "the statements are those of %s (%s)\n", base.Ref, base.Short())
		return nil
	}
	verb := "differ"
	if len(changes) == 1 {
		verb = "differs"
	}
	fmt.Fprintf(env.Stderr, "%s %s from %s (%s), contract %s then and %s now\n", render.Count(len(changes), "statement"), verb, base.Ref, base.Short(), old.Version, now.Version)
	return nil
}

// contractAt loads a contract, and the files that it refers to, from where the
// working tree left a ref.
func contractAt(ctx context.Context, path, ref string, opts contracts.Options) (*contracts.Contract, git.Base, error) {
	full, err := filepath.Abs(path)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return nil, git.Base{}, usagef("looking for %q: %w", path, err)
	}
	repo, err := git.Open(ctx, filepath.Dir(full))
	if err != nil {
		return nil, git.Base{}, usagef("%w", err)
	}
	base, err := repo.Base(ctx, ref)
	if err != nil {
		return nil, git.Base{}, usagef("%w", err)
	}
	opts.ReadFile = func(name string) ([]byte, error) {
		inside, err := filepath.Rel(repo.Root, name)
		if err != nil {
			return nil, fmt.Errorf("reading %q of %s: %w", name, ref, err)
		}
		key := filepath.ToSlash(inside)
		found, err := repo.Read(ctx, base.Commit, []string{key})
		return found[key], err
	}
	contract, err := load(full, opts)
	if err != nil {
		return nil, base, fmt.Errorf("reading %q as it was at %s (%s): %w", path, ref, base.Short(), err)
	}
	return contract, base, nil
}

// texts are the statements of a plan by name, and the checks and settings of each
// step, which decide as much.
func texts(p *plan.Plan) map[string]string {
	out := map[string]string{}
	for i := range p.Steps {
		step := &p.Steps[i]
		for _, st := range step.Statements {
			out[st.Name+".sql"] = st.SQL + ";\n"
		}
		var rules strings.Builder
		render.StepRules(&rules, step)
		if rules.Len() > 0 {
			out[step.Name+".checks"] = rules.String()
		}
	}
	return out
}
