package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/cmd/internal/render"
	"sluice/contracts"
	spec "sluice/contracts/fixture"
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
and what its fixtures say becomes of a row. Each PATH that is a folder gets an index, README.md.

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
	d := &documentation{paths: pathsOr(c, "contracts"), index: c.String("index"), want: map[string]string{}, about: map[string]string{}}
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

// documentation is the pages that shall be there, by path.
type documentation struct {
	paths []string
	index string
	opts  contracts.Options
	want  map[string]string
	about map[string]string // lower-case path -> what it is a page of
}

// write makes every page.
func (d *documentation) write(loaded []*contracts.Contract) error {
	for _, contract := range loaded {
		for _, table := range contract.Published() {
			fixtures, err := d.fixtures(contract, table)
			if err != nil {
				return err
			}
			page, err := docs.Page(docs.Subject{Contract: contract, Table: table, Fixtures: fixtures})
			if err != nil {
				return err
			}
			path := filepath.Join(filepath.Dir(contract.File), docs.Name(contract, table))
			if err := d.put(path, fmt.Sprintf("%s of %s", table.Target, contract.File), page); err != nil {
				return err
			}
		}
	}
	for _, folder := range d.folders() {
		page, err := docs.Index(within(loaded, folder), folder)
		if err != nil {
			return err
		}
		if err := d.put(filepath.Join(folder, d.index), "the index of "+folder, page); err != nil {
			return err
		}
	}
	return nil
}

// put keeps pages apart that a file system would make one.
func (d *documentation) put(path, about, page string) error {
	key := strings.ToLower(filepath.Clean(path))
	if other, taken := d.about[key]; taken {
		return usagef("documenting %s: %s has the page %q as well; rename a contract file or, for an index, choose --index", about, other, path)
	}
	d.about[key] = about
	d.want[filepath.ToSlash(filepath.Clean(path))] = page
	return nil
}

// folders are the paths that are folders, each once.
func (d *documentation) folders() []string {
	var out []string
	for _, path := range d.paths {
		path = filepath.Clean(path)
		if info, err := os.Stat(path); err == nil && info.IsDir() && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// within are the contracts under a folder.
func within(loaded []*contracts.Contract, folder string) []*contracts.Contract {
	var out []*contracts.Contract
	for _, c := range loaded {
		if inner, err := filepath.Rel(folder, c.File); err == nil && filepath.IsLocal(inner) {
			out = append(out, c)
		}
	}
	return out
}

// fixtures are the files beside a contract, by its stem, that test a table of it.
func (d *documentation) fixtures(contract *contracts.Contract, table *contracts.Table) ([]*spec.File, error) {
	folder, stem := filepath.Dir(contract.File), filepath.Base(contractStem(contract.File))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("looking for fixtures: %w", err)
	}
	var out []*spec.File
	for _, e := range entries {
		if e.IsDir() || !strings.HasPrefix(e.Name(), stem+".") || !hasSuffix(e.Name(), spec.Suffixes) {
			continue
		}
		file, err := spec.Load(filepath.Join(folder, e.Name()), d.opts)
		var problems contracts.Problems
		switch {
		case asProblems(err, &problems):
			return nil, usagef("the fixtures have problems:\n%w", err)
		case err != nil:
			return nil, &usageError{err}
		case filepath.Clean(file.Contract.File) == filepath.Clean(contract.File) && file.Table.Name == table.Name:
			out = append(out, file)
		}
	}
	return out, nil
}

// have reads the pages that are there: the wanted ones, and those of folders whose
// table is gone. What somebody else wrote in the place of a page is an error.
func (d *documentation) have() (map[string]string, error) {
	have := map[string]string{}
	var foreign []string
	for path := range d.want {
		text, err := os.ReadFile(filepath.FromSlash(path))
		switch {
		case os.IsNotExist(err):
		case err != nil:
			return nil, fmt.Errorf("reading pages: %w", err)
		case !strings.HasPrefix(string(text), docs.Header):
			foreign = append(foreign, path)
		default:
			have[path] = string(text)
		}
	}
	if len(foreign) > 0 {
		slices.Sort(foreign)
		return nil, usagef("sluice docs did not write %s, so it does not touch it; move the file away or, for an index, choose --index", strings.Join(foreign, ", "))
	}
	for _, folder := range d.folders() {
		found, err := walk(folder, []string{".md"}) // none is an error there, and no news here
		if len(found) == 0 {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading pages: %w", err)
		}
		for _, path := range found {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("reading pages: %w", err)
			}
			if strings.HasPrefix(string(text), docs.Header) {
				have[filepath.ToSlash(filepath.Clean(path))] = string(text)
			}
		}
	}
	return have, nil
}

// finish shows the changes, or makes them.
func (d *documentation) finish(env Env, check bool, changes []render.Change) error {
	pages := render.Count(len(d.want), "page")
	if check {
		if len(changes) == 0 {
			fmt.Fprintf(env.Stderr, "%s up to date\n", pages)
			return nil
		}
		render.Changes(env.Stdout, "", changes)
		return &findingError{fmt.Sprintf("%s differ from the contracts; run sluice docs", render.Count(len(changes), "page"))}
	}
	if err := apply("", changes); err != nil {
		return err
	}
	for _, change := range changes {
		fmt.Fprintf(env.Stdout, "%s %s\n", change.Verb(), filepath.FromSlash(change.Name))
	}
	fmt.Fprintf(env.Stderr, "%s, %d changed\n", pages, len(changes))
	return nil
}
