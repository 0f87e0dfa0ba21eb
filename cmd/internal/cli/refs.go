package cli

import (
	"sluice/cmd/internal/render"
	"sluice/gen"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

func refsCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "refs",
		Usage:     "show the branches and tags of an Iceberg table, and which run wrote them",
		ArgsUsage: "CONTRACT",
		Description: describe(`Shows each head of the published table: branch or tag, snapshot, when it was committed, rows,
and the contract version and batch of the run that wrote it. Nothing is written. "says" is what
names the run: the stamp of the snapshot, else the audit log, else the table property
contract.commit (Iceberg for Spark 3.5 stamps no snapshots).

Tags sluice/<batch>/<run> are of runs that were killed between publishing and recording; the
next run of the batch records what they published, and drops them.

`+remoteHelp,
			"sluice refs contracts/retail/pos_line.odcs.yaml",
			"sluice refs contracts/retail/pos_line.odcs.yaml --remote sc://spark:15002",
			`sluice refs pos_line.odcs.yaml --json | jq -r '.heads[] | select(.name == "main").snapshot'`),
		Flags: append([]ucli.Flag{
			&ucli.BoolFlag{Name: "json", Usage: "print JSON"},
			tableFlag(), quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return refs(c, env) },
	}
}

func refs(c *ucli.Context, env Env) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	j, err := loadJob(c, env)
	if err != nil {
		return err
	}
	queries, err := gen.Heads(j.contract, j.table)
	if err != nil {
		return &usageError{err}
	}
	session, err := connected(c, env, j.contract)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	found, err := runner.ReadRefs(c.Context, session, queries)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return render.JSON(env.Stdout, found)
	}
	render.Refs(env.Stdout, found)
	return nil
}
