package cli

import (
	"errors"

	"sluice/cmd/internal/render"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

// mostBatches of one comparison are as many as a year of daily ones.
const mostBatches = 366

func impactCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "impact",
		Usage:     "show what a change of a contract would do to recent batches",
		ArgsUsage: "OLD NEW | CONTRACT",
		Description: describe(`Types and judges the rows of recent batches by both versions of a contract, in one query over
bronze, and shows which rows would get another verdict, by column and code, which batches the
reject ceiling would refuse, and up to five examples. Nothing is written. Compared is what a
row says alone: duplicates, lookups and late rows count as their last run recorded them.

Columns of the examples whose classification or tag says pii, personal, confidential,
restricted, sensitive or the like are masked by shape before they leave Spark.

The batches are the newest ones of the audit log, or those of --batch. With one contract it is
compared with itself where this branch left the default one, or --against another ref.

`+remoteHelp,
			"sluice impact orders",
			"sluice impact orders --against origin/release --markdown > comment.md",
			"sluice impact old.odcs.yaml new.odcs.yaml --batch 2026-03-21 --batch 2026-03-22 --json"),
		Flags: append([]ucli.Flag{
			&ucli.IntFlag{Name: "last", Value: 14, Usage: "compare over the newest `N` batches"},
			&ucli.StringSliceFlag{Name: "batch", Usage: "compare over batch `ID` instead; may be repeated"},
			&ucli.StringFlag{Name: "against", Usage: "compare one contract with itself where this branch left `REF`"},
			&ucli.BoolFlag{Name: "json", Usage: "print JSON"},
			&ucli.BoolFlag{Name: "markdown", Usage: "print a comment for a pull request"},
			tableFlag(), quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return impact(c, env) },
	}
}

func impact(c *ucli.Context, env Env) error {
	if err := arguments(c, 1, 2); err != nil {
		return err
	}
	if c.NArg() == 2 && c.IsSet("against") {
		return usagef("--against is for one contract; of two files the first is the old one")
	}
	format, err := oneOf(c, "json", "markdown")
	if err != nil {
		return err
	}
	last, named, err := impactBatches(c)
	if err != nil {
		return err
	}
	old, new, err := versions(c, env)
	if err != nil {
		return err
	}
	found, err := compareVersions(c, env, old, new, last, named)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		return render.JSON(env.Stdout, found)
	case "markdown":
		render.ImpactMarkdown(env.Stdout, found)
	default:
		render.Impact(env.Stdout, found)
	}
	return nil
}

func impactBatches(c *ucli.Context) (last int, named []string, err error) {
	named = c.StringSlice("batch")
	switch {
	case len(named) > 0 && c.IsSet("last"):
		return 0, nil, usagef("--last and --batch exclude each other: choose one")
	case len(named) > mostBatches:
		return 0, nil, usagef("%d batches are more than the %d of one comparison", len(named), mostBatches)
	case len(named) == 0 && (c.Int("last") < 1 || c.Int("last") > mostBatches):
		return 0, nil, usagef("--last %d is not 1 to %d", c.Int("last"), mostBatches)
	case len(named) == 0:
		return c.Int("last"), nil, nil
	}
	for _, id := range named {
		if err := plan.CheckBatchID(id); err != nil {
			return 0, nil, usagef("--batch: %w", err)
		}
	}
	return 0, named, nil
}

// versions reads both contracts. The table is the new one's; the old file has it
// under the same name, or has no other.
func versions(c *ucli.Context, env Env) (old, new job, err error) {
	opts, err := contractOptions(c, env)
	if err != nil {
		return old, new, err
	}
	if c.NArg() == 1 {
		old.contract, _, err = contractAt(c.Context, c.Args().First(), c.String("against"), opts)
	} else {
		old.contract, err = load(c.Args().First(), opts)
	}
	if err != nil {
		return old, new, err
	}
	if new.contract, err = load(c.Args().Get(c.NArg()-1), opts); err != nil {
		return old, new, err
	}
	if new.table, err = pick(new.contract, c.String("table")); err != nil {
		return old, new, err
	}
	name := new.table.Name
	if len(old.contract.Published()) == 1 {
		name = ""
	}
	old.table, err = pick(old.contract, name)
	return old, new, err
}

func compareVersions(c *ucli.Context, env Env, old, new job, last int, named []string) (runner.Impact, error) {
	var none runner.Impact
	before, err := old.plan()
	if err != nil {
		return none, err
	}
	after, err := new.plan()
	if err != nil {
		return none, err
	}
	session, err := connected(c, env, new.contract)
	if err != nil {
		return none, err
	}
	defer func() { _ = session.Close() }()
	columns, err := session.Describe(c.Context, gen.DescribeBronze(new.table))
	if runner.NotFound(err) {
		return none, errors.New("reading bronze: table " + new.table.Source.Table.String() + " does not exist; land a batch first (sluice land)")
	}
	if err != nil {
		return none, err
	}
	var bronze []string
	for _, column := range columns {
		bronze = append(bronze, column.Name)
	}
	queries, err := gen.Impact(versionOf(old), versionOf(new), bronze, last)
	if err != nil {
		return none, &usageError{err}
	}
	return runner.ReadImpact(c.Context, session, queries, before, after, named)
}

func versionOf(j job) gen.Version { return gen.Version{Contract: j.contract, Table: j.table} }
