package contracts

import (
	"strings"

	"sluice/contracts/odcs"
)

// loader builds one Contract from one document.
type loader struct {
	set      *Set
	doc      *odcs.Document
	report   *odcs.Report
	path     string
	contract *Contract
}

// problem records a problem at n, or at the start of the document when the key
// that it is about is absent.
func (l *loader) problem(n *odcs.Node, id, format string, args ...any) {
	if n == nil {
		n = l.doc.Root
	}
	n.Report(l.report, id, format, args...)
}

// later reports a feature that the standard or our design has and this release
// does not enforce: nothing that a contract promises may pass unnoticed.
func (l *loader) later(n *odcs.Node, what string) {
	l.problem(n, "not-supported-yet", "%s is not supported yet; remove it to go on", what)
}

// later is silent about a table that somebody else writes and checks.
func (t *tableLoader) later(n *odcs.Node, what string) {
	if t.published {
		t.loader.later(n, what)
	}
}

func (l *loader) load() *Contract {
	root := l.doc.Root
	for _, key := range []string{"id", "version"} {
		l.expand(root.Get(key))
	}
	if id := root.Get("id"); id != nil && strings.TrimSpace(id.Text()) == "" {
		l.problem(id, "missing-key", "the id of the contract is empty once its variables have their values; give them one")
	}
	l.contract = &Contract{
		ID:         root.Get("id").Text(),
		APIVersion: l.doc.APIVersion,
		Status:     root.Get("status").Text(),
		File:       l.path,
	}
	l.contract.About = about(root)
	l.version(root.Get("version"))
	l.team(root.Get("team"))
	l.contract.Consumers = Consumers(root)
	node := l.server()
	l.expand(node)
	l.contract.Server = l.readServer(node)
	l.tables(root.Get("schema").Items())
	l.whole()
	return l.contract
}

// maxColumns bounds the work that a hostile file can cause.
const maxColumns = 10_000

func (l *loader) tables(nodes []*odcs.Node) {
	seen := map[string]bool{}
	var loaders []*tableLoader
	for _, node := range nodes {
		l.expand(node)
		name := node.Get("name").Text()
		if seen[strings.ToLower(name)] {
			l.problem(node.Get("name"), "duplicate-name", "the schema object %q is there twice; rename one", name)
		}
		seen[strings.ToLower(name)] = true
		t := &tableLoader{loader: l, node: node, table: &Table{ID: node.Get("id").Text(), Name: name}}
		loaders = append(loaders, t)
		l.contract.Tables = append(l.contract.Tables, t.table)
		l.set.places[t.table] = node
	}
	for _, t := range loaders {
		if properties := t.node.Get("properties"); len(properties.Items()) > maxColumns {
			l.problem(properties, "too-large", "the table %q has %d columns; a contract may have %d", t.table.Name, len(properties.Items()), maxColumns)
			continue
		}
		t.load()
	}
	for _, t := range loaders {
		t.hints()
	}
}

func (l *loader) version(n *odcs.Node) {
	if n == nil || strings.Contains(n.Text(), "${") { // a variable without a value is reported as such
		return
	}
	v, fine := ParseVersion(n.Text())
	if !fine {
		l.problem(n, "bad-version", "the version %q is not MAJOR.MINOR.PATCH; write for example 1.0.0", n.Text())
		return
	}
	l.contract.Version = v
}

// team reads both forms: an object since 3.1, a list of members before.
func (l *loader) team(n *odcs.Node) {
	members := n.Items()
	if n != nil && n.Kind == odcs.Map {
		l.contract.Team = n.Get("name").Text()
		members = n.Get("members").Items()
	}
	l.contract.Owner = l.contract.Team
	for _, m := range members {
		if strings.EqualFold(m.Get("role").Text(), "owner") {
			l.contract.Owner = m.Get("username").Text()
			return
		}
	}
}

// Consumers reads the customProperty of that name of a contract.
func Consumers(root *odcs.Node) []Consumer {
	var out []Consumer
	for _, item := range root.Custom("consumers").Items() {
		out = append(out, Consumer{
			Name:    item.Get("name").Text(),
			Contact: item.Get("contact").Text(),
			Major:   item.Get("major").Int(0),
			Columns: item.Get("columns").Texts(),
		})
	}
	return out
}
