package cli

import (
	"fmt"

	ucli "github.com/urfave/cli/v2"

	"sluice/cmd/internal/render"
	"sluice/runner/local"
)

func sparkCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:  "spark",
		Usage: "start, find and stop the local Spark",
		Description: describe(`A real Spark Connect server on this machine, with Delta and Iceberg, for laptops, tests and
CI. It needs Java 17 and Python 3, and stays up until it is stopped; tables survive that.`,
			"sluice spark start",
			"export SPARK_REMOTE=$(sluice spark start --spark 3.5)",
			"sluice spark status",
			"sluice spark stop"),
		Subcommands: []*ucli.Command{
			{
				Name: "start", Usage: "start it, or find the one that runs; prints its connection string",
				Description: describe("Starts the local Spark unless it runs, and prints its connection string.",
					"sluice spark start", "sluice spark start --spark 3.5 --port 15002"),
				Flags: []ucli.Flag{
					sparkFlag(),
					&ucli.IntFlag{Name: "port", Usage: "listen on port `N` (default: a free one)"},
					quietFlag(),
				},
				Action: func(c *ucli.Context) error { return startSpark(c, env) },
			},
			{
				Name: "stop", Usage: "stop it; its tables stay",
				Description: describe("Stops the local Spark. Its tables stay for the next start.", "sluice spark stop"),
				Flags:       []ucli.Flag{sparkFlag(), quietFlag()},
				Action:      func(c *ucli.Context) error { return stopSpark(c, env) },
			},
			{
				Name: "status", Usage: "show whether it runs",
				Description: describe("Shows whether the local Spark runs, and where. Exits 1 when it does not.",
					"sluice spark status", "sluice spark status --json"),
				Flags: []ucli.Flag{
					sparkFlag(),
					&ucli.BoolFlag{Name: "json", Usage: "print the status as JSON"},
				},
				Action: func(c *ucli.Context) error { return sparkStatus(c, env) },
			},
		},
	}
}
