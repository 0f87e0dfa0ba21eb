// Package review finds the older version of each contract and compares the two:
// two files that a user names, or the working tree of a git repository with the
// commit where its branch began. What a change means is for contracts/breaking,
// how it looks for render.
//
//	r, err := review.Tree(ctx, review.Options{Dir: ".", Compare: breaking.Options{Today: "2026-03-01"}})
package review

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"sluice/cmd/internal/git"
	"sluice/contracts"
	"sluice/contracts/breaking"
	"sluice/contracts/odcs"
)

// Options say what to compare.
type Options struct {
	Dir     string           // any folder of the working tree; paths are shown as seen from it
	Against string           // a branch, tag or commit; "" = the default branch
	Limits  []string         // folders or files; none = the whole working tree
	Suffix  []string         // of contracts
	Compare breaking.Options // Waivers is filled in
}

// Review is what became of the contracts.
type Review struct {
	Base       *git.Base // nil when two files were compared
	Shallow    bool      // the clone lacks older commits
	Contracts  int       // how many the working tree has
	Results    []*breaking.Result
	Unreadable contracts.Problems // files that could not be compared
}

// Failed counts the contracts that may not be merged as they are.
func (r *Review) Failed() int {
	n := 0
	for _, one := range r.Results {
		if !one.OK() {
			n++
		}
	}
	return n
}

// Files compares two files. What is wrong with their form is Problems; the names
// that they use may be wrong, lint says so.
func Files(old, new string, opts Options) (*Review, error) {
	r := &Review{Contracts: 1}
	before, err := readDocument(old)
	if err != nil {
		return nil, err
	}
	after, err := readDocument(new)
	if err != nil {
		return nil, err
	}
	compare := opts.Compare
	if compare.Waivers, err = waiversBeside(new, new, opts.Suffix); err != nil {
		return nil, err
	}
	r.Results = []*breaking.Result{breaking.Compare(before, after, compare)}
	return r, nil
}

func readDocument(path string) (*odcs.Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading contract: %w", err)
	}
	return parse(path, data)
}

// parse refuses a file whose form is wrong: a part that was dropped would look
// like one that somebody removed.
func parse(name string, data []byte) (*odcs.Document, error) {
	doc, problems := odcs.Parse(name, data)
	if found := contracts.Problems(problems).Of(contracts.Error); len(found) > 0 {
		return nil, found
	}
	return doc, nil
}

// waiversBeside reads the waivers of a contract: of orders.odcs.yaml those in
// orders.waivers.yaml. shown is the path as messages have it.
func waiversBeside(path, shown string, suffixes []string) (*breaking.Waivers, error) {
	for _, end := range breaking.WaiverSuffixes {
		data, err := os.ReadFile(stem(path, suffixes) + end)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading waivers: %w", err)
		}
		return breaking.ParseWaivers(stem(shown, suffixes)+end, data)
	}
	return nil, nil
}

// stem is a path without the ending of a contract, or of any YAML file.
func stem(path string, suffixes []string) string {
	for _, end := range append(suffixes[:len(suffixes):len(suffixes)], ".yaml", ".yml") {
		if short, found := strings.CutSuffix(path, end); found {
			return short
		}
	}
	return path
}
