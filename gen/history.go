package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

// History bounds: commits are files of the log that the server reads one by one.
// OPTIMIZE and property commits take places, so more are read than are shown.
const (
	leastCommits = 100
	mostCommits  = 1000
)

// History is the queries for the newest entries of a table's history.
func History(c *contracts.Contract, t *contracts.Table, entries int) (plan.History, error) {
	if c.Server.Format != contracts.Delta {
		return plan.History{}, fmt.Errorf("reading the history of %s: tables of format %s are %w; delta works", t.Target, c.Server.Format, ErrUnsupported)
	}
	h := plan.History{Table: t.Target.String(), Most: min(max(4*entries, leastCommits), mostCommits)}
	for _, one := range []struct {
		statement *plan.Statement
		name      string
		most      int
	}{{&h.Commits, "history_commits", h.Most}, {&h.Runs, "history_runs", h.Most + entries}} {
		data := struct {
			Target, AuditLog, TableName string
			Most                        int
		}{t.Target.SQL(), t.AuditLog.SQL(), t.Target.String(), one.most}
		var out strings.Builder
		if err := templatesOf(c.Server.Format).ExecuteTemplate(&out, one.name+".sql.tmpl", data); err != nil {
			return h, fmt.Errorf("writing statement %s: %w", one.name, err)
		}
		*one.statement = plan.Statement{Name: one.name, Use: plan.Query, SQL: strings.TrimSpace(out.String())}
	}
	return h, nil
}
