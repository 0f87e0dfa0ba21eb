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
contracts/ is. It never opens a connection. Exits 1 when there is a problem.`,
			"sluice lint",
			"sluice lint contracts/aviation/flights.odcs.yaml",
			"sluice lint --json contracts | jq '.[].id'"),
		Flags: []ucli.Flag{
			serverFlag(),
			&ucli.BoolFlag{Name: "json", Usage: "print the problems as a JSON array"},
		},
		Action: func(c *ucli.Context) error { return lint(c, env) },
	}
}

func lint(c *ucli.Context, env Env) error {
	files, err := findContracts(pathsOr(c, "contracts"))
	if err != nil {
		return err
	}
	problems, err := contracts.Lint(files, contracts.Options{Server: c.String("server")})
	if err != nil {
		return &usageError{err}
	}
	if c.Bool("json") {
		if err := render.JSON(env.Stdout, render.ProblemList(problems)); err != nil {
			return err
		}
	} else {
		render.Problems(env.Stdout, problems)
	}
	if len(problems) > 0 {
		return &findingError{fmt.Sprintf("%s in %s", render.Count(len(problems), "problem"), render.Count(len(files), "contract"))}
	}
	fmt.Fprintf(env.Stderr, "%s, no problem\n", render.Count(len(files), "contract"))
	return nil
}
