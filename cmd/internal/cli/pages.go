package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/cmd/internal/render"
	"sluice/contracts"
	"sluice/gen/docs"

	spec "sluice/contracts/fixture"
)

// documentation is the pages that shall be there, by path.
type documentation struct {
	paths []string
	index string
	opts  contracts.Options
	want  map[string]string
	found map[string]string // pages of the named folders as they are, by path
	about map[string]string // lower-case path -> what it is a page of
}

// write makes every page.
func (d *documentation) write(loaded []*contracts.Contract) error {
	for _, contract := range loaded {
		for _, table := range contract.Published() {
			fixtures, err := fixturesBeside(contract, table, d.opts)
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
	for _, folder := range d.indexed(loaded) {
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

// indexed are the folders that shall have an index: those that are named, and
// those below them that have one and still hold a contract.
func (d *documentation) indexed(loaded []*contracts.Contract) []string {
	out := d.folders()
	for path := range d.found {
		folder := filepath.Dir(filepath.FromSlash(path))
		if filepath.Base(path) == d.index && !slices.Contains(out, folder) && len(within(loaded, folder)) > 0 {
			out = append(out, folder)
		}
	}
	slices.Sort(out)
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

// fixturesBeside are the files beside a contract, by its stem, that test a table of it.
func fixturesBeside(contract *contracts.Contract, table *contracts.Table, opts contracts.Options) ([]*spec.File, error) {
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
		file, err := spec.Load(filepath.Join(folder, e.Name()), opts)
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

// scan finds the pages of the folders, also those whose table is gone.
func (d *documentation) scan() error {
	for _, folder := range d.folders() {
		if err := pagesUnder(folder, d.found); err != nil {
			return fmt.Errorf("looking for pages: %w", err)
		}
	}
	return nil
}

// have reads the pages that are there: the found ones, and the wanted ones beside
// contracts that were named alone. What somebody else put in the place of a page
// is an error.
func (d *documentation) have() (map[string]string, error) {
	have := maps.Clone(d.found)
	var foreign []string
	for path := range d.want {
		text, ours, err := readPage(filepath.FromSlash(path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("reading pages: %w", err)
		case !ours:
			foreign = append(foreign, path)
		default:
			have[path] = text
		}
	}
	if len(foreign) > 0 {
		slices.Sort(foreign)
		return nil, usagef("sluice docs did not write %s, so it does not touch it; move the file away or, for an index, choose --index", strings.Join(foreign, ", "))
	}
	return have, nil
}

// readPage reads a page, and whether sluice docs wrote it. A link is nobody's page:
// writing to it would change a file elsewhere.
func readPage(path string) (text string, ours bool, err error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false, err
	}
	data, err := os.ReadFile(path)
	return string(data), strings.HasPrefix(string(data), docs.Header), err
}

// pagesUnder adds every page of a folder, in the places where contracts are looked for.
func pagesUnder(folder string, have map[string]string) error {
	top := folder + string(filepath.Separator) // follows the folder itself where it is a link
	return filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != top && passedOver(e.Name()):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, ours, err := readPage(path)
		if ours {
			have[filepath.ToSlash(path)] = text
		}
		return err
	})
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
		verb := "differ"
		if len(changes) == 1 {
			verb = "differs"
		}
		return &findingError{fmt.Sprintf("%s %s from the contracts; run sluice docs", render.Count(len(changes), "page"), verb)}
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
