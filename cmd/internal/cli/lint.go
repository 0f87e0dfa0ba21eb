package cli

import (
	"fmt"

	"sluice/cmd/internal/render"
	"sluice/contracts"

	ucli "github.com/urfave/cli/v2"
)

func lintCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "lint",
		Usage:     "show every problem of contracts",
		ArgsUsage: "[PATH…]",
		Description: describe(`Reads contracts and prints all that is wrong with them, a line each:
file:line:column: id: text. Folders are searched for *.odcs.yaml; without a path,
contracts/ is. It never opens a connection.

Errors keep a contract from being used; warnings are probable mistakes; notes tell what
nobody has to mend, and are shown by --notes alone. Exits 1 when there is an error, with
--strict also when there is a warning; but what comes by the calendar and not by an edit
(past-end-of-life) never decides the exit code. --explain says what an id stands for.`,
			"sluice lint",
			"sluice lint contracts/aviation/flights.odcs.yaml --notes",
			"sluice lint --json contracts | jq '.[].id'",
			"sluice lint --strict --github          # annotations of a GitHub workflow",
			"sluice lint --junit > lint.xml         # for other CI servers",
			"sluice lint --explain empty-range      # or: --explain all"),
		Flags: append([]ucli.Flag{
			&ucli.BoolFlag{Name: "json", Usage: "print the problems as a JSON array"},
			&ucli.BoolFlag{Name: "junit", Usage: "print JUnit XML, a test case a contract"},
			&ucli.BoolFlag{Name: "github", Usage: "print annotations of a GitHub workflow"},
			&ucli.BoolFlag{Name: "strict", Usage: "exit 1 for warnings too"},
			&ucli.BoolFlag{Name: "notes", Usage: "print notes too"},
			&ucli.StringFlag{Name: "today", Usage: "judge ends of life as of `DATE` (yyyy-MM-dd; default: today in UTC)"},
			&ucli.StringFlag{Name: "explain", Usage: "say what problem `ID` stands for and end; all lists every one"},
		}, contractFlags()...),
		Action: func(c *ucli.Context) error { return lint(c, env) },
	}
}

func lint(c *ucli.Context, env Env) error {
	if c.IsSet("explain") {
		return explain(c, env)
	}
	format, err := oneOf(c, "json", "junit", "github")
	if err != nil {
		return err
	}
	opts, err := contractOptions(c, env)
	if err != nil {
		return err
	}
	if opts.Today, err = today(c); err != nil {
		return err
	}
	files, err := findContracts(pathsOr(c, "contracts"))
	if err != nil {
		return err
	}
	all, err := contracts.Lint(files, opts)
	if err != nil {
		return &usageError{err}
	}
	shown := all
	if !c.Bool("notes") {
		shown = all.Except(contracts.Note)
	}
	if err := showProblems(env, format, files, shown, c.Bool("strict")); err != nil {
		return err
	}
	return verdict(env, all, len(files), c.Bool("strict"), c.Bool("notes"))
}

func showProblems(env Env, format string, files []string, problems contracts.Problems, strict bool) error {
	switch format {
	case "json":
		return render.JSON(env.Stdout, render.ProblemList(problems))
	case "junit":
		return render.JUnit(env.Stdout, files, problems, strict)
	case "github":
		render.Annotations(env.Stdout, problems)
	default:
		render.Problems(env.Stdout, problems)
	}
	return nil
}

// verdict is the closing line, as an error when it is a finding.
func verdict(env Env, all contracts.Problems, files int, strict, notes bool) error {
	text := render.Tally(all, files, notes)
	bad := len(all.Of(contracts.Error)) > 0 || strict && len(all.Strict()) > 0
	if bad {
		return &findingError{text}
	}
	fmt.Fprintln(env.Stderr, text)
	return nil
}

// explain prints entries of the registry.
func explain(c *ucli.Context, env Env) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	id := c.String("explain")
	if id == "all" {
		render.ExplainAll(env.Stdout, contracts.Explanations())
		return nil
	}
	entry, known := contracts.Explain(id)
	if !known {
		return unknownID("problem", id, problemIDs())
	}
	render.Explain(env.Stdout, entry)
	return nil
}

func problemIDs() []string {
	var out []string
	for _, e := range contracts.Explanations() {
		out = append(out, e.ID)
	}
	return out
}

// unknownID is about an id of a registry that --explain does not find.
func unknownID(what, id string, known []string) error {
	hint := "; --explain all lists every id"
	if best := nearest(id, known); best != "" {
		hint = fmt.Sprintf("; did you mean %q?", best)
	}
	return usagef("no %s has the id %q%s", what, id, hint)
}

// oneOf is the one flag of several that exclude each other, or "".
func oneOf(c *ucli.Context, names ...string) (string, error) {
	found := ""
	for _, name := range names {
		if !c.Bool(name) {
			continue
		}
		if found != "" {
			return "", usagef("--%s and --%s exclude each other: choose one", found, name)
		}
		found = name
	}
	return found, nil
}
