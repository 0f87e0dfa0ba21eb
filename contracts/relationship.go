package contracts

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// relationships reads the foreign keys of the columns, then those of the table.
func (t *tableLoader) relationships() {
	count := len(t.node.Get("relationships").Items())
	for _, p := range t.node.Get("properties").Items() {
		count += len(p.Get("relationships").Items())
	}
	if count > maxColumns {
		t.problem(t.node, "too-large", "the table %q has %d relationships; it may have %d", t.table.Name, count, maxColumns)
		return
	}
	for _, p := range t.node.Get("properties").Items() {
		for _, n := range p.Get("relationships").Items() {
			if from := n.Get("from"); from != nil {
				t.problem(from, "useless-key", "a relationship on a column starts at that column; remove from")
			}
			t.relationship(n, []string{storedName(p)})
		}
	}
	for _, n := range t.node.Get("relationships").Items() {
		from := n.Get("from")
		if from == nil {
			t.problem(n, "missing-key", "a relationship of a table needs from")
			continue
		}
		if to := n.Get("to"); to != nil && (from.Kind == odcs.List) != (to.Kind == odcs.List) {
			t.problem(to, "bad-reference", "from and to are both one column or both a list; write the two alike")
			continue
		}
		if columns, ok := t.fromColumns(from); ok {
			t.relationship(n, columns)
		}
	}
}

// single is the members of a list, or the one value.
func single(n *odcs.Node) []*odcs.Node {
	if n == nil {
		return nil
	}
	if n.Kind == odcs.List {
		return n.Items()
	}
	return []*odcs.Node{n}
}

func (t *tableLoader) fromColumns(from *odcs.Node) ([]string, bool) {
	var out []string
	for _, n := range single(from) {
		ref, err := parseReference(n.Text())
		if err != nil {
			t.problem(n, "bad-reference", "%v", err)
			return nil, false
		}
		if object := ref.object(t.doc); object != t.node || ref.file != "" {
			t.problem(n, "bad-reference", "from %q is not a column of %q, where the relationship stands", n.Text(), t.table.Name)
			return nil, false
		}
		property := ref.property(t.node)
		if property == nil {
			t.problem(n, "unknown-column", "the table %q has no column %q%s", t.table.Name, ref.column, odcs.Suggest(ref.column, t.columnNames()))
			return nil, false
		}
		out = append(out, storedName(property))
	}
	return out, len(out) > 0
}

func (t *tableLoader) relationship(n *odcs.Node, columns []string) {
	to := n.Get("to")
	if to == nil {
		return
	}
	targets := single(to)
	if len(targets) != len(columns) {
		t.problem(to, "bad-reference", "%d columns refer to %d; name as many in to as in from", len(columns), len(targets))
		return
	}
	for _, column := range columns {
		t.singleValue(to, column, "a relationship")
	}
	r := &Relationship{
		Columns:     columns,
		OnViolation: OnViolation(cmp.Or(n.Custom("onViolation").Text(), string(FailBatch))),
		Code:        codeName("unknown_" + strings.Join(columns, "_")),
		Position:    to.Pos,
	}
	r.File = otherFile(targets[0].Text(), t.path)
	r.ID = cmp.Or(n.Get("id").Text(), r.Code)
	for i, target := range targets {
		table, column, err := t.target(target, columns[i])
		if err == nil && r.Table != nil && !slices.Equal(table, r.Table) {
			err = errors.New("all columns of a relationship lead to one table")
		}
		if err != nil {
			t.problem(target, "bad-reference", "the reference %q: %v", target.Text(), err)
			return
		}
		r.Table = table
		r.References = append(r.References, column)
	}
	t.table.Relationships = append(t.table.Relationships, r)
}

// referred is what a reference leads to.
type referred struct {
	object, property *odcs.Node
	server           Server
}

func (t *tableLoader) refer(n *odcs.Node) (referred, error) {
	ref, err := parseReference(n.Text())
	if err == nil && !ref.full && t.doc.Release < odcs.Release32 && strings.Contains(n.Text(), "-") {
		err = errors.New("object.property may hold a dash since v3.2; raise apiVersion, or write schema/<id>/properties/<id>")
	}
	if err != nil {
		return referred{}, err
	}
	doc, server := t.doc, t.contract.Server
	if ref.file != "" {
		if doc, server, err = t.other(ref.file); err != nil {
			return referred{}, err
		}
	}
	object := ref.object(doc)
	if object == nil {
		return referred{}, fmt.Errorf("there is no schema object %q%s", ref.table, odcs.Suggest(ref.table, childNames(doc.Root.Get("schema"))))
	}
	property := ref.property(object)
	if property == nil {
		return referred{}, fmt.Errorf("%q has no column %q%s", ref.table, ref.column, odcs.Suggest(ref.column, childNames(object.Get("properties"))))
	}
	return referred{object, property, server}, nil
}

// target resolves the reference of a column to a table and a stored column.
func (t *tableLoader) target(n *odcs.Node, from string) (sparksql.Name, string, error) {
	found, err := t.refer(n)
	if err != nil {
		return nil, "", err
	}
	physical := found.object.Get("physicalName")
	if physical == nil {
		physical = found.object.Get("name")
	}
	text, missing := t.set.substitute(physical.Text())
	if missing != "" {
		return nil, "", fmt.Errorf("its physicalName needs the variable %q", missing)
	}
	t.keyPair(n, from, found)
	name, err := complete(text, found.server)
	if !t.published { // nothing is looked up, so the place of the table does not matter
		err = nil
	}
	return name, storedName(found.property), err
}

func childNames(list *odcs.Node) []string {
	var out []string
	for _, item := range list.Items() {
		out = append(out, item.Get("name").Text())
	}
	return out
}

// other opens another contract. Its own server places its tables; a file that
// names no server lives where the one that refers to it lives.
func (t *tableLoader) other(file string) (*odcs.Document, Server, error) {
	place, err := t.inside(file)
	if err != nil {
		return nil, Server{}, err
	}
	f := t.set.open(place)
	switch {
	case f.err != nil:
		return nil, Server{}, fmt.Errorf("reading %q: %w", place, f.err)
	case len(f.problems) > 0:
		return nil, Server{}, fmt.Errorf("%q has problems of its own, the first: %s", place, f.problems[0])
	}
	if len(f.doc.Root.Get("servers").Items()) == 0 {
		return f.doc, t.contract.Server, nil
	}
	node := pickServer(f.doc, t.set.opts.Server)
	if node == nil {
		return nil, Server{}, fmt.Errorf("%q names no server %q", place, t.set.opts.Server)
	}
	return f.doc, serverParts(node), nil
}

// inside keeps a reference in the folder tree that Load was given: a contract
// is untrusted text and may not read other files of the machine.
func (t *tableLoader) inside(file string) (string, error) {
	if strings.Contains(file, "://") || strings.Contains(file, `\`) || path.IsAbs(file) || filepath.IsAbs(file) {
		return "", errors.New("write the path relative to this file, with / between folders")
	}
	root := cmp.Or(t.set.opts.Root, filepath.Dir(t.path))
	place := filepath.Join(filepath.Dir(t.path), filepath.FromSlash(file))
	inner, err := filepath.Rel(root, place)
	if err != nil || !filepath.IsLocal(inner) {
		return "", fmt.Errorf("%q lies outside of the folder %q", file, root)
	}
	if t.set.onDisk && leaves(root, place) {
		return "", fmt.Errorf("%q is reached by a link that leaves the folder %q; copy the file or name the table in this one", file, root)
	}
	return place, nil
}

// leaves reports whether symbolic links lead from the path out of the folder.
// What cannot be followed is left to whoever opens it.
func leaves(root, place string) bool {
	realRoot, rootErr := filepath.EvalSymlinks(root)
	realPlace, placeErr := filepath.EvalSymlinks(place)
	if rootErr != nil || placeErr != nil {
		return false
	}
	inner, err := filepath.Rel(realRoot, realPlace)
	return err != nil || !filepath.IsLocal(inner)
}

// reference is object.property within the file, or schema/<id>/properties/<id>
// behind an optional file.
type reference struct {
	file, table, column string
	full                bool
}

func parseReference(text string) (reference, error) {
	file, fragment, hasFile := strings.Cut(text, "#")
	if !hasFile {
		file, fragment = "", text
	}
	parts := strings.Split(strings.TrimPrefix(fragment, "/"), "/")
	if len(parts) == 4 && parts[0] == "schema" && parts[2] == "properties" && parts[1] != "" && parts[3] != "" {
		return reference{file: file, table: parts[1], column: parts[3], full: true}, nil
	}
	parts = strings.Split(text, ".")
	if len(parts) == 2 && !hasFile && !strings.Contains(text, "/") && parts[0] != "" && parts[1] != "" {
		return reference{table: parts[0], column: parts[1]}, nil
	}
	return reference{}, errors.New("write object.property within the file, or file.yaml#/schema/<id>/properties/<id>")
}

func (r reference) object(doc *odcs.Document) *odcs.Node {
	return r.member(doc.Root.Get("schema"), r.table)
}

func (r reference) property(object *odcs.Node) *odcs.Node {
	return r.member(object.Get("properties"), r.column)
}

// member finds by id where the reference is a full one, and by name where it is
// not or where elements have no id.
func (r reference) member(list *odcs.Node, want string) *odcs.Node {
	for _, item := range list.Items() {
		if r.full && item.Get("id").Text() == want {
			return item
		}
	}
	for _, item := range list.Items() {
		if item.Get("name").Text() == want {
			return item
		}
	}
	return nil
}
