package runner_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest/fake"
)

func shown(lines ...string) []runner.Row {
	var out []runner.Row
	for _, one := range lines {
		name, typ, _ := strings.Cut(one, "|")
		out = append(out, runner.Row{"col_name": name, "data_type": typ})
	}
	return out
}

// How a table is partitioned stands below its columns, in two forms; the one
// without partitions has none. What is shown is read behind a REFRESH.
func TestMigrateReadsPartitionFields(t *testing.T) {
	columns := []string{"day|date", "Part 0|string"}
	for name, c := range map[string]struct {
		below []string
		want  []string
	}{
		"none":       {nil, nil},
		"columns":    {[]string{"# Partition Information|", "# col_name|data_type", "day|date", "store|string"}, []string{"day", "store"}},
		"transforms": {[]string{"|", "# Partitioning|", "Part 0|`my day`", "Part 1|months(ts)", "Part 2|bucket(8, k)"}, []string{"my day", "months(ts)", "bucket(8, k)"}},
	} {
		s := &fake.Session{Answer: func(sql string) ([]runner.Row, error) {
			if sql == "fields" {
				return shown(append(slices.Clone(columns), c.below...)...), nil
			}
			return nil, nil
		}}
		p := &plan.Plan{
			Table: "gold.t", Version: "1.1.0",
			Tables: []plan.Table{{Role: plan.TargetTable, Name: "gold.t", Describe: "describe", Fields: "fields"}, {Role: plan.StagingTable, Describe: "describe staging"}},
			Steps:  []plan.Step{{Name: "guard_published", Statements: []plan.Statement{{Name: "guard_refresh", SQL: "refresh"}, {Name: "guard_properties", SQL: "properties"}}}},
		}
		var got []string
		r, err := runner.Migrate(t.Context(), s, p, runner.MigrateOptions{Next: func(live plan.Live) (plan.Migration, error) {
			got = live.Target.Partitioned
			return plan.Migration{}, nil
		}})
		if err != nil || r.Result != runner.NothingToDo || r.Protocol.Before != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %s, %v, %q", name, r.Result, err, got)
		}
		if s.Calls()[0] != "refresh" {
			t.Errorf("%s: calls %v", name, s.Calls())
		}
	}
}
