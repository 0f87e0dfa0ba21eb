package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sluice/contracts"
	spec "sluice/contracts/fixture"
	"sluice/runner/fixture"

	ucli "github.com/urfave/cli/v2"
)

func fixtureCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:  "fixture",
		Usage: "make fixtures for sluice test",
		Description: describe("Makes fixtures: small batches, and what must become of each row. sluice test runs them.",
			"sluice fixture add contracts/sales/orders.odcs.yaml --batch 2026-03-21 --reason bad_amount"),
		Subcommands: []*ucli.Command{{
			Name:      "add",
			Usage:     "turn a rejected row of production into a fixture",
			ArgsUsage: "CONTRACT",
			Description: describe(`Takes a row of a batch from quarantine, by one of its reason codes, and appends a fixture
of it to <table>.fixtures.yaml beside the contract: the row as the source sent it, and the
codes that it must get. Give the fixture its name, then run it with sluice test.

Columns whose classification or tag in the contract says pii, personal, confidential,
restricted, sensitive or the like are masked by shape, so are those of --mask: letters
become x and X, digits 9, the rest stays. What is cast keeps a form that can be cast.

Versions of a key that tie in the batch come together. A verdict that hangs on an accepted
row (late_superseded, most duplicate_superseded) is refused: quarantine has half of it.

`+remoteHelp,
				"sluice fixture add orders.odcs.yaml --batch 2026-03-21 --reason bad_amount",
				"sluice fixture add orders.odcs.yaml --batch 2026-03-21 --reason bad_amount --mask customer_id --print",
				"sluice fixture add orders.odcs.yaml --batch 2026-03-21 --reason ambiguous_duplicate --rows 3"),
			Flags: append([]ucli.Flag{
				&ucli.StringFlag{Name: "batch", Usage: "take rows of batch `ID` (required)"},
				&ucli.StringFlag{Name: "reason", Usage: "take rows with the reason `CODE` (required)"},
				&ucli.StringSliceFlag{Name: "mask", Usage: "mask `COLUMN` of the source or the contract as well; may be repeated"},
				&ucli.IntFlag{Name: "rows", Value: 1, Usage: "add up to `N` fixtures, one a row or tied key"},
				&ucli.BoolFlag{Name: "print", Usage: "print the fixtures instead of appending them"},
				tableFlag(), quietFlag(),
			}, remoteFlags()...),
			Action: func(c *ucli.Context) error { return addFixture(c, env) },
		}},
	}
}

// mostFixtures of one call are as many as a person will give names.
const mostFixtures = 100

func addFixture(c *ucli.Context, env Env) error {
	wanted, err := rejected(c, env)
	if err != nil {
		return err
	}
	if err := wanted.Check(); err != nil {
		return &usageError{err}
	}
	target, err := targetOf(c, env, wanted.Contract)
	if err != nil {
		return err
	}
	file, err := fixtureFile(c, env, wanted)
	if err != nil {
		return err
	}
	session, err := target.open(c.Context, env, logger(env, c.Bool("quiet")))
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	found, err := fixture.FromQuarantine(c.Context, session, wanted)
	var none *fixture.NoFixtureError
	if errors.As(err, &none) {
		return &usageError{err}
	}
	if err != nil {
		return err
	}
	return keepFixtures(c, env, file, found)
}

// rejected are the rows that the command line asks for.
func rejected(c *ucli.Context, env Env) (fixture.Rejected, error) {
	none := fixture.Rejected{}
	if err := arguments(c, 1, 1); err != nil {
		return none, err
	}
	batch, err := batchID(c)
	switch {
	case err != nil:
		return none, err
	case c.String("reason") == "":
		return none, usagef("--reason is missing, the code of the row; see %s --help", c.Command.HelpName)
	case c.Int("rows") < 1 || c.Int("rows") > mostFixtures:
		return none, usagef("--rows %d is not 1 to %d", c.Int("rows"), mostFixtures)
	}
	j, err := loadJob(c, env)
	return fixture.Rejected{
		Contract: j.contract, Table: j.table, Batch: batch, Code: c.String("reason"), Rows: c.Int("rows"), Mask: c.StringSlice("mask"),
	}, err
}

// fixtureFile is the one beside the contract, there or not.
func fixtureFile(c *ucli.Context, env Env, wanted fixture.Rejected) (*spec.Appender, error) {
	opts, err := contractOptions(c, env)
	if err != nil {
		return nil, err
	}
	path, err := besideContract(wanted.Contract.File)
	if err != nil {
		path = contractStem(wanted.Contract.File) + spec.Suffixes[0]
	}
	file, err := spec.NewAppender(path, wanted.Contract, wanted.Table, opts)
	var problems contracts.Problems
	switch {
	case asProblems(err, &problems):
		return nil, usagef("the fixtures have problems:\n%w", err)
	case err != nil:
		return nil, &usageError{err}
	default:
		return file, nil
	}
}

// keepFixtures appends or prints. Where nothing can be appended the fixtures are
// printed as well: they were found, and are only to be pasted.
func keepFixtures(c *ucli.Context, env Env, file *spec.Appender, found fixture.Found) error {
	file.Name(found.Fixtures)
	text, err := file.Text(found.Fixtures)
	if err != nil {
		return fmt.Errorf("writing the fixture: %w; --mask hides the text", err)
	}
	tell := func() {
		for _, note := range found.Notes {
			fmt.Fprintln(env.Stderr, "note: "+note)
		}
	}
	if c.Bool("print") {
		fmt.Fprint(env.Stdout, text)
		tell()
		return nil
	}
	err = file.Add(found.Fixtures)
	var closed *spec.ClosedError
	switch {
	case errors.As(err, &closed):
		fmt.Fprint(env.Stdout, text)
		tell()
		return &usageError{err}
	case err != nil:
		return err
	}
	for _, f := range found.Fixtures {
		fmt.Fprintf(env.Stdout, "%s:%d: %s\n", file.Path, f.Position.Line, f.Name)
	}
	tell()
	fmt.Fprintf(env.Stderr, "give it a name that says what happened, and run it: sluice test %s\n", filepath.ToSlash(file.Path))
	return nil
}

// contractStem is a contract's path without what marks it as one.
func contractStem(path string) string {
	for _, s := range slices.Concat(contractSuffixes, []string{".yaml", ".yml"}) {
		if stem, marked := strings.CutSuffix(path, s); marked {
			return stem
		}
	}
	return path
}
