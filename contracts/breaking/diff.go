package breaking

import (
	"sluice/contracts"
	"sluice/contracts/odcs"
)

// action is what happened to an element.
type action string

const (
	added   action = "added"
	removed action = "removed"
	updated action = "updated"
	renamed action = "renamed"
)

// pair is an element in both versions; one side is nil where it is not there.
type pair struct {
	up       *pair
	key      string
	kind     string
	old, new *element
}

// path leaves out the places of list members that have no name.
func (p *pair) path() string {
	if p.up == nil {
		return p.key
	}
	above := p.up.path()
	if above == "" || p.key == "" {
		return above + p.key
	}
	return above + "." + p.key
}

// either is the element in the new version, or the old one where it is gone.
func (p *pair) either() *element {
	if p.new != nil {
		return p.new
	}
	return p.old
}

// within is the nearest element of that kind that p is or stands in, or nil.
func (p *pair) within(kind string) *pair {
	for ; p != nil; p = p.up {
		if p.kind == kind {
			return p
		}
	}
	return nil
}

// owner is the nearest element that has a name in the standard.
func (p *pair) owner() *pair {
	for at := p.up; at != nil; at = at.up {
		switch at.kind {
		case "contract", "schema", "property", "quality", "relationship", "server", "sla":
			return at
		}
	}
	return p
}

// below is the key under which p stands in an element above it.
func (p *pair) below(place *pair) string {
	key := ""
	for at := p; at != nil && at != place; at = at.up {
		if at.key != "" {
			key = at.key
		}
	}
	return key
}

// option reports whether p is an option of a type.
func (p *pair) option() bool { return p.within("options") != nil && p.kind != "options" }

// entry is one difference.
type entry struct {
	*pair
	action    action
	rule      string
	direction Direction
}

func (c *comparison) add(p *pair, what action) *entry {
	e := &entry{pair: p, action: what}
	e.rule, e.direction = c.judge(e)
	c.entries = append(c.entries, e)
	return e
}

// comparison is one run of Compare.
type comparison struct {
	opts             Options
	old, new         *odcs.Document
	oldTree, newTree *element
	consumers        []contracts.Consumer
	entries          []*entry
	early            []Change
	graded           map[*pair]*entry // by place
	shells           map[*pair]bool   // places with a graded entry right below
}

func newComparison(old, new *odcs.Document, opts Options) *comparison {
	b := &builder{repeated: repeatedLevels(old, new)}
	c := &comparison{opts: opts, old: old, new: new}
	c.oldTree, c.newTree = b.element(old.Root, "contract"), b.element(new.Root, "contract")
	c.consumers = consumersOf(old.Root, new.Root)
	return c
}

// compare adds the differences between the two sides of p. Both are there.
func (c *comparison) compare(p *pair) {
	switch {
	case p.old.branch() && p.new.branch():
		c.parts(p)
	case p.old.list() && p.new.list():
		c.lists(p)
	case !same(p.old, p.new):
		c.add(p, updated)
	}
}

func (c *comparison) parts(p *pair) {
	if p.key == "quality" && p.new.kind == "list" {
		c.rules(p)
		return
	}
	moved := map[string]string{}
	if p.key == "properties" {
		moved = renames(p.old, p.new)
	}
	for _, one := range p.old.parts {
		child := &pair{up: p, key: one.key, kind: one.value.kind, old: one.value, new: p.new.at(one.key)}
		if to := moved[one.key]; to != "" {
			child.new = p.new.at(to)
			c.rename(child, to)
			continue
		}
		if child.new == nil {
			c.whole(child, removed)
			continue
		}
		c.compare(child)
	}
	taken := map[string]bool{}
	for _, to := range moved {
		taken[to] = true
	}
	for _, one := range p.new.parts {
		if p.old.at(one.key) == nil && !taken[one.key] {
			c.whole(p.only(one.key, one.value, added), added)
		}
	}
}

// whole adds an element that only one version has, and everything in it.
func (c *comparison) whole(p *pair, what action) {
	c.add(p, what)
	for _, one := range p.either().parts {
		c.whole(p.only(one.key, one.value, what), what)
	}
}

// only is a child of p that one version has.
func (p *pair) only(key string, value *element, what action) *pair {
	child := &pair{up: p, key: key, kind: value.kind}
	if what == added {
		child.new = value
	} else {
		child.old = value
	}
	return child
}

// lists compares plain lists. What was replaced is one difference of the list;
// what came or went is one of its own, under its text.
func (c *comparison) lists(p *pair) {
	gone, came := unequal(p.old.items, p.new.items)
	both := min(len(gone), len(came))
	for i := range both {
		c.compare(&pair{up: p, old: gone[i], new: came[i]})
	}
	for _, item := range gone[both:] {
		c.whole(p.only(itemKey(item), item, removed), removed)
	}
	for _, item := range came[both:] {
		c.whole(p.only(itemKey(item), item, added), added)
	}
}

func itemKey(item *element) string {
	if scalarKind(item) == odcs.String {
		return item.word()
	}
	return ""
}

// suppress drops what stands inside of an element that came or went and is
// graded as a whole: a new column is one change, however many promises it has.
func (c *comparison) suppress() {
	whole := map[*pair]bool{}
	for _, e := range c.entries {
		if (e.action == added || e.action == removed) && e.rule != MetadataOrUnknownChange {
			whole[e.pair] = true
		}
	}
	kept := c.entries[:0]
	for _, e := range c.entries {
		if !inside(e.pair, whole) {
			kept = append(kept, e)
		}
	}
	c.entries = kept
}

func inside(p *pair, whole map[*pair]bool) bool {
	for at := p.up; at != nil; at = at.up {
		if whole[at] {
			return true
		}
	}
	return false
}
