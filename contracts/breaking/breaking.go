// Package breaking compares two versions of a contract as their authors wrote
// them, without defaults: it says of every change who is hurt by it, how far the
// version must go up, and which consumers to ask. It knows files by their nodes
// and positions; git, clocks and terminals are its caller's.
//
//	result := breaking.Compare(old, new, breaking.Options{Today: "2026-03-01"})
//	result.Gate.OK // the declared version covers the worst change
//
// Directions and levels are those of datacontract-cli 1.2.8, measured; the class
// of a change is sluice's own, and differs where sluice enforces more.
package breaking

import (
	"cmp"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/contracts/odcs"
)

// Perspective is whose side the levels are told from.
type Perspective string

// The perspectives: readers rely on promises, the producer has to keep them.
const (
	ForConsumer Perspective = "consumer"
	ForProducer Perspective = "producer"
)

// Perspectives lists them, the usual one first.
func Perspectives() []string { return []string{string(ForConsumer), string(ForProducer)} }

// Direction is how a change moves the set of data that the contract allows.
type Direction string

// The directions. Untested is what no check of datacontract-cli looks at.
const (
	Tightens     Direction = "tightens"
	Loosens      Direction = "loosens"
	Both         Direction = "both"
	Undetermined Direction = "undetermined"
	Untested     Direction = "untested"
)

// Level is how bad a change is from one perspective.
type Level string

// The levels.
const (
	Info    Level = "info"
	Warning Level = "warning"
	Error   Level = "error"
)

// level follows from the direction alone: what allows more data takes a promise
// from readers, what allows less may fail data that the producer has.
func (d Direction) level(p Perspective) Level {
	switch {
	case d == Both, d == Loosens && p != ForProducer, d == Tightens && p == ForProducer:
		return Error
	case d == Undetermined:
		return Warning
	default:
		return Info
	}
}

// Change is one difference between two versions.
type Change struct {
	Rule      string
	Path      string
	Direction Direction
	Level     Level
	Class     Class
	What      string // what changed
	Hurt      string // who is hurt and why; "" for nobody
	Do        string // what to do about it; "" for nothing
	Consumers []contracts.Consumer
	Position  contracts.Position // in the new file, of what is gone in the old one
	Part      bool               // of another change that stands in the list too
	Waiver    *Waiver            // by which it does not count
}

// Text is the change in full sentences.
func (c Change) Text() string {
	text := c.What
	for _, more := range []string{c.Hurt, c.Do} {
		if more != "" {
			text += "; " + more
		}
	}
	return text
}

// Result is what became of one contract.
type Result struct {
	File, OldFile string // OldFile is "" for a new contract, File for a removed one
	Added, Gone   bool
	Orphan        bool  // File is one of waivers that has no contract
	Class         Class // the worst of all changes that count
	Gate          Gate
	Changes       []Change // by path
	Problems      []contracts.Problem
}

// OK reports whether nothing of the result keeps a change from being merged.
func (r *Result) OK() bool { return r.Gate.OK && len(r.Problems) == 0 }

// Options are what Compare needs beside the two documents.
type Options struct {
	Perspective Perspective // "" = consumer
	Today       string      // yyyy-MM-dd, by which ends of life and waivers are judged
	Waivers     *Waivers    // nil = none
}

// Compare judges what changed from old to new. Both are documents whose form is
// right; what their names mean is not asked, so that a contract which lint
// refuses can still be compared.
func Compare(old, new *odcs.Document, opts Options) *Result {
	c := newComparison(old, new, opts)
	root := &pair{kind: "contract", old: c.oldTree, new: c.newTree}
	c.compare(root)
	c.suppress()
	c.index()
	out := &Result{File: new.File, OldFile: old.File}
	for _, e := range c.entries {
		out.Changes = append(out.Changes, c.change(e))
	}
	out.Changes = append(out.Changes, c.early...)
	slices.SortStableFunc(out.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	c.finish(out)
	return out
}

// Added is the result of a contract that has no old version.
func Added(new *odcs.Document, opts Options) *Result {
	c := newComparison(new, new, opts)
	out := &Result{File: new.File, Added: true}
	out.Changes = []Change{{
		Rule: ContractAdded, Path: "schema", Direction: Untested, Level: Info, Class: None,
		What: "the contract is new", Position: new.Root.Pos,
	}}
	c.finish(out)
	out.Gate.From = ""
	return out
}

// Removed is the result of a contract whose file is gone, with all its tables.
func Removed(old *odcs.Document, opts Options) *Result {
	c := newComparison(old, old, opts)
	out := &Result{File: old.File, OldFile: old.File, Gone: true}
	var tables []string
	for _, table := range old.Root.Get("schema").Items() {
		tables = append(tables, cmp.Or(table.Get("physicalName").Text(), table.Get("name").Text()))
	}
	out.Changes = []Change{{
		Rule: ContractRemoved, Path: "schema", Direction: Loosens, Level: Loosens.level(opts.Perspective), Class: Major,
		What:      "the contract is gone with its tables: " + strings.Join(tables, ", "),
		Hurt:      "nobody keeps these tables any more, and every reader still reads them",
		Do:        "no version can say this: announce the end with status: retired and an endOfLife, and remove the file with a waiver that names who agreed",
		Consumers: c.consumers, Position: old.Root.Pos,
	}}
	out.Changes = append(out.Changes, c.goneTables()...)
	c.finish(out)
	return out
}

// Orphan is the result of a file of waivers beside which no contract stands.
func Orphan(file string) *Result {
	report := &odcs.Report{}
	at := &odcs.Node{Pos: contracts.Position{File: file, Line: 1, Column: 1}}
	at.Report(report, "unused-waiver", "no contract stands beside this file, so its waivers are about nothing; remove it, or give it the name of its contract")
	return &Result{File: file, Orphan: true, Class: None, Gate: Gate{OK: true, Position: at.Pos}, Problems: report.Problems()}
}

// finish applies waivers and judges the gate.
func (c *comparison) finish(r *Result) {
	if w := c.opts.Waivers; w != nil {
		r.Problems = w.apply(r.Changes, c.opts.Today)
	}
	r.Class = None
	for i := range r.Changes {
		if class := r.Changes[i].counted(); class.worse(r.Class) {
			r.Class = class
		}
	}
	r.Gate = c.gate(r)
}
