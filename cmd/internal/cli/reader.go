package cli

import (
	"fmt"
	"slices"
	"strings"

	"sluice/cmd/internal/render"
	"sluice/contracts"
	"sluice/gen"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

func readerCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "reader",
		Usage:     "hold a reader to one major version of a contract",
		ArgsUsage: "CONTRACT",
		Description: describe(`Exits 0 if the published table is at the major version that a reader was written for, else 1:
expects silver.orders contract 2.x, found 3.0.0. The table property contract.version alone
decides; a migration sets it before its writer ships. --verbose shows the newest commits of
runs and their contracts as well.

The major version is that of --major, else the one that --consumer has in the contract, else
the contract's own.

--emit prints the guard and the select list of the consumer's columns to paste into a notebook
or a job, and connects to nothing. The one in python raises by itself; no query can read a
table property, so the one in sql is a statement to look at before the query.

`+remoteHelp,
			"sluice reader contracts/sales/orders.odcs.yaml --major 2",
			"sluice reader contracts/sales/orders.odcs.yaml --consumer churn-model --emit python",
			"sluice reader contracts/sales/orders.odcs.yaml --columns order_id,order_total --emit sql",
			"sluice reader orders.odcs.yaml --major 2 --verbose --remote sc://spark:15002"),
		Flags: append([]ucli.Flag{
			&ucli.IntFlag{Name: "major", Usage: "expect major version `N`"},
			&ucli.StringFlag{Name: "consumer", Usage: "read as consumer `NAME` of the contract"},
			&ucli.StringFlag{Name: "columns", Usage: "select `NAMES`, separated by commas (default: those of --consumer, else all)"},
			&ucli.StringFlag{Name: "emit", Usage: "print guard and query as `FORM`, sql or python, instead of asking the table"},
			&ucli.BoolFlag{Name: "verbose", Usage: "show the newest commits of runs too"},
			&ucli.BoolFlag{Name: "json", Usage: "print what was found as JSON"},
			tableFlag(), quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return reader(c, env) },
	}
}

func reader(c *ucli.Context, env Env) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	form := c.String("emit")
	switch {
	case form != "" && !slices.Contains(gen.ReaderForms(), form):
		return usagef("--emit is %s, not %q", strings.Join(gen.ReaderForms(), " or "), form)
	case form != "" && (c.Bool("json") || c.Bool("verbose")):
		return usagef("--emit prints a guard and asks no table; leave --json and --verbose away")
	case c.IsSet("major") && c.Int("major") < 0:
		return usagef("--major %d is no major version; it is the first number of 2.1.0", c.Int("major"))
	case form == "" && c.IsSet("columns"):
		return usagef("--columns is for --emit: the version of a table is that of all its columns")
	}
	j, err := loadJob(c, env)
	if err != nil {
		return err
	}
	r, err := readerOf(c, j)
	if err != nil {
		return err
	}
	if form == "" {
		return checkReader(c, env, j, r.Major)
	}
	text, err := gen.EmitReader(j.contract, j.table, r, gen.ReaderForm(form))
	if err == nil {
		fmt.Fprint(env.Stdout, text)
	}
	return err
}

// readerOf is who reads: the flags win over what the contract says of its consumer.
func readerOf(c *ucli.Context, j job) (gen.Reader, error) {
	r := gen.Reader{Major: j.contract.Version.Major}
	var names []string
	if name := c.String("consumer"); name != "" {
		consumer := j.contract.Consumer(name)
		if consumer == nil {
			return r, unknownConsumer(j.contract, name)
		}
		r.Name = name
		names = consumer.Columns
		if consumer.Major > 0 {
			r.Major = consumer.Major
		}
	}
	if c.IsSet("major") {
		r.Major = c.Int("major")
	}
	if c.IsSet("columns") {
		names = strings.FieldsFunc(c.String("columns"), func(r rune) bool { return r == ',' || r == ' ' })
	}
	var unknown []string
	r.Columns, unknown = j.table.Select(names)
	for _, name := range unknown {
		if c.IsSet("columns") || !ofAnotherTable(j, name) {
			return r, usagef("table %s has no column %q in contract %s; it has %s", j.table.Target, name, j.contract.Version, columnNames(j.table))
		}
	}
	if len(r.Columns) == 0 {
		return r, usagef("consumer %s lists no column of table %s; choose another --table, or give --columns", r.Name, j.table.Target)
	}
	return r, nil
}

func unknownConsumer(contract *contracts.Contract, name string) error {
	var names []string
	for _, one := range contract.Consumers {
		names = append(names, one.Name)
	}
	if len(names) == 0 {
		return usagef("%q names no consumers; add the customProperty consumers, or leave --consumer away", contract.File)
	}
	return usagef("%q has no consumer %q; it has %s", contract.File, name, strings.Join(names, ", "))
}

// ofAnotherTable: a consumer's list is for all tables of a contract.
func ofAnotherTable(j job, column string) bool {
	return slices.ContainsFunc(j.contract.Tables, func(t *contracts.Table) bool { return t != j.table && t.Find(column) != nil })
}

func columnNames(t *contracts.Table) string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

func checkReader(c *ucli.Context, env Env, j job, major int) error {
	p, err := j.plan()
	if err != nil {
		return err
	}
	session, err := connected(c, env, j.contract)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	branches := j.contract.Server.Format == contracts.Iceberg
	pin, err := runner.CheckPin(c.Context, session, p, major, c.Bool("verbose") && !branches)
	if err == nil && c.Bool("verbose") && branches {
		pin.Commits, err = writtenSnapshots(c, j, session)
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = render.JSON(env.Stdout, pin)
	} else {
		render.Pin(env.Stdout, pin)
	}
	if err == nil && !pin.OK {
		err = &findingError{"this reader must not read; look at what changed (sluice breaking), then raise its --major"}
	}
	return err
}

// mostWritten is for how many snapshots of runs the history is read.
const mostWritten = 20

func writtenSnapshots(c *ucli.Context, j job, session Session) ([]runner.Written, error) {
	queries, err := gen.History(j.contract, j.table, mostWritten)
	if err != nil {
		return nil, err
	}
	return runner.WrittenSnapshots(c.Context, session, queries)
}
