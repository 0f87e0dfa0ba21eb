package contracts

import (
	"errors"
	"fmt"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// server is the chosen member of servers, or nil when there is none.
func (l *loader) server() *odcs.Node {
	servers := l.doc.Root.Get("servers")
	seen := map[string]bool{}
	for _, s := range servers.Items() {
		name := s.Get("server").Text()
		if seen[name] && name != "" {
			l.problem(s.Get("server"), "duplicate-name", "the server %q is there twice; rename one", name)
		}
		seen[name] = true
	}
	chosen := pickServer(l.doc, l.set.opts.Server)
	if chosen == nil && l.set.opts.Server != "" && len(servers.Items()) > 0 {
		l.problem(servers, "unknown-server", "there is no server %q here%s", l.set.opts.Server, odcs.Suggest(l.set.opts.Server, serverNames(servers)))
	}
	return chosen
}

func serverNames(servers *odcs.Node) []string {
	var out []string
	for _, s := range servers.Items() {
		out = append(out, s.Get("server").Text())
	}
	return out
}

// pickServer takes the server with that name; without a name the one called
// local, else the first: every command agrees on it.
func pickServer(doc *odcs.Document, name string) *odcs.Node {
	servers := doc.Root.Get("servers").Items()
	want := name
	if want == "" {
		want = "local"
	}
	for _, s := range servers {
		if s.Get("server").Text() == want {
			return s
		}
	}
	if name == "" && len(servers) > 0 {
		return servers[0]
	}
	return nil
}

// readServer takes what sluice uses; types that cannot be a Spark lakehouse
// leave Format empty, which matters only to a table that is written.
func (l *loader) readServer(n *odcs.Node) Server {
	out := serverParts(n)
	format := n.Get("format")
	if port := n.Get("port"); port != nil && !strings.Contains(port.Text(), "${") && (port.Int(0) < 1 || port.Int(0) > 65535) {
		l.problem(port, "bad-bound", "the port %q is none; write a whole number from 1 to 65535", port.Text())
	}
	switch n.Get("type").Text() {
	case "iceberg":
		out.Format = Iceberg
	case "databricks":
		out.Format = Delta
	case "custom":
		out.Format = Format(strings.ToLower(format.Text()))
		if format != nil && out.Format != Delta && out.Format != Iceberg && !l.publishes() {
			out.Format = "" // somebody else's
		} else if format != nil && out.Format != Delta && out.Format != Iceberg {
			l.problem(format, "unknown-format", "the format %q is neither delta nor iceberg%s", format.Text(), odcs.Suggest(format.Text(), []string{"delta", "iceberg"}))
			out.Format = Delta // so that the tables are read all the same
		}
	}
	return out
}

// publishes reports whether any table of the document is written by us.
func (l *loader) publishes() bool {
	for _, n := range l.doc.Root.Get("schema").Items() {
		if n.HadCustom("publish") {
			return true
		}
	}
	return false
}

func serverParts(n *odcs.Node) Server {
	out := Server{
		Name:    n.Get("server").Text(),
		Host:    n.Get("host").Text(),
		Port:    n.Get("port").Text(),
		Catalog: n.Get("catalog").Text(),
		Schema:  n.Get("schema").Text(),
	}
	if out.Schema == "" {
		out.Schema = n.Get("namespace").Text()
	}
	return out
}

// resolve completes a table name: one part gets catalog and schema of the
// server, two parts its catalog, three are taken as they are (design section 2).
func (l *loader) resolve(n *odcs.Node, server Server) sparksql.Name {
	if n == nil {
		return nil
	}
	name, err := complete(n.Text(), server)
	if err != nil {
		l.problem(n, "bad-name", "%v", err)
	}
	return name
}

func complete(text string, server Server) (sparksql.Name, error) {
	name, err := sparksql.ParseName(text)
	if err != nil {
		return nil, err
	}
	if len(name) == 1 {
		if server.Schema == "" {
			return nil, fmt.Errorf("the table name %q has no schema and the server names none; write schema.table", text)
		}
		name = append(sparksql.Name{server.Schema}, name...)
	}
	if len(name) == 2 && server.Catalog != "" {
		name = append(sparksql.Name{server.Catalog}, name...)
	}
	if problem := tableName(name, server); problem != "" {
		return nil, errors.New(problem)
	}
	return name, nil
}
