package contracts

import (
	"regexp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
)

// hints reports what is allowed and yet goes wrong on data, or is less of a
// promise than it looks. It runs when all tables of the document are read.
func (t *tableLoader) hints() {
	if t.nodes == nil { // too large to be read
		return
	}
	t.scalars()
	t.unenforced()
	if !t.published {
		return
	}
	t.orderHints(t.node.Custom("dedup"))
	t.deletes()
	t.comparesItself()
	t.onlyHere()
}

// Names by which loaders keep the file that a row came from.
var fileColumn = regexp.MustCompile(`^_*(source_?|src_?|input_?|origin_?)?file(_?name|_?path)?$`)

// orderHints looks at the order of versions: one that nobody agreed on decides
// silently which content of a key is published.
func (t *tableLoader) orderHints(n *odcs.Node) {
	for i, name := range t.table.Dedup.TieBreak {
		c := t.table.Column(name)
		if c != nil && (c.Metadata == FileMetadata || fileColumn.MatchString(strings.ToLower(name))) {
			t.problem(at(n.Get("tieBreak"), i), "tie-break-by-file-name", "tieBreak orders versions by the file name %q, which says nothing of their age; name an agreed order column, or leave tieBreak out", name)
		}
	}
	latest := t.table.Dedup.LatestBy
	loaded := func(name string) bool {
		c := t.table.Column(name)
		return c != nil && c.Metadata != ""
	}
	if len(latest) > 0 && !slices.ContainsFunc(latest, func(name string) bool { return !loaded(name) }) {
		t.problem(n.Get("latestBy"), "version-is-load-time", "latestBy names only what the loader adds, so the newest version of a row is the one delivered last; order by a change time of the source if there is one")
	}
}

// Names of change types and deletion marks, of Debezium and Delta among others.
var deleteColumn = regexp.MustCompile(`^(_*op|_*operation|_*((is|fivetran)_?)?deleted(_?(at|on|ts|time|flag))?|_*delete_?flag|_change_type|_*cdc_.+)$`)

func (t *tableLoader) deletes() {
	for _, c := range t.table.Columns {
		if !deleteColumn.MatchString(strings.ToLower(c.Name)) && !deleteColumn.MatchString(strings.ToLower(c.Logical)) {
			continue
		}
		if p := t.nodes[strings.ToLower(c.Name)]; p != nil {
			t.problem(p.Get("name"), "source-deletes", "the column %q looks like a mark of source deletes, which are out of scope: a deleted row stays published; let readers filter by it", c.Name)
		}
	}
}
