package contracts

import (
	"cmp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
)

// Columns that sluice adds to staging, verdict and quarantine itself.
var reserved = []string{
	"_row_number", "_run_id", "_codes", "_reject_reason", "_reject_reasons", "_contract_version", "_quarantined_at",
}

// storedName is the name of a property's column in the table.
func storedName(p *odcs.Node) string {
	return cmp.Or(p.Get("physicalName").Text(), p.Get("name").Text())
}

// names records every name under which a column may be referred to and reports
// names that two columns share: Spark does not tell upper from lower case.
func (t *tableLoader) names() {
	t.stored, t.nodes = map[string]string{}, map[string]*odcs.Node{}
	logical := map[string]bool{}
	for _, p := range t.node.Get("properties").Items() {
		name, stored := p.Get("name"), storedName(p)
		at := p.Get("physicalName")
		if at == nil {
			at = name
		}
		if stored == "" {
			continue
		}
		if t.nodes[strings.ToLower(stored)] != nil {
			t.problem(at, "duplicate-name", "the column %q is there twice (Spark does not tell upper from lower case); rename one", stored)
		} else if logical[strings.ToLower(name.Text())] {
			t.problem(name, "duplicate-name", "the property %q is there twice; rename one", name.Text())
		}
		t.columnName(at, stored)
		logical[strings.ToLower(name.Text())] = true
		t.nodes[strings.ToLower(stored)] = p
	}
	for lower, p := range t.nodes {
		t.stored[lower] = storedName(p)
	}
	for _, p := range t.nodes { // the logical name wins over another column's stored name
		t.stored[strings.ToLower(p.Get("name").Text())] = storedName(p)
	}
}

// refusedRunes are what Delta refuses in a column name, and the two that Spark
// reads as something else.
const refusedRunes = " ,;{}()\n\t=`."

// RawName is the column of staging and quarantine that keeps the text of a
// source column. A source may have blanks in its names, our Delta tables may not.
func RawName(source string) string {
	return "raw_" + strings.Map(func(r rune) rune {
		if strings.ContainsRune(refusedRunes, r) {
			return '_'
		}
		return r
	}, source)
}

func (t *tableLoader) columnName(n *odcs.Node, stored string) {
	lower := strings.ToLower(stored)
	switch {
	case strings.Contains(stored, "${"): // reported where it stands
	case t.published && strings.ContainsAny(stored, refusedRunes):
		t.problem(n, "bad-name", "the column name %q holds a character that Delta or Spark refuses in a name; use letters, digits and _", stored)
	case t.published && slices.Contains(reserved, lower):
		t.problem(n, "reserved-name", "the column %q is one that sluice adds to its own tables; rename it by physicalName", stored)
	}
}

// rawNames reports columns that would stand in quarantine under the name of the
// raw text of another.
func (t *tableLoader) rawNames() {
	for _, c := range t.table.Columns {
		for _, source := range c.Sources {
			if p := t.nodes[strings.ToLower(RawName(source))]; p != nil && t.published {
				t.problem(p, "reserved-name", "quarantine keeps the raw text of %q as %q; rename the column by physicalName", source, storedName(p))
			}
		}
	}
}

// column resolves one reference to a column of this table, or reports it.
func (t *tableLoader) column(n *odcs.Node) string {
	if name, ok := t.stored[strings.ToLower(n.Text())]; ok {
		return name
	}
	t.problem(n, "unknown-column", "the table %q has no column %q%s", t.table.Name, n.Text(), odcs.Suggest(n.Text(), t.columnNames()))
	return ""
}

func (t *tableLoader) columns(list *odcs.Node) []string {
	var out []string
	for _, item := range list.Items() {
		name := t.column(item)
		if name != "" && slices.Contains(out, name) {
			t.problem(item, "duplicate-name", "the column %q is named twice in this list", name)
		}
		out = append(out, name)
	}
	return out
}

func (t *tableLoader) columnNames() []string {
	var out []string
	for _, p := range t.node.Get("properties").Items() {
		out = append(out, p.Get("name").Text())
	}
	return out
}
