// Package contracts turns a contract file into a model that generators can use
// without asking further questions: defaults filled in, names resolved against
// one server, types parsed, rules in the order in which their codes are given.
//
// It opens no socket and reads no environment; every problem of a file is
// reported at once, with its place. It knows no SQL beyond finding the columns
// that an author's expression reads.
//
//	c, err := contracts.Load("contracts/sales/orders.odcs.yaml", contracts.Options{})
//	var problems contracts.Problems
//	if errors.As(err, &problems) { … }
package contracts

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sluice/contracts/odcs"
)

// Options choose what Load resolves names against.
type Options struct {
	Server   string                            // name of a server; "" = the one named local, else the first
	ReadFile func(path string) ([]byte, error) // nil = the file system
	Root     string                            // folder that references may not leave; "" = the folder of the contract
	Vars     map[string]string                 // values of ${VAR}; the environment is never read
	Today    string                            // yyyy-MM-dd, by which ends of life are judged; "" = they are not
}

// Load reads one contract. The error is Problems when the document has errors;
// warnings and notes do not keep a contract from being used, see Lint.
func Load(path string, opts Options) (*Contract, error) {
	return NewSet(opts).Load(path)
}

// LoadAll reads several contracts that run in one lakehouse, and checks what
// only all of them together can break. Contracts without errors are returned
// also when others have some.
func LoadAll(paths []string, opts Options) ([]*Contract, error) {
	out, found, err := loadAll(paths, opts)
	if err != nil {
		return nil, err
	}
	return out, found.errors()
}

// Lint reads the contracts as LoadAll does and returns everything that is to be
// said of them: errors, warnings and notes, in file order. The error is a file
// that could not be read.
func Lint(paths []string, opts Options) (Problems, error) {
	_, found, err := loadAll(paths, opts)
	return found, err
}

func loadAll(paths []string, opts Options) ([]*Contract, Problems, error) {
	set := NewSet(opts)
	var out []*Contract
	for _, path := range paths {
		c, err := set.Load(path)
		var problems Problems
		if err != nil && !errors.As(err, &problems) {
			return nil, nil, err
		}
		if err == nil {
			out = append(out, c)
		}
	}
	return out, set.Problems(), nil
}

// Set loads contracts and remembers the files, since relationships lead from
// one to another. It is not safe for use by several goroutines.
type Set struct {
	opts   Options
	onDisk bool // files are read from the file system, where links may lead anywhere
	files  map[string]*file
	loaded []*Contract
	found  []Problem // of every document, whatever its severity
	places map[*Table]*odcs.Node

	prepared map[*odcs.Node]preparation
	used     map[string]string // variables whose values were put into texts
	redactor Redactor
}

// file is what one path led to; contract and failure are kept from its first Load.
type file struct {
	doc      *odcs.Document
	problems []Problem
	err      error
	contract *Contract
	failure  error
}

// NewSet returns an empty set.
func NewSet(opts Options) *Set {
	onDisk := opts.ReadFile == nil
	if onDisk {
		opts.ReadFile = readFile
	}
	return &Set{opts: opts, onDisk: onDisk, files: map[string]*file{}, places: map[*Table]*odcs.Node{}, prepared: map[*odcs.Node]preparation{}, used: map[string]string{}}
}

// Load reads one contract; see the function Load.
func (s *Set) Load(path string) (*Contract, error) {
	f := s.open(path)
	if f.contract == nil && f.failure == nil {
		f.contract, f.failure = s.load(path, f)
	}
	return f.contract, f.failure
}

func (s *Set) load(path string, f *file) (*Contract, error) {
	if f.err != nil {
		return nil, fmt.Errorf("reading contract %q: %w", path, f.err)
	}
	report := s.report()
	addAll(report, f.problems)
	var c *Contract
	if f.doc != nil {
		l := &loader{set: s, doc: f.doc, report: report, path: path}
		c = l.load()
		shared(report, []*Contract{c}, s.places)
		cycles(report, []*Contract{c}, s.places)
	}
	problems := Problems(report.Problems())
	if f.doc != nil {
		problems = f.doc.Accepted(problems)
	}
	s.found = append(s.found, problems...)
	if err := problems.errors(); err != nil {
		return nil, err
	}
	s.loaded = append(s.loaded, c)
	return c, nil
}

// Check reports what the contracts loaded so far break only together: two that
// write one table, and tables that wait for each other.
func (s *Set) Check() Problems {
	report := s.report()
	shared(report, s.loaded, s.places)
	cycles(report, s.loaded, s.places)
	return report.Problems()
}

// Problems is everything found in the files loaded so far, each by itself and
// all together.
func (s *Set) Problems() Problems {
	report := &odcs.Report{}
	addAll(report, s.found)
	addAll(report, s.Check())
	return report.Problems()
}

// open parses a file once. Each caller gets the same document: Load changes it
// only by resolving variables, which gives the same text each time.
func (s *Set) open(path string) *file {
	clean := filepath.Clean(path)
	if f, ok := s.files[clean]; ok {
		return f
	}
	f := &file{}
	data, err := s.opts.ReadFile(path)
	if err != nil {
		f.err = err
	} else {
		f.doc, f.problems = odcs.Parse(path, data)
	}
	s.files[clean] = f
	return f
}

// readFile reads no more than a contract may have, whatever the path leads to.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	return io.ReadAll(io.LimitReader(f, odcs.MaxBytes+1))
}

func addAll(report *odcs.Report, problems []Problem) {
	for _, p := range problems {
		report.Add(p)
	}
}
