package cli

import (
	"errors"
	"fmt"

	ucli "github.com/urfave/cli/v2"

	"sluice/cmd/internal/render"
	"sluice/contracts"
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
	problems := contracts.Problems{}
	bad := 0
	var unreadable []error
	for _, file := range files {
		_, err := contracts.Load(file, contracts.Options{Server: c.String("server")})
		var found contracts.Problems
		switch {
		case errors.As(err, &found):
			problems = append(problems, found...)
			bad++
		case err != nil:
			unreadable = append(unreadable, err)
		}
	}
	if c.Bool("json") {
		render.JSON(env.Stdout, render.ProblemList(problems))
	} else {
		render.Problems(env.Stdout, problems)
	}
	switch {
	case len(unreadable) > 0:
		return &usageError{errors.Join(unreadable...)}
	case len(problems) > 0:
		return &findingError{fmt.Sprintf("%s in %d of %s", render.Count(len(problems), "problem"), bad, render.Count(len(files), "contract"))}
	default:
		fmt.Fprintf(env.Stderr, "%s, no problem\n", render.Count(len(files), "contract"))
		return nil
	}
}
