package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"sluice/cmd/internal/render"
	"sluice/cmd/internal/review"
	"sluice/contracts"
	"sluice/contracts/breaking"

	ucli "github.com/urfave/cli/v2"
)

func breakingCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "breaking",
		Usage:     "say what a change of contracts breaks, and whether the version covers it",
		ArgsUsage: "[OLD NEW | PATH…]",
		Description: describe(`Compares two files, or every contract of the git working tree with the commit where this
branch left the default one (origin/HEAD, origin/main, origin/master, main, master; HEAD in
a repository without remote and without these). Folders limit the contracts; PATH may be one
contract. New, removed and renamed files are found.

Each change has a class: patch, minor, minor with notice, MAJOR or NEW TABLE, and the worst
one needs its step of the version: MAJOR a higher major, minor a higher minor, a new table
another contract id and another table. A version never goes down. The level (error, warning,
info) says whom the change hurts, consumers or, with --perspective producer, the producer;
it does not decide the exit code, because a declared break is no mistake.

A file <contract>.waivers.yaml beside the contract lists rule, path, owner, reason and until
of changes that do not count. Exits 1 when a version does not cover its changes, a column goes
before its promised end of life, or a waiver has ended or meets nothing; 2 when a file cannot
be read.`,
			"sluice breaking",
			"sluice breaking contracts/sales --against origin/release",
			"sluice breaking old.odcs.yaml new.odcs.yaml --perspective producer",
			"sluice breaking --json | jq '.[] | select(.gate.ok | not)'",
			"sluice breaking --github              # annotations of a GitHub workflow",
			"sluice breaking --markdown > comment.md",
			"sluice breaking --explain type-changed   # or: --explain all"),
		Flags: []ucli.Flag{
			&ucli.StringFlag{Name: "against", Usage: "compare the working tree with where it left `REF`, a branch, tag or commit"},
			&ucli.StringFlag{Name: "perspective", Value: string(breaking.ForConsumer), Usage: "tell levels for `WHOM`: consumer or producer"},
			&ucli.StringFlag{Name: "today", Usage: "judge ends of life and waivers as of `DATE` (yyyy-MM-dd; default: today in UTC)"},
			&ucli.BoolFlag{Name: "json", Usage: "print JSON: an object for two files, else a list"},
			&ucli.BoolFlag{Name: "junit", Usage: "print JUnit XML, a test case a contract"},
			&ucli.BoolFlag{Name: "github", Usage: "print annotations of a GitHub workflow"},
			&ucli.BoolFlag{Name: "markdown", Usage: "print a comment for a pull request"},
			&ucli.StringFlag{Name: "explain", Usage: "say what rule `ID` stands for and end; all lists every one"},
		},
		Action: func(c *ucli.Context) error { return compareContracts(c, env) },
	}
}

func compareContracts(c *ucli.Context, env Env) error {
	if c.IsSet("explain") {
		return explainRule(c, env)
	}
	format, err := oneOf(c, "json", "junit", "github", "markdown")
	if err != nil {
		return err
	}
	opts, err := reviewOptions(c)
	if err != nil {
		return err
	}
	r, err := reviewed(c, opts)
	if err != nil {
		return &usageError{err}
	}
	if r.Base != nil {
		fmt.Fprintln(env.Stderr, render.ReviewBase(r))
	}
	if err := showReview(env, format, r); err != nil {
		return err
	}
	text := render.ReviewTally(r)
	switch {
	case len(r.Unreadable) > 0:
		return usagef("%s; these could not be compared:\n%w", text, r.Unreadable)
	case r.Failed() > 0:
		return &findingError{text}
	}
	fmt.Fprintln(env.Stderr, text)
	return nil
}

func reviewOptions(c *ucli.Context) (review.Options, error) {
	whom := c.String("perspective")
	if !slices.Contains(breaking.Perspectives(), whom) {
		return review.Options{}, usagef("--perspective is consumer or producer, not %q", whom)
	}
	today, err := today(c)
	if err != nil {
		return review.Options{}, err
	}
	return review.Options{
		Dir: ".", Against: c.String("against"), Limits: c.Args().Slice(), Suffix: contractSuffixes,
		Compare: breaking.Options{Perspective: breaking.Perspective(whom), Today: today},
	}, nil
}

// today is the day of --today, or the present one in UTC.
func today(c *ucli.Context) (string, error) {
	day := c.String("today")
	if day == "" {
		day = time.Now().UTC().Format(time.DateOnly)
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return "", usagef("--today is a day as yyyy-MM-dd, not %q", day)
	}
	return day, nil
}

// reviewed compares two files where two are named and no commit is, else the
// working tree.
func reviewed(c *ucli.Context, opts review.Options) (*review.Review, error) {
	words := opts.Limits
	if len(words) != 2 || c.IsSet("against") || isFolder(words[0]) || isFolder(words[1]) {
		return review.Tree(c.Context, opts)
	}
	r, err := review.Files(words[0], words[1], opts)
	var problems contracts.Problems
	if errors.As(err, &problems) {
		return nil, fmt.Errorf("the files cannot be compared:\n%w", problems)
	}
	return r, err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func showReview(env Env, format string, r *review.Review) error {
	switch format {
	case "json":
		return render.JSON(env.Stdout, render.ReviewJSON(r))
	case "junit":
		return render.ReviewJUnit(env.Stdout, r)
	case "github":
		render.Annotations(env.Stdout, render.ReviewProblems(r))
	case "markdown":
		render.ReviewMarkdown(env.Stdout, r)
	default:
		render.Review(env.Stdout, r)
	}
	return nil
}

func explainRule(c *ucli.Context, env Env) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	id := c.String("explain")
	if id == "all" {
		render.ExplainRules(env.Stdout, breaking.Rules())
		return nil
	}
	rule, known := breaking.Explain(id)
	if !known {
		return unknownID("rule", id, breaking.IDs())
	}
	render.ExplainRule(env.Stdout, rule)
	return nil
}
