package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/cmd/internal/render"
	"sluice/contracts"
	"sluice/gen"

	ucli "github.com/urfave/cli/v2"
)

func genCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "gen",
		Usage:     "write the statements of contracts to files",
		ArgsUsage: "[PATH…]",
		Description: describe(`Writes OUT/<table>/NN_<statement>.sql for every table that the contracts under PATH
publish (default: contracts/), and removes generated files there that no statement has any
more. Without a PATH, folders of tables that no contract has any more are cleared as well.
--check writes nothing, shows the differences and exits 1 if there are any.

--notebook also writes OUT/<table>/<table>.ipynb, which runs a batch in Fabric, Databricks or
Jupyter with nothing but a Spark session. A notebook that is there is kept up to date by every
later gen, as it was asked for, and compared by --check; delete it to be rid of it.`,
			"sluice gen",
			"sluice gen contracts/aviation --out sql",
			"sluice gen --notebook --fixtures contracts/sales/orders.odcs.yaml",
			"sluice gen --notebook --format magic --batch 2026-09-30 contracts/sales/orders.odcs.yaml",
			"sluice gen --check"),
		Flags: append([]ucli.Flag{
			&ucli.StringFlag{Name: "out", Value: "sql", Usage: "write to `FOLDER`"},
			&ucli.BoolFlag{Name: "check", Usage: "show what would change and exit 1, for CI"},
			&ucli.BoolFlag{Name: "notebook", Usage: "write a notebook for each table as well"},
			&ucli.StringFlag{Name: "format", Usage: "of notebooks: python, which runs a batch, or magic, %%sql cells of one batch to paste", Value: formatPython},
			&ucli.BoolFlag{Name: "fixtures", Usage: "the notebook tests itself with the table's fixtures"},
			&ucli.StringFlag{Name: "batch", Usage: "the batch `ID` of the literals (--format magic)"},
			&ucli.StringFlag{Name: "run", Usage: "the run `ID` of the literals (--format magic; default: paste-BATCH)"},
			&ucli.StringFlag{Name: "partition", Usage: "the partition of the literals, `COLUMN=VALUE` (--format magic)"},
			&ucli.BoolFlag{Name: "existing", Usage: "the literals are for a table that is there (--format magic; default: for a first run)"},
		}, contractFlags()...),
		Action: func(c *ucli.Context) error { return generate(c, env) },
	}
}

func generate(c *ucli.Context, env Env) error {
	out := c.String("out")
	files, err := findContracts(pathsOr(c, "contracts"))
	if err != nil {
		return err
	}
	opts, err := contractOptions(c, env)
	if err != nil {
		return err
	}
	loaded, err := contracts.LoadAll(files, opts)
	if err != nil {
		return &usageError{err}
	}
	books, err := notebookRequest(c, opts)
	if err != nil {
		return err
	}
	want, err := wanted(loaded, books, func(text string) { fmt.Fprintln(env.Stderr, text) })
	if err != nil {
		return err
	}
	have, err := generated(out, want, c.NArg() == 0)
	if err != nil {
		return err
	}
	changes := compare(want.files, have)
	if c.Bool("check") {
		if len(changes) == 0 {
			fmt.Fprintf(env.Stderr, "%s in %s up to date\n", render.Count(len(want.files), "file"), out)
			return nil
		}
		render.Changes(env.Stdout, out, changes)
		return &findingError{fmt.Sprintf("%s of %s differ from the contracts; run sluice gen", render.Count(len(changes), "file"), out)}
	}
	if err := apply(out, changes); err != nil {
		return err
	}
	for _, change := range changes {
		fmt.Fprintf(env.Stdout, "%s %s\n", change.Verb(), filepath.Join(out, filepath.FromSlash(change.Name)))
	}
	fmt.Fprintf(env.Stderr, "%s of %s, %d changed\n", render.Count(len(want.files), "file"), render.Count(len(want.owner), "table"), len(changes))
	return nil
}

// tree is what the output folder shall hold: contents by slash path, and the
// contract that owns each table folder.
type tree struct {
	files map[string]string
	owner map[string]string
	kept  map[string]bool // folders of tables that were skipped: left alone
}

func wanted(loaded []*contracts.Contract, books bookRequest, log func(string)) (tree, error) {
	t := tree{files: map[string]string{}, owner: map[string]string{}, kept: map[string]bool{}}
	for _, contract := range loaded {
		for _, table := range contract.Published() {
			folder := table.Target.Table()
			if folder != filepath.Base(folder) || strings.HasPrefix(folder, ".") || strings.ContainsAny(folder, `/\`) {
				return t, usagef("generating %s: %q cannot be the name of a folder", contract.File, folder)
			}
			if other, ok := t.owner[folder]; ok {
				return t, usagef("generating %s: %s publishes a table %q as well; generate them into two folders with --out", contract.File, other, folder)
			}
			p, err := gen.Build(contract, table)
			if errors.Is(err, gen.ErrUnsupported) { // a right contract that must not stop the others
				log(fmt.Sprintf("skipped %s: %v", contract.File, err))
				t.kept[folder] = true
				continue
			}
			if err != nil {
				return t, usagef("generating %s, table %s: %w", contract.File, table.Target, err)
			}
			t.owner[folder] = contract.File
			for _, f := range gen.Files(p) {
				t.files[folder+"/"+f.Name] = f.Content
			}
			if err := books.add(t.files, folder, contract, table, p); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// generated reads the files under out that gen may change: those of the wanted
// folders, of every folder if all is set, and only those that it wrote itself.
func generated(out string, want tree, all bool) (map[string]string, error) {
	folders := map[string]bool{}
	for folder := range want.owner {
		folders[folder] = true
	}
	if all {
		entries, err := os.ReadDir(out)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading generated files: %w", err)
		}
		for _, e := range entries {
			if e.IsDir() && !want.kept[e.Name()] {
				folders[e.Name()] = true
			}
		}
	}
	have := map[string]string{}
	for folder := range folders {
		if err := readFolder(out, folder, want.files, have); err != nil {
			return nil, fmt.Errorf("reading generated files: %w", err)
		}
	}
	return have, nil
}

func readFolder(out, folder string, want, have map[string]string) error {
	entries, err := os.ReadDir(filepath.Join(out, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if kind := filepath.Ext(e.Name()); e.IsDir() || kind != ".sql" && kind != notebookExt {
			continue
		}
		text, err := os.ReadFile(filepath.Join(out, folder, e.Name()))
		if err != nil {
			return err
		}
		name := folder + "/" + e.Name()
		if _, ours := want[name]; ours || strings.HasPrefix(string(text), gen.Header) || isNotebook(e.Name(), text) {
			have[name] = string(text)
		}
	}
	return nil
}

func compare(want, have map[string]string) []render.Change {
	var out []render.Change
	for name, text := range want {
		if old, ok := have[name]; !ok || old != text {
			out = append(out, render.Change{Name: name, Old: old, New: text, Created: !ok})
		}
	}
	for name, text := range have {
		if _, ok := want[name]; !ok {
			out = append(out, render.Change{Name: name, Old: text, Removed: true})
		}
	}
	slices.SortFunc(out, func(a, b render.Change) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func apply(out string, changes []render.Change) error {
	for _, c := range changes {
		path := filepath.Join(out, filepath.FromSlash(c.Name))
		if c.Removed {
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("removing a stale file: %w", err)
			}
			_ = os.Remove(filepath.Dir(path)) // stays unless it is empty now
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("writing generated files: %w", err)
		}
		if err := os.WriteFile(path, []byte(c.New), 0o644); err != nil {
			return fmt.Errorf("writing generated files: %w", err)
		}
	}
	return nil
}
