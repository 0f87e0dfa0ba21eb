package gen

import (
	"sluice/contracts"
	"sluice/gen/plan"
)

// History bounds: commits are files of the log that the server reads one by one.
// OPTIMIZE and property commits take places, so more are read than are shown; a
// replaced partition of Iceberg is two snapshots.
const (
	leastCommits = 100
	mostCommits  = 1000
)

// History is the queries for the newest entries of a table's history.
func History(c *contracts.Contract, t *contracts.Table, entries int) (plan.History, error) {
	h := plan.History{Table: t.Target.String(), Most: min(max(4*entries, leastCommits), mostCommits)}
	if h.Snapshots = c.Server.Format == contracts.Iceberg; h.Snapshots {
		h.Replaces = t.ReplacesPartition()
		sql, err := lookSQL(c, t, "refresh", 0)
		if err != nil {
			return h, err
		}
		h.Refresh = plan.Statement{Name: "refresh", Use: plan.Exec, SQL: sql}
	}
	for _, one := range []struct {
		statement *plan.Statement
		name      string
		most      int
	}{{&h.Commits, "history_commits", h.Most}, {&h.Runs, "history_runs", h.Most + entries}} {
		sql, err := lookSQL(c, t, one.name, one.most)
		if err != nil {
			return h, err
		}
		*one.statement = plan.Statement{Name: one.name, Use: plan.Query, SQL: sql}
	}
	return h, nil
}
