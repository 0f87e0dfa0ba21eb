package breaking

import (
	"cmp"
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/contracts/odcs"
)

// Gate is whether the declared version covers the worst change.
type Gate struct {
	OK       bool
	From, To string // versions as declared; "" where a version does not exist
	Needs    string // what would open it; "" when it is open
	Position contracts.Position
}

// gate compares the step of the version with the worst change that counts.
func (c *comparison) gate(r *Result) Gate {
	from, to := c.old.Root.Get("version").Text(), c.new.Root.Get("version").Text()
	g := Gate{From: from, To: to, Position: c.new.Root.Pos}
	if at := c.new.Root.Get("version"); at != nil {
		g.Position = at.Pos
	}
	if r.Gone {
		g.To = ""
	}
	g.Needs = strings.Join(c.needs(r, from, to), "; ")
	g.OK = g.Needs == ""
	return g
}

// needs lists what is missing.
func (c *comparison) needs(r *Result, from, to string) []string {
	var out []string
	for _, change := range r.Changes {
		if change.Rule == RemovedTooEarly && change.Waiver == nil {
			if end := c.endOf(change.Path); end != "" {
				out = append(out, fmt.Sprintf("%s until %s, or a waiver of %s", change.Path, end, RemovedTooEarly))
			}
		}
	}
	old, fine := contracts.ParseVersion(from)
	new, well := contracts.ParseVersion(to)
	switch {
	case r.Gone:
		if r.Class == Major {
			out = append(out, "a waiver of "+ContractRemoved+", or the file back")
		}
		return out
	case !well:
		return append(out, fmt.Sprintf("a version MAJOR.MINOR.PATCH, not %q", to))
	case !fine || r.Added:
		return out // nothing to compare with
	case r.Class == NewTable:
		if missing := c.newTable(r); missing != "" {
			return append(out, missing)
		}
		return out // another contract, which counts from its own first version
	}
	if least := least(old, r.Class); new.Compare(least) < 0 {
		out = append(out, least.String())
	}
	return out
}

// least is the lowest version that covers a class.
func least(old contracts.Version, class Class) contracts.Version {
	switch class {
	case Major:
		return contracts.Version{Major: old.Major + 1}
	case Minor, Notice:
		return contracts.Version{Major: old.Major, Minor: old.Minor + 1}
	default:
		return old
	}
}

// newTable says what is missing where rows stand for something else: who reads
// the old table must never find the new rows in it.
func (c *comparison) newTable(r *Result) string {
	var missing []string
	if c.old.Root.Get("id").Text() == c.new.Root.Get("id").Text() {
		missing = append(missing, "another contract id")
	}
	for _, table := range c.regrained(r) {
		missing = append(missing, fmt.Sprintf("another table than %s for %s", stored(c.new, table), table))
	}
	return strings.Join(missing, " and ")
}

// regrained lists the tables that have a change of class NewTable and still the
// place where the old one was.
func (c *comparison) regrained(r *Result) []string {
	var out []string
	seen := map[string]bool{}
	for _, change := range r.Changes {
		table := c.tableOf(change.Path)
		if change.counted() == NewTable && !seen[table] && stored(c.old, table) == stored(c.new, table) {
			seen[table] = true
			out = append(out, table)
		}
	}
	return out
}

// tableOf is the table of a path; names of tables may hold dots.
func (c *comparison) tableOf(path string) string {
	below := strings.TrimPrefix(path, "schema.")
	best := ""
	for _, tree := range []*element{c.oldTree, c.newTree} {
		if schema := tree.at("schema"); schema != nil {
			for _, p := range schema.parts {
				if (below == p.key || strings.HasPrefix(below, p.key+".")) && len(p.key) > len(best) {
					best = p.key
				}
			}
		}
	}
	return best
}

// stored is where a table is kept: its physical name and the catalog and schema
// of its servers, by which a table of the same name may be another one.
func stored(doc *odcs.Document, table string) string {
	for _, n := range doc.Root.Get("schema").Items() {
		if n.Get("name").Text() == table {
			return cmp.Or(n.Get("physicalName").Text(), table)
		}
	}
	return ""
}
