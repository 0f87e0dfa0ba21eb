package cli

import (
	"fmt"
	"path/filepath"

	"sluice/cmd/internal/render"
	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/docs"

	ucli "github.com/urfave/cli/v2"
)

func docsCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "docs",
		Usage:     "write the pages that readers of published tables look at",
		ArgsUsage: "[PATH…]",
		Description: describe(`Writes a page of Markdown beside each contract under PATH (default: contracts/) that publishes
a table: orders.md of orders.odcs.yaml, or orders.<table>.md for each of several tables. A page
has what the table promises, its columns, rules and reason codes, its readers, how to read it,
and what its fixtures say becomes of a row. Each PATH that is a folder gets an index, README.md; one that
a folder below it has is kept up to date.

Pages whose table is gone are removed from these folders. A file that sluice docs did not write is
never touched. --check writes nothing, shows the differences and exits 1 if there are any.

--catalog writes no page: it prints the statements that set the comments of tables and columns,
for review. It connects to nothing.`,
			"sluice docs",
			"sluice docs --check contracts",
			"sluice docs contracts/sales/orders.odcs.yaml --catalog > comments.sql"),
		Flags: append([]ucli.Flag{
			&ucli.BoolFlag{Name: "check", Usage: "show what would change and exit 1, for CI"},
			&ucli.BoolFlag{Name: "catalog", Usage: "print the statements that set comments instead"},
			&ucli.StringFlag{Name: "index", Value: "README.md", Usage: "call the index of a folder `NAME`"},
		}, contractFlags()...),
		Action: func(c *ucli.Context) error { return document(c, env) },
	}
}

func document(c *ucli.Context, env Env) error {
	mode, err := oneOf(c, "check", "catalog")
	if err != nil {
		return err
	}
	if name := c.String("index"); name != filepath.Base(name) || filepath.Ext(name) != ".md" {
		return usagef("--index %q is no file name that ends in .md", name)
	}
	d := &documentation{paths: pathsOr(c, "contracts"), index: c.String("index"), want: map[string]string{}, found: map[string]string{}, about: map[string]string{}}
	files, err := findContracts(d.paths)
	if err != nil {
		return err
	}
	if d.opts, err = contractOptions(c, env); err != nil {
		return err
	}
	loaded, err := contracts.LoadAll(files, d.opts)
	if err != nil {
		return usagef("the contracts have problems:\n%w", err)
	}
	if mode == "catalog" {
		return catalog(env, loaded)
	}
	if err := d.scan(); err != nil {
		return err
	}
	if err := d.write(loaded); err != nil {
		return err
	}
	have, err := d.have()
	if err != nil {
		return err
	}
	return d.finish(env, mode == "check", compare(d.want, have))
}

// catalog prints the comments of every published table.
func catalog(env Env, loaded []*contracts.Contract) error {
	first := true
	for _, contract := range loaded {
		for _, table := range contract.Published() {
			statements, err := gen.Catalog(contract, table, docs.Summary(contract, table))
			if err != nil {
				return &usageError{err}
			}
			if !first {
				fmt.Fprintln(env.Stdout)
			}
			first = false
			render.Catalog(env.Stdout, table.Target.String(), contract.ID, contract.Version.String(), statements)
		}
	}
	return nil
}
