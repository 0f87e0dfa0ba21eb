package cli

import (
	"fmt"

	"sluice/cmd/internal/render"
	"sluice/gen"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

// mostEntries of a history are as many as its commits can be read for.
const mostEntries = 250

func historyCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "history",
		Usage:     "show the runs and commits of a table, and who else wrote it",
		ArgsUsage: "CONTRACT",
		Description: describe(`Joins the audit log with the commits of the published table, newest first: when, batch,
contract version, rows, rejected, published, commit. Nothing is written. Marked are

  stray       a commit that changed rows and that no run of sluice made
  unrecorded  a publish whose run the audit log does not have; run the batch again
  lost        a recorded commit that the table does not have any more

Commits that change no row (OPTIMIZE, properties, constraints) are left out; --all shows them.
On Iceberg the commits are the snapshots that main stands on; what branches hold is shown by
sluice refs.

`+remoteHelp,
			"sluice history contracts/sales/orders.odcs.yaml",
			"sluice history contracts/sales/orders.odcs.yaml --limit 100 --all",
			`sluice history orders.odcs.yaml --json | jq '.entries[] | select(.mark == "stray")'`),
		Flags: append([]ucli.Flag{
			&ucli.IntFlag{Name: "limit", Value: 20, Usage: "show the newest `N` entries"},
			&ucli.BoolFlag{Name: "all", Usage: "show commits that change no row as well"},
			&ucli.BoolFlag{Name: "json", Usage: "print JSON"},
			tableFlag(), quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return tableHistory(c, env) },
	}
}

func tableHistory(c *ucli.Context, env Env) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	limit := c.Int("limit")
	if limit < 1 || limit > mostEntries {
		return usagef("--limit %d is not 1 to %d", limit, mostEntries)
	}
	j, err := loadJob(c, env)
	if err != nil {
		return err
	}
	queries, err := gen.History(j.contract, j.table, limit)
	if err != nil {
		return err
	}
	session, err := connected(c, env, j.contract)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	found, err := runner.ReadJournal(c.Context, session, queries, runner.JournalOptions{Entries: limit, Quiet: c.Bool("all")})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return render.JSON(env.Stdout, found)
	}
	render.Journal(env.Stdout, found)
	strays := 0
	for _, e := range found.Entries {
		if e.Mark == runner.Stray {
			strays++
		}
	}
	if strays > 0 {
		fmt.Fprintf(env.Stderr, "%s that no run of sluice wrote\n", render.Count(strays, "commit"))
	}
	return nil
}
