package gen

import (
	"fmt"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// Principal stands for an identity in a GRANT, until a person writes the real one.
func Principal(i plan.Identity) string { return "sluice_" + string(i) }

// Grants are what each identity needs on every table that it meets, as the
// statements of the plan use them. Names that leave their catalog to the session
// get no grant on it.
func Grants(c *contracts.Contract, t *contracts.Table) ([]plan.Grant, error) {
	if _, err := Build(c, t); err != nil {
		return nil, err
	}
	g := &granter{contract: c, table: t}
	g.land()
	g.run()
	g.migrate()
	g.look()
	g.of(plan.Reader)
	g.on(t.Target, "the published table, and nothing else of sluice", "SELECT")
	g.done()
	return g.out, nil
}

type granter struct {
	contract *contracts.Contract
	table    *contracts.Table
	out      []plan.Grant

	identity plan.Identity
	tables   []plan.Grant // of the identity at hand
	names    []sparksql.Name
	making   []sparksql.Name // tables that the identity makes when they are not there
}

// of begins an identity.
func (g *granter) of(i plan.Identity) { g.identity, g.tables, g.names, g.making = i, nil, nil, nil }

// on adds a table. One that is met twice has its privileges and reasons joined.
func (g *granter) on(name sparksql.Name, why string, privileges ...string) {
	if len(name) == 0 {
		return
	}
	name = g.complete(name)
	for i, other := range g.names {
		if strings.EqualFold(other.SQL(), name.SQL()) {
			one := &g.tables[i]
			one.Why += "; " + why
			for _, p := range privileges {
				if !slices.Contains(one.Privileges, p) {
					one.Privileges = append(one.Privileges, p)
				}
			}
			return
		}
	}
	g.names = append(g.names, name)
	g.tables = append(g.tables, plan.Grant{Object: "TABLE", Name: name.String(), Privileges: slices.Clone(privileges), Why: why})
}

// complete is a name as the session reads it.
func (g *granter) complete(name sparksql.Name) sparksql.Name {
	if catalog := g.contract.Server.Catalog; len(name) == 2 && catalog != "" {
		return append(sparksql.Name{catalog}, name...)
	}
	return name
}

// makes adds a table that the identity creates when it is not there.
func (g *granter) makes(name sparksql.Name, why string, privileges ...string) {
	g.on(name, why, privileges...)
	g.making = append(g.making, g.complete(name))
}

// done writes an identity: catalogs and schemas first, without which a privilege on
// a table is worth nothing.
func (g *granter) done() {
	catalogs, schemas := g.containers(g.names)
	for _, c := range catalogs {
		g.grant(plan.Grant{Object: "CATALOG", Privileges: []string{"USE CATALOG"}, Why: "to name anything in it"}, c)
	}
	for _, s := range schemas {
		g.grant(plan.Grant{Object: "SCHEMA", Privileges: []string{"USE SCHEMA"}, Why: "to name its tables"}, s)
	}
	catalogs, schemas = g.containers(g.making)
	for _, c := range catalogs {
		g.grant(plan.Grant{Object: "CATALOG", Privileges: []string{"CREATE SCHEMA"}, Why: "makes the schemas that are not there", Until: "the schemas exist"}, c)
	}
	for _, s := range schemas {
		g.grant(plan.Grant{Object: "SCHEMA", Privileges: []string{"CREATE TABLE"}, Why: "makes " + g.made(s), Until: "the tables exist"}, s)
	}
	for i, one := range g.tables {
		g.grant(one, g.names[i])
	}
}

// made names the tables that the identity makes in a schema.
func (g *granter) made(schema sparksql.Name) string {
	var out []string
	for _, n := range g.making {
		if n.Schema().SQL() == schema.SQL() {
			out = append(out, n.Table())
		}
	}
	return strings.Join(out, ", ")
}

// containers are the catalogs and schemas of tables, each once.
func (g *granter) containers(names []sparksql.Name) (catalogs, schemas []sparksql.Name) {
	add := func(to *[]sparksql.Name, name sparksql.Name) {
		if len(name) > 0 && !slices.ContainsFunc(*to, func(n sparksql.Name) bool { return strings.EqualFold(n.SQL(), name.SQL()) }) {
			*to = append(*to, name)
		}
	}
	for _, n := range names {
		add(&schemas, n.Schema())
		if len(n) == 3 {
			add(&catalogs, n[:1])
		}
	}
	return catalogs, schemas
}

func (g *granter) grant(one plan.Grant, name sparksql.Name) {
	one.Identity, one.Name = g.identity, name.String()
	one.SQL = fmt.Sprintf("GRANT %s ON %s %s TO %s", strings.Join(one.Privileges, ", "), one.Object, name.SQL(), ident(Principal(g.identity)))
	g.out = append(g.out, one)
}

// land replaces the batch's rows in bronze.
func (g *granter) land() {
	if g.table.Source.Table == nil || g.table.Source.Typed {
		return
	}
	g.of(plan.Lander)
	g.makes(g.table.Source.Table, "compares and counts the batch, replaces its rows, adds columns that files bring", "SELECT", "MODIFY")
	g.done()
}

func (g *granter) run() {
	t := g.table
	g.of(plan.Runner)
	g.on(t.Source.Table, "the rows of the batch", "SELECT")
	g.lookups()
	writes := "merges the rows that change something, sets contract.version"
	switch {
	case t.Publish.Mode == contracts.WAP:
		writes = "writes the branch " + oneLine(t.Publish.Branch) + ", moves main to it, makes and drops branch and tag, sets contract.version"
	case t.ReplacesPartition():
		writes = "replaces the partition, sets contract.version"
	}
	g.makes(t.Target, "reads what is published for verdicts and proofs, "+writes, "SELECT", "MODIFY")
	g.makes(t.Staging, "appends every row of the batch, reads them back, adds columns", "SELECT", "MODIFY")
	g.makes(t.Verdict, "appends verdicts that need other rows, reads them back", "SELECT", "MODIFY")
	g.makes(t.Quarantine, "replaces the batch's rejects, adds columns", "SELECT", "MODIFY")
	g.makes(t.AuditLog, "reads what earlier runs recorded, appends its own row, adds columns", "SELECT", "MODIFY")
	g.done()
}

// lookups are tables of relationships and sql rules, with who reads them.
func (g *granter) lookups() {
	for _, r := range g.table.Relationships {
		g.on(r.Table, "the relationship of "+oneLine(strings.Join(r.Columns, ", ")), "SELECT")
	}
	target := g.complete(g.table.Target).SQL()
	for _, r := range g.table.Rules {
		for _, name := range r.Tables() {
			if !strings.EqualFold(g.complete(name).SQL(), target) {
				g.on(name, "the sql rule "+oneLine(r.ID), "SELECT")
			}
		}
	}
}

func (g *granter) migrate() {
	t := g.table
	g.of(plan.Migrator)
	g.on(t.Target, "adds and changes columns and properties, counts the rows in the way; constraints need the owner of the table", "SELECT", "MODIFY")
	g.on(t.Staging, "sets aside a staging table of older types; it needs the owner of the table, who also may create one in its place", "SELECT", "MODIFY")
	g.done()
}

func (g *granter) look() {
	t := g.table
	g.of(plan.Looker)
	g.on(t.Target, "columns, properties, history and rows under the rules", "SELECT")
	g.on(t.Source.Table, "what a changed contract would do to recent batches", "SELECT")
	g.lookups()
	g.on(t.Quarantine, "rejects as the source sent them: personal data lies here as well", "SELECT")
	g.on(t.AuditLog, "what runs recorded", "SELECT")
	g.done()
}
