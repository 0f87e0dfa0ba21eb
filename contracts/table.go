package contracts

import (
	"cmp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// tableLoader builds one Table. A table without a publish key is only a lookup
// target: what it promises must make sense, but nothing of it is written here.
type tableLoader struct {
	*loader
	node      *odcs.Node
	table     *Table
	published bool
	stored    map[string]string     // every name of a column, lower case -> its stored name
	nodes     map[string]*odcs.Node // stored name -> property
}

func (t *tableLoader) load() {
	t.published = t.node.Custom("publish") != nil
	name := t.node.Get("physicalName")
	if name == nil {
		name = t.node.Get("name")
	}
	if t.published {
		t.table.Target = t.resolve(name, t.contract.Server)
	} else { // who looks the table up needs its place; a contract that only describes it does not
		t.table.Target, _ = complete(name.Text(), t.contract.Server)
	}
	t.table.Deprecated = t.node.Get("deprecated").True()
	t.table.Description = t.node.Get("description").Text()
	t.table.Grain = t.node.Get("dataGranularityDescription").Text()
	t.source(t.node.Custom("source"))
	t.names()
	for _, p := range t.node.Get("properties").Items() {
		t.property(p)
	}
	t.rawNames()
	t.table.Key = t.positions("primaryKey", "primaryKeyPosition")
	t.table.Partition = t.positions("partitioned", "partitionKeyPosition")
	t.helpers()
	t.publish(t.node.Custom("publish"))
	t.dedup(t.node.Custom("dedup"))
	t.keepFor(t.node.Custom("keepFor"))
	t.rules()
	t.relationships()
}

// source reads where a batch comes from. A contract reads line and malformed
// only if it names them; the other two have the loader's own names.
func (t *tableLoader) source(n *odcs.Node) {
	s := &t.table.Source
	table := n.Get("table")
	for _, key := range []string{"path", "format"} {
		if other := n.Get(key); other != nil {
			t.later(other, "source."+key)
		}
	}
	if table != nil {
		s.Table = t.resolve(table, t.contract.Server)
	} else if t.published && n.Get("path") == nil && !n.Had("table") && (n != nil || !t.node.HadCustom("source")) {
		t.sourceObjects(n)
	}
	s.Typed = n.Get("typed").True()
	metadata := n.Get("metadata")
	s.File = metadata.Get("file").Text()
	s.Line = metadata.Get("line").Text()
	s.Malformed = metadata.Get("malformed").Text()
	s.LoadedAt = cmp.Or(metadata.Get("loadedAt").Text(), "_loaded_at")
	s.Batch = cmp.Or(metadata.Get("batch").Text(), "_batch_id")
	seen := map[string]string{}
	for _, m := range []struct{ key, column string }{{"loadedAt", s.LoadedAt}, {"batch", s.Batch}, {"file", s.File}, {"line", s.Line}, {"malformed", s.Malformed}} {
		lower := strings.ToLower(m.column)
		if other, twice := seen[lower]; twice && m.column != "" {
			at := metadata.Get(m.key)
			if at == nil {
				at = metadata
			}
			t.problem(at, "duplicate-name", "the source column %q is both %s and %s", m.column, other, m.key)
		}
		seen[lower] = m.key
	}
}

// sourceObjects takes the table that every property names in the standard field.
func (t *tableLoader) sourceObjects(n *odcs.Node) {
	var all []*odcs.Node
	for _, p := range t.node.Get("properties").Items() {
		objects := p.Get("transformSourceObjects").Items()
		if len(objects) != 1 || len(all) > 0 && objects[0].Text() != all[0].Text() {
			all = nil
			break
		}
		all = append(all, objects[0])
	}
	if len(all) == 0 {
		at := n
		if at == nil {
			at = t.node
		}
		t.problem(at, "missing-source", "the table %q is published but names no source; add the property source with value {table: bronze.%s}", t.table.Name, t.table.Name)
		return
	}
	t.table.Source.Table = t.resolve(all[0], t.contract.Server)
}

// positions returns the columns that the flag marks, in the order of their
// positions, else in file order.
func (t *tableLoader) positions(flag, position string) []string {
	type placed struct {
		name string
		at   int
	}
	var out []placed
	seen := map[int]bool{}
	for _, p := range t.node.Get("properties").Items() {
		at := p.Get(position)
		place := at.Int(-1)
		if !p.Get(flag).True() {
			if place > 0 {
				t.problem(at, "position-without-flag", "%s has no meaning without %s: true", position, flag)
			}
			continue
		}
		if at != nil && place != -1 && (place < 1 || seen[place]) {
			t.problem(at, "bad-position", "%s %d is below 1 or taken; number the columns 1, 2, 3, …", position, place)
		}
		seen[place] = true
		if place < 1 {
			place = len(t.node.Get("properties").Items()) + len(out) + 1
		}
		out = append(out, placed{storedName(p), place})
		t.singleValue(p, storedName(p), flag)
		required := p.Get("required")
		switch {
		case required.True(), required == nil && p.Had("required"):
		case !t.published && (required == nil || flag != "primaryKey"): // the standard's examples leave it out, and nothing is written
		default:
			where := required
			if where == nil {
				where = p
			}
			t.problem(where, "key-not-required", "%s is set on a column that may be missing; add required: true", flag)
		}
	}
	slices.SortStableFunc(out, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	var names []string
	for i, c := range out {
		names = append(names, c.name)
		if column := t.table.Column(c.name); column != nil && flag == "primaryKey" {
			column.KeyPosition = i + 1
		}
	}
	return names
}

// helpers names the tables that sluice keeps beside the target; the defaults
// live in the target's catalog.
func (t *tableLoader) helpers() {
	if t.table.Target == nil || !t.published {
		return
	}
	quarantine, staging := t.node.Custom("quarantine"), t.node.Custom("staging")
	name := t.table.Target.Table()
	t.table.Quarantine = t.helper(quarantine.Get("table"), "quarantine", name)
	t.table.Staging = t.helper(staging.Get("table"), "staging", name)
	t.table.AuditLog = t.helper(staging.Get("auditLog"), "ops", "audit_log")
	if t.table.Staging != nil {
		t.table.Verdict = t.table.Staging.With(t.table.Staging.Table() + "_verdict")
	}
	t.table.IgnoreHeader = quarantine.Get("headerRow").Text() == "ignore"
}

func (t *tableLoader) helper(n *odcs.Node, schema, table string) sparksql.Name {
	home := t.contract.Server
	if len(t.table.Target) == 3 {
		home.Catalog = t.table.Target[0]
	}
	if n != nil {
		return t.resolve(n, home)
	}
	name := sparksql.Name{schema, table}
	if home.Catalog != "" {
		name = append(sparksql.Name{home.Catalog}, name...)
	}
	return name
}
