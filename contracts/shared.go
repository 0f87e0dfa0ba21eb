package contracts

import (
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// use is one table of a contract, and what it is for.
type use struct {
	name  sparksql.Name
	what  string
	table *Table
}

func (u use) key() string { return strings.ToLower(u.name.SQL()) }

// shared reports tables that two parts of the contracts would write: rows of one
// would be taken for rows of the other. The audit log alone is made for sharing,
// and reading what another contract publishes is what lakehouses are for.
func shared(report *odcs.Report, contracts []*Contract, places map[*Table]*odcs.Node) {
	taken := map[string]use{}
	var logs []use
	for _, c := range contracts {
		for _, t := range c.Published() {
			source := use{t.Source.Table, "source", t}
			for _, u := range []use{{t.Target, "target", t}, {t.Staging, "staging", t}, {t.Verdict, "verdict", t}, {t.Quarantine, "quarantine", t}} {
				if u.name == nil {
					continue
				}
				if other, twice := taken[u.key()]; twice {
					collision(report, places[t], u, other)
				} else if source.name != nil && source.key() == u.key() {
					collision(report, places[t], u, source)
				}
				taken[u.key()] = u
			}
			if t.AuditLog != nil {
				logs = append(logs, use{t.AuditLog, "audit log", t})
			}
		}
	}
	for _, log := range logs {
		if other, twice := taken[log.key()]; twice {
			collision(report, places[log.table], log, other)
		}
	}
}

func collision(report *odcs.Report, place *odcs.Node, u, other use) {
	place.Report(report, "shared-table", "the %s table %s is the %s table of %q too; name another by the properties staging and quarantine", u.what, u.name, other.what, other.table.Name)
}
