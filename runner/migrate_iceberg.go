package runner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sluice/gen/plan"
)

// refresh: an Iceberg catalog with a cache can show columns of a while ago.
func (m *migrator) refresh(ctx context.Context) error {
	for _, s := range m.plan.Step("guard_published").Statements {
		if s.Name != "guard_refresh" {
			continue
		}
		if err := m.session.Exec(ctx, s.SQL); err != nil && !NotFound(err) {
			return fmt.Errorf("reading table %s: %w", m.plan.Table, err)
		}
	}
	return nil
}

// fields reads how an Iceberg table is partitioned.
func (m *migrator) fields(ctx context.Context, target *plan.State) error {
	sql := m.plan.TableOf(plan.TargetTable).Fields
	if sql == "" {
		return nil
	}
	rows, err := m.session.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("reading the partition fields of %s: %w", m.plan.Table, err)
	}
	target.Partitioned = partitionedBy(rows)
	return nil
}

// partitionedBy reads DESCRIBE TABLE, which ends with the columns under
// "# Partition Information" if all fields are columns, else with "Part 0",
// "Part 1", … under "# Partitioning" (Spark 3.5 and 4.1, measured).
func partitionedBy(rows []Row) []string {
	var out []string
	columns, fields := false, false
	for _, r := range rows {
		name, typ := r.Text("col_name"), r.Text("data_type")
		switch {
		case typ == "" && strings.HasPrefix(name, "# Partition Information"):
			columns = true
		case typ == "" && strings.HasPrefix(name, "# Partitioning"):
			fields = true
		case name == "# col_name" || typ == "":
		case columns:
			out = append(out, name)
		case fields:
			out = append(out, strings.Trim(typ, "`"))
		}
	}
	return out
}

// exec runs a statement with settings around it. They are taken back on a fresh
// context, so that an interrupted migration leaves no stamp behind.
func (m *migrator) exec(ctx context.Context, sql string, settings []plan.Setting) error {
	for _, s := range settings {
		if err := m.session.Set(ctx, s.Key, s.Value); err != nil {
			return fmt.Errorf("setting %s: %w", s.Key, err)
		}
		defer func() {
			clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
			defer cancel()
			_ = m.session.Unset(clean, s.Key) // the session ends with the command
		}()
	}
	return m.session.Exec(ctx, sql)
}
