package cli

import (
	"errors"
	"fmt"

	"sluice/cmd/internal/render"
	"sluice/gen"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

func migrateCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "migrate",
		Usage:     "show or run the statements that bring a table to its contract",
		ArgsUsage: "CONTRACT",
		Description: describe(`Compares the published table with its contract and prints what is left to do as a script,
each statement with its reason and with the count of rows that are in its way. Nothing is
changed without --apply, which runs it step by step. It may be stopped and run again at any
time: each step is chosen from the table as it is. What drops or rewrites data runs only with
--allow-destructive. Exits 1 when, after --apply, something waits for a person.

On Delta, columns are dropped and retyped under column mapping, which raises the protocol of
the table for good; --rewrite writes the table anew instead (Spark 4). Iceberg does it in its
metadata: int to bigint, float to double and wider decimals in place, other types by a new
column that takes the name. It has no CHECK and takes no NOT NULL afterwards, so that row
rules alone hold a column that became required. Another partitioning is refused.

`+remoteHelp,
			"sluice migrate contracts/sales/orders.odcs.yaml",
			"sluice migrate contracts/sales/orders.odcs.yaml > orders.sql",
			"sluice migrate contracts/sales/orders.odcs.yaml --apply",
			"sluice migrate contracts/sales/orders.odcs.yaml --apply --allow-destructive --rewrite",
			"sluice migrate contracts/sales/orders.odcs.yaml --json | jq '.steps[] | select(.state == \"waits\")'"),
		Flags: append([]ucli.Flag{
			tableFlag(),
			&ucli.BoolFlag{Name: "apply", Usage: "run the statements instead of printing them"},
			&ucli.BoolFlag{Name: "allow-destructive", Usage: "with --apply, also run what drops or rewrites data"},
			&ucli.BoolFlag{Name: "rewrite", Usage: "drop and retype columns by writing the table anew, not by column mapping"},
			&ucli.BoolFlag{Name: "json", Usage: "print the steps as JSON"},
			quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return migrate(c, env) },
	}
}

func migrate(c *ucli.Context, env Env) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	if c.Bool("allow-destructive") && !c.Bool("apply") {
		return usagef("--allow-destructive needs --apply: without it nothing is run")
	}
	j, err := loadJob(c, env)
	if err != nil {
		return err
	}
	target, err := targetOf(c, env, j.contract)
	if err != nil {
		return err
	}
	p, err := j.plan()
	if err != nil {
		return err
	}
	next, err := gen.Migrator(j.contract, j.table, c.Bool("rewrite"))
	if err != nil {
		return &usageError{err}
	}
	session, err := target.open(c.Context, env, logger(env, c.Bool("quiet")))
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	options := runner.MigrateOptions{Apply: c.Bool("apply"), AllowDestructive: c.Bool("allow-destructive"), Next: next}
	if options.Apply && !c.Bool("quiet") {
		options.Observe = render.NewProgress(env.Stderr, env.Terminal, env.Width).Event
	}
	report, failed := runner.Migrate(c.Context, session, p, options)
	if err := showMigration(c, env, j, report); err != nil || failed != nil {
		return errors.Join(failed, err)
	}
	return migrated(env, report)
}

// showMigration writes the statements with the names that variables make in them,
// as plan does; what Spark said of them is redacted.
func showMigration(c *ucli.Context, env Env, j job, r runner.Migration) error {
	r.Failures = redacted(env.secrets, r.Failures)
	if c.Bool("json") {
		return render.JSON(env.Stdout, r)
	}
	render.Migration(env.Stdout, r, j.migrate())
	return nil
}

// migrated is the closing line, as an error when somebody has something to do.
func migrated(env Env, r runner.Migration) error {
	waiting := 0
	for _, s := range r.Steps {
		if s.State == runner.StepWaits {
			waiting++
		}
	}
	switch r.Result {
	case runner.Left:
		return &findingError{fmt.Sprintf("%s of table %s: waiting for somebody; each says for what", render.Count(waiting, "step"), r.Table)}
	case runner.NoTable:
		fmt.Fprintf(env.Stderr, "table %s does not exist: the first run creates it\n", r.Table)
	case runner.NothingToDo:
		fmt.Fprintf(env.Stderr, "table %s is as contract %s has it\n", r.Table, r.Version)
	case runner.Planned:
		fmt.Fprintf(env.Stderr, "%s for table %s, %d waiting; nothing was changed\n", render.Count(len(r.Steps), "step"), r.Table, waiting)
	case runner.Applied:
		fmt.Fprintf(env.Stderr, "%s applied: table %s is as contract %s has it\n", render.Count(len(r.Steps), "step"), r.Table, r.Version)
	case runner.Broken:
	}
	return nil
}
