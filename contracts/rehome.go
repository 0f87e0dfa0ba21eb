package contracts

import (
	"slices"

	"sluice/gen/sparksql"
)

// Rehome returns a copy of c whose tables live in other schemas: move gets the
// schema part of every name (target, source, helpers, lookups, the qualified tables
// of sql rules) and returns the new one. Scratch runs use it, so that the statements under test differ from
// the production ones in names alone.
func (c *Contract) Rehome(move func(schema string) string) *Contract {
	place := func(n sparksql.Name) sparksql.Name { return n.Moved(move) }
	moved := *c
	moved.Tables = nil
	for _, t := range c.Tables {
		table := *t
		table.Target = place(t.Target)
		table.Source.Table = place(t.Source.Table)
		table.Staging, table.Verdict = place(t.Staging), place(t.Verdict)
		table.Quarantine, table.AuditLog = place(t.Quarantine), place(t.AuditLog)
		table.Relationships = nil
		for _, r := range t.Relationships {
			relationship := *r
			relationship.Table = place(r.Table)
			table.Relationships = append(table.Relationships, &relationship)
		}
		table.Rules = nil
		for _, r := range t.Rules {
			rule := *r
			rule.Query = moveTables(r.Query, place)
			table.Rules = append(table.Rules, &rule)
		}
		moved.Tables = append(moved.Tables, &table)
	}
	moved.SLA = slices.Clone(c.SLA)
	for i, one := range moved.SLA {
		if at := slices.Index(c.Tables, one.Table); at >= 0 {
			moved.SLA[i].Table = moved.Tables[at]
		}
	}
	return &moved
}
