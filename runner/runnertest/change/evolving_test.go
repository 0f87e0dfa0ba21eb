package change_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// evolving is the small orders table through the versions of its contract.
type evolving struct {
	*testing.T
	lake     *runnertest.Lake
	contract *contracts.Contract
	plan     *plan.Plan
}

// orders are the parts of the contract that change.
type orders struct{ version, amount, channel, region string }

// described is an optional column whose comment tries the quoting of literals.
const described = `description: "Where it's from: C:\\\\shop\n-- a line; \\u0041"`

var firstOrders = orders{version: "1.0.0", amount: "DECIMAL(18,2), minimum 0"}

// at brings the contract to another version; the table stays as it is.
func (e *evolving) at(o orders) {
	e.Helper()
	typ, minimum, limited := strings.Cut(o.amount, ", minimum ")
	property := "physicalType: " + typ
	changed := strings.NewReplacer("version: 1.0.0", "version: "+o.version, "physicalType: DECIMAL(18,2)", property).Replace(runnertest.ShopContract)
	if limited {
		changed = strings.Replace(changed, "{minimum: 0}", "{minimum: "+minimum+"}", 1)
	} else {
		changed = strings.Replace(changed, "        logicalTypeOptions: {minimum: 0}\n", "", 1)
	}
	added := ""
	for _, column := range [][2]string{{"channel", o.channel}, {"region", o.region}} {
		if name, is := column[0], column[1]; is != "" {
			added += "      - {name: " + name + ", logicalType: string, physicalType: STRING, " + is + "}\n"
		}
	}
	changed = strings.Replace(changed, "      - {name: changed_at", added+"      - {name: changed_at", 1)
	e.contract, e.plan = e.lake.PlanText(changed)
}

func (e *evolving) migrate(o runner.MigrateOptions, rewrite bool) (runner.Migration, error) {
	e.Helper()
	next, err := gen.Migrator(e.contract, e.contract.Published()[0], rewrite)
	if err != nil {
		e.Fatal(err)
	}
	o.Next = next
	return runner.Migrate(e.Context(), e.lake.Session, e.plan, o)
}

// shown is what is left to do; looking changes nothing.
func (e *evolving) shown() runner.Migration {
	e.Helper()
	r, err := e.migrate(runner.MigrateOptions{}, false)
	if err != nil {
		e.Fatal(err)
	}
	return r
}

// applied runs a migration that is killed after every third of its statements
// (SLUICE_LONG=1: after each; with -short never), until one
// comes to an end.
func (e *evolving) applied(allow, rewrite bool) (last runner.Migration, statements []string) {
	e.Helper()
	killed, between := errors.New("killed"), 3
	if os.Getenv("SLUICE_LONG") == "1" {
		between = 1
	} else if testing.Short() {
		between = 1000
	}
	for range 40 {
		r, err := e.migrate(runner.MigrateOptions{Apply: true, AllowDestructive: allow, AfterStatement: func(s plan.Statement) error {
			if statements = append(statements, s.Name); len(statements)%between == 0 {
				return killed
			}
			return nil
		}}, rewrite)
		if err == nil {
			return r, statements
		}
		if !errors.Is(err, killed) {
			e.Fatal(err)
		}
	}
	e.Fatalf("a migration did not end: %v", statements)
	return last, statements
}

// complete: nothing is left to do, whether the last kill left something or not.
func complete(r runner.Migration) bool {
	return r.Result == runner.Applied || r.Result == runner.NothingToDo
}

// mended says that the guard passes.
func (e *evolving) mended() {
	e.Helper()
	check, err := runner.Check(e.Context(), e.lake.Session, e.plan, runner.CheckOptions{MetadataOnly: true})
	if err != nil {
		e.Fatal(err)
	}
	for _, c := range check.Checks { // the source may lack the new column still
		if c.Code == "target_drift" && c.Result != "passed" {
			e.Errorf("the guard finds: %s", c.Value)
		}
	}
	if got := e.property("contract.version"); got != e.plan.Version {
		e.Errorf("contract.version is %s, want %s", got, e.plan.Version)
	}
}

func (e *evolving) property(key string) string {
	e.Helper()
	for _, r := range e.lake.Rows("SHOW TBLPROPERTIES ~silver.orders") {
		if r.Text("key") == key {
			return r.Text("value")
		}
	}
	return ""
}

// waits finds the step that waits for a reason.
func (e *evolving) waits(r runner.Migration, name, reason string) {
	e.Helper()
	for _, s := range r.Steps {
		if s.Name == name && s.State == runner.StepWaits && strings.Contains(s.Reason, reason) {
			return
		}
	}
	e.Errorf("%s: no step %s waits for %q: %+v", r.Result, name, reason, r.Steps)
}

func (e *evolving) run(batch string, lines ...string) runner.Report {
	e.Helper()
	e.lake.LandLines(e.contract, batch, lines...)
	return e.lake.Run(e.plan, runner.Options{Batch: batch, Migrate: "sluice migrate shop/orders.odcs.yaml"})
}

func (e *evolving) published(r runner.Report, inserted int64) {
	e.Helper()
	if r.Result != runner.Published || r.Target.Inserted != inserted {
		e.Fatalf("batch %s: %s, %+v, %v", r.Batch, r.Result, r.Target, r.Failures)
	}
}
