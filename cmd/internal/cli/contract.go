package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"

	ucli "github.com/urfave/cli/v2"
)

// contractSuffixes mark the contracts of a folder.
var contractSuffixes = []string{".odcs.yaml", ".odcs.yml"}

func serverFlag() ucli.Flag {
	return &ucli.StringFlag{Name: "server", Usage: "use `NAME` of the contract's servers (default: local, else the first)"}
}

func tableFlag() ucli.Flag {
	return &ucli.StringFlag{Name: "table", Usage: "use table `NAME` of a contract that publishes several"}
}

// job is one published table of one contract.
type job struct {
	contract *contracts.Contract
	table    *contracts.Table
}

// loadJob reads the contract of the first argument and finds the table meant.
func loadJob(c *ucli.Context, env Env) (job, error) {
	opts, err := contractOptions(c, env)
	if err != nil {
		return job{}, err
	}
	contract, err := load(c.Args().First(), opts)
	if err != nil {
		return job{}, err
	}
	table, err := pick(contract, c.String("table"))
	return job{contract, table}, err
}

// load reads a contract. Whatever is wrong with it is the user's to mend.
func load(path string, opts contracts.Options) (*contracts.Contract, error) {
	contract, err := contracts.Load(path, opts)
	var problems contracts.Problems
	switch {
	case err == nil:
		return contract, nil
	case errors.As(err, &problems):
		return nil, usagef("the contract has problems:\n%w", err)
	default:
		return nil, &usageError{err}
	}
}

func pick(contract *contracts.Contract, name string) (*contracts.Table, error) {
	published := contract.Published()
	if len(published) == 0 {
		return nil, usagef("reading %q: it publishes no table; one with customProperties publish does", contract.File)
	}
	if name == "" && len(published) == 1 {
		return published[0], nil
	}
	var names []string
	for _, t := range published {
		if name != "" && (name == t.Name || name == t.ID || name == t.Target.String()) {
			return t, nil
		}
		names = append(names, t.Name)
	}
	if name == "" {
		return nil, usagef("%q publishes several tables: choose one with --table: %s", contract.File, strings.Join(names, ", "))
	}
	return nil, usagef("%q publishes no table %q; it has %s", contract.File, name, strings.Join(names, ", "))
}

func (j job) plan() (*plan.Plan, error) {
	p, err := gen.Build(j.contract, j.table)
	if err != nil {
		return nil, usagef("building the plan of %s: %w", j.table.Target, err)
	}
	return p, nil
}

// migrate is the command that mends the table, as a person would type it.
func (j job) migrate() string {
	command := "sluice migrate " + shellWord(j.contract.File)
	if len(j.contract.Published()) > 1 {
		command += " --table " + shellWord(j.table.Name)
	}
	return command
}

// shellWord quotes what a shell would split or expand.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._:+-=/@,", r)
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// findContracts lists the contract files under paths. A file is taken by
// whatever name it has; of a folder those that end in .odcs.yaml or .odcs.yml,
// outside of hidden folders and testdata.
func findContracts(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, &usageError{fmt.Errorf("looking for contracts: %w", err)}
		}
		if !info.IsDir() {
			out = append(out, path)
			continue
		}
		found, err := walk(path, contractSuffixes)
		if err != nil {
			return nil, &usageError{err}
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// walk lists the files under root whose names end as told.
func walk(root string, suffixes []string) ([]string, error) {
	var out []string
	top := filepath.Clean(root) + string(filepath.Separator) // follows root itself where it is a link
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("looking for files: %w", err)
		}
		if d.IsDir() {
			if path != top && passedOver(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasPrefix(d.Name(), ".") || !hasSuffix(d.Name(), suffixes) {
			return nil // what editors and file systems leave beside a contract has its name behind a dot
		}
		out = append(out, path)
		return ownFile(root, path)
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("looking for files: no file under %q ends in %s", root, suffixes[0])
	}
	return out, err
}

// passedOver are the folders that hold no contracts of their own.
func passedOver(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") || folder == "testdata"
}

func hasSuffix(name string, suffixes []string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// asProblems is errors.As for what is wrong with files.
func asProblems(err error, problems *contracts.Problems) bool { return errors.As(err, problems) }

// ownFile refuses what a folder shows and does not hold: a link that leaves it
// could name any file of the machine, and a pipe would never end.
func ownFile(root, path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("looking for contracts: %w", err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return fmt.Errorf("looking for contracts: %w", err)
	}
	home, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("looking for contracts: %w", err)
	}
	inner, err := filepath.Rel(home, real)
	switch {
	case err != nil || !filepath.IsLocal(inner):
		return fmt.Errorf("looking for contracts: %q is a link out of the folder %q; name the file itself", path, root)
	case !info.Mode().IsRegular():
		return fmt.Errorf("looking for contracts: %q is no regular file", path)
	}
	return nil
}

// pathsOr are the arguments, or the usual folder.
func pathsOr(c *ucli.Context, usual string) []string {
	if c.NArg() > 0 {
		return c.Args().Slice()
	}
	return []string{usual}
}
