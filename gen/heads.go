package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

// Heads is the queries for the branches and tags of an Iceberg table.
func Heads(c *contracts.Contract, t *contracts.Table) (plan.Heads, error) {
	if c.Server.Format != contracts.Iceberg {
		return plan.Heads{}, fmt.Errorf("reading the heads of %s: only Iceberg tables have branches and tags, and this one is %s; sluice history shows its commits", t.Target, c.Server.Format)
	}
	h := plan.Heads{Table: t.Target.String(), Branch: t.Publish.Branch}
	for _, one := range []struct {
		statement *plan.Statement
		name      string
		use       plan.Use
	}{{&h.Refresh, "refresh", plan.Exec}, {&h.Properties, "guard_properties", plan.Query}, {&h.Heads, "heads", plan.Query}, {&h.Runs, "heads_runs", plan.Query}} {
		sql, err := lookSQL(c, t, one.name, 0)
		if err != nil {
			return h, err
		}
		*one.statement = plan.Statement{Name: one.name, Use: one.use, SQL: sql}
	}
	return h, nil
}

// lookSQL is a statement that looks at a published table and its audit log.
func lookSQL(c *contracts.Contract, t *contracts.Table, name string, most int) (string, error) {
	data := struct {
		Target, AuditLog, TableName string
		Most                        int
	}{t.Target.SQL(), t.AuditLog.SQL(), t.Target.String(), most}
	var out strings.Builder
	if err := templatesOf(c.Server.Format).ExecuteTemplate(&out, name+".sql.tmpl", data); err != nil {
		return "", fmt.Errorf("writing statement %s: %w", name, err)
	}
	return strings.TrimSpace(out.String()), nil
}
