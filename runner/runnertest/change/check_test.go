package change_test

import (
	"strings"
	"testing"

	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"

	"github.com/google/go-cmp/cmp"
)

// A check of the published table finds what another writer brought past the
// rules of a batch, in few statements, with ANSI on and off.
func TestCheckOfATable(t *testing.T) {
	t.Parallel()
	lake, c, p := runnertest.Shop(t)
	checks, err := gen.Check(c, c.Published()[0])
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.Check(t.Context(), lake.Session, checks, runner.CheckOptions{})
	if err != nil || r.Result != runner.TableFinding || !strings.Contains(failed(r)["target_missing"], "the first run creates it") {
		t.Fatalf("without a table: %s, %+v, %v", r.Result, r.Checks, err)
	}
	lake.LandLines(c, "b1", runnertest.ShopHeader, "O1,C1,5.00,2026-03-01 09:00:00", "O2,C2,6.00,2026-03-01 09:00:00")
	if r := lake.Run(p, runner.Options{Batch: "b1"}); r.Result != runner.Published {
		t.Fatalf("%s: %v", r.Result, r.Failures)
	}
	before := lake.SQL.Load()
	r, err = runner.Check(t.Context(), lake.Session, checks, runner.CheckOptions{})
	if err != nil || r.Result != runner.TablePassed {
		t.Fatalf("a tidy table: %s, %+v, %v", r.Result, r.Checks, err)
	}
	if sent := lake.SQL.Load() - before; sent > 6 {
		t.Errorf("a check took %d statements", sent)
	}
	lake.Do("ALTER TABLE ~silver.orders DROP CONSTRAINT amount_minimum")
	lake.Do("INSERT INTO ~silver.orders VALUES ('O1', 'C1', -1, TIMESTAMP '2026-03-02 09:00:00Z'), ('O3', 'C9', 1, TIMESTAMP '2026-03-02 09:00:00Z')")
	for _, ansi := range []bool{true, false} {
		session := lake.Open(plan.SessionSettings(ansi))
		r, err = runner.Check(t.Context(), session, checks, runner.CheckOptions{Migrate: "sluice migrate shop/orders.odcs.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"minimum_amount": "1", "primaryKey": "1", "customer_known": `1 rows, for example "C9"`, "target_drift": "table " + lake.Prefix + "silver.orders lacks CHECK amount_minimum (`amount` >= 0)"}
		if diff := cmp.Diff(want, failed(r)); diff != "" {
			t.Errorf("ansi=%t (-want +got):\n%s", ansi, diff)
		}
		if !strings.Contains(strings.Join(r.Notes, "\n"), "sluice migrate shop/orders.odcs.yaml") {
			t.Errorf("no note names the command: %v", r.Notes)
		}
	}
	r, err = runner.Check(t.Context(), lake.Session, checks, runner.CheckOptions{MetadataOnly: true})
	if err != nil || len(r.Checks) != 1 {
		t.Errorf("metadata only: %+v, %v", r.Checks, err)
	}
}

// Every kind of column and rule can be asked of a table: Spark takes the
// statements that gen derives from its widest contracts, and a
// table that a run made needs no migration, whatever its comments hold.
func TestCheckOfAnyTable(t *testing.T) {
	runnertest.Once(t)
	t.Parallel()
	lake := runnertest.Spark(t)
	for _, path := range []string{"wide", "zones", "typed"} {
		c, p := lake.Plan("../../../gen/testdata/" + path + ".odcs.yaml")
		for _, step := range p.Steps {
			made := strings.HasPrefix(step.Name, "ensure_schemas") || step.Name == "ensure_target" || strings.HasPrefix(step.Name, "ensure_constraint_") || step.Name == "ensure_version"
			for _, s := range step.Statements {
				if made {
					lake.Do(s.SQL)
				}
			}
		}
		checks, err := gen.Check(c, c.Published()[0])
		if err != nil {
			t.Fatal(err)
		}
		r, err := runner.Check(t.Context(), lake.Session, checks, runner.CheckOptions{})
		if err != nil || len(r.Checks) < 4 {
			t.Errorf("%s: %s, %+v, %v", path, r.Result, r.Checks, err)
		}
		for rule, value := range failed(r) {
			if rule != "missing_source_column" && rule != "lookup_missing" {
				t.Errorf("%s: %s: %s", path, rule, value)
			}
		}
		next, err := gen.Migrator(c, c.Published()[0], false)
		if err != nil {
			t.Fatal(err)
		}
		m, err := runner.Migrate(t.Context(), lake.Session, p, runner.MigrateOptions{Next: next})
		if err != nil || m.Result != runner.NothingToDo {
			t.Errorf("%s: a migration finds %s: %+v, %v", path, m.Result, m.Steps, err)
		}
	}
}

func failed(r runner.TableReport) map[string]string {
	out := map[string]string{}
	for _, c := range r.Checks {
		if c.Result == "failed" {
			out[c.Rule] = c.Value
		}
	}
	return out
}
