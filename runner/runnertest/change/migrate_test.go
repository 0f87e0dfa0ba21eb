package change_test

import (
	"strings"
	"testing"

	"sluice/runner"
	"sluice/runner/runnertest"
)

// A table goes through the versions of its contract. After each migration the
// guard passes and rows are what they were; each migration is killed between its
// statements, and goes on from there.
func TestMigrate(t *testing.T) {
	t.Parallel()
	lake, c, p := runnertest.Shop(t)
	e := &evolving{T: t, lake: lake, contract: c, plan: p}
	if r, err := e.migrate(runner.MigrateOptions{Apply: true}, false); err != nil || r.Result != runner.NoTable {
		t.Fatalf("without a table: %s, %v", r.Result, err)
	}
	e.published(e.run("b1", runnertest.ShopHeader, "O1,C1,5.00,2026-03-01 09:00:00", "O2,C2,6.25,2026-03-01 09:00:00", "O3,C2,7.50,2026-03-01 09:00:00"), 3)
	if r := e.shown(); r.Result != runner.NothingToDo {
		t.Fatalf("a table that a run made needs a migration: %+v", r.Steps)
	}
	for _, step := range []struct {
		name string
		do   func(*evolving)
	}{
		{"an optional column more", (*evolving).optionalColumn},
		{"a required column more", (*evolving).requiredColumn},
		{"a rule tightened", (*evolving).tightened},
		{"a rule dropped", (*evolving).loosened},
		{"another type", (*evolving).retyped},
		{"a column dropped", (*evolving).dropped},
		{"somebody's own ALTER TABLE", (*evolving).stray},
		{"the table written anew", (*evolving).rewritten},
		{"the script, pasted", (*evolving).pasted},
	} {
		passed := t.Run(step.name, func(t *testing.T) {
			outer := e.T
			defer func() { e.T = outer }()
			e.T = t
			step.do(e)
		})
		if !passed {
			t.FailNow() // the next version builds on this one
		}
	}
}

func (e *evolving) optionalColumn() {
	before := e.plan
	e.at(orders{version: "1.1.0", amount: firstOrders.amount, channel: described})
	r := e.run("b2", runnertest.ShopHeader+",channel", "O4,C1,5.00,2026-03-02 09:00:00,web")
	text := strings.Join(r.Failures, "\n")
	if r.Result != runner.Failed || !strings.Contains(text, `no column "channel"`) || !strings.Contains(text, "sluice migrate shop/orders.odcs.yaml shows") {
		e.Fatalf("%s: %s", r.Result, text)
	}
	if r := e.shown(); r.Result != runner.Planned || e.property("contract.version") != "1.0.0" {
		e.Fatalf("%s: %+v", r.Result, r.Steps)
	}
	if r, done := e.applied(false, false); !complete(r) || strings.Join(done, " ") != "note_added add_columns set_version" {
		e.Fatalf("%s after %v", r.Result, done)
	}
	e.mended()
	if got := e.property("contract.added.channel"); !strings.HasPrefix(got, "1.1.0 20") {
		e.Errorf("contract.added.channel is %q", got)
	}
	if r := e.lake.Run(before, runner.Options{Batch: "b1"}); r.Result != runner.Published || r.Warnings["writer_behind"] != 1 {
		e.Errorf("the older writer: %s, %v, %v", r.Result, r.Warnings, r.Failures)
	}
	e.published(e.run("b2", runnertest.ShopHeader+",channel", "O4,C1,5.00,2026-03-02 09:00:00,web"), 1)
}

func (e *evolving) requiredColumn() {
	e.at(orders{version: "1.2.0", amount: firstOrders.amount, channel: described, region: "required: true"})
	r, _ := e.applied(false, false)
	e.waits(r, "fill_region", "rows without a value: 4")
	e.waits(r, "require_region", "fill_region")
	e.lake.Do("UPDATE ~silver.orders SET region = 'EU' WHERE region IS NULL")
	if r, done := e.applied(false, false); !complete(r) || strings.Join(done, " ") != "require_region" {
		e.Fatalf("%s after %v", r.Result, done)
	}
	e.mended()
	e.published(e.run("b3", runnertest.ShopHeader+",channel,region", "O5,C1,5.00,2026-03-03 09:00:00,web,EU", "O6,C1,5.00,2026-03-03 09:00:00,web,"), 1)
	if err := e.lake.Exec(e.Context(), e.lake.Names("INSERT INTO ~silver.orders (order_id) VALUES ('O9')")); err == nil {
		e.Error("the table takes a row without a region")
	}
}

func (e *evolving) tightened() {
	e.at(orders{version: "1.3.0", amount: "DECIMAL(18,2), minimum 6", channel: described, region: "required: true"})
	r, _ := e.applied(false, false)
	e.waits(r, "drop_check_amount_minimum", "rows that break it: 3")
	e.waits(r, "add_check_amount_minimum", "drop_check_amount_minimum")
	if got := e.property("delta.constraints.amount_minimum"); !strings.Contains(got, ">= 0") {
		e.Errorf("the old CHECK is (%s)", got)
	}
	e.lake.Do("UPDATE ~silver.orders SET amount = 6 WHERE amount < 6")
	if r, done := e.applied(false, false); !complete(r) || strings.Join(done, " ") != "drop_check_amount_minimum add_check_amount_minimum" {
		e.Fatalf("%s after %v", r.Result, done)
	}
	e.mended()
}

func (e *evolving) loosened() {
	e.at(orders{version: "1.4.0", amount: "DECIMAL(18,2)", channel: "required: false", region: "required: false"})
	if r, done := e.applied(false, false); !complete(r) || strings.Join(done, " ") != "drop_check_amount_minimum drop_check_region_required set_version" {
		e.Fatalf("%s after %v", r.Result, done)
	}
	e.mended()
}

func (e *evolving) retyped() {
	e.lake.Do("ALTER TABLE ~silver.orders ADD CONSTRAINT mine CHECK (amount < 1000)")
	e.at(orders{version: "2.0.0", amount: "DECIMAL(10,1), minimum 0", channel: "required: false", region: "required: false"})
	if r, _ := e.applied(false, false); r.Result != runner.Left {
		e.Fatalf("%s: %+v", r.Result, r.Steps)
	} else {
		e.waits(r, "add_amount_migrated", "--allow-destructive")
		e.waits(r, "set_version", "everything else")
	}
	r, _ := e.applied(true, false)
	e.waits(r, "add_amount_migrated", "values that the new type cannot hold: 1")
	e.lake.Do("UPDATE ~silver.orders SET amount = 6.5 WHERE amount = 6.25")
	sum := e.lake.Number("SELECT CAST(sum(amount) * 100 AS BIGINT) FROM ~silver.orders")
	last, done := e.applied(true, false)
	protocol := last.Protocol.After
	if protocol == nil { // the last of the killed ones had nothing left to do
		protocol = last.Protocol.Before
	}
	if !complete(last) || protocol.Reader != 2 {
		e.Fatalf("%s after %v, protocol %+v", last.Result, done, protocol)
	}
	e.mended()
	if got := e.lake.Number("SELECT CAST(sum(amount) * 100 AS BIGINT) FROM ~silver.orders"); got != sum {
		e.Errorf("amounts are %d in all, want %d", got, sum)
	}
	e.published(e.run("b4", runnertest.ShopHeader+",channel,region", "O7,C1,8.5,2026-03-04 09:00:00,web,EU"), 1)
}

func (e *evolving) dropped() {
	e.at(orders{version: "3.0.0", amount: "DECIMAL(10,1), minimum 0", region: "required: false"})
	r, _ := e.applied(false, false)
	e.waits(r, "drop_channel", "--allow-destructive")
	if n := e.lake.Number("SELECT count(channel) FROM ~silver.orders"); n != 3 {
		e.Fatalf("%d channels are left, want 3", n)
	}
	if r, done := e.applied(true, false); !complete(r) || strings.Join(done, " ") != "drop_channel forget_channel set_version" {
		e.Fatalf("%s after %v", r.Result, done)
	}
	e.mended()
}

func (e *evolving) stray() {
	e.lake.Do("ALTER TABLE ~silver.orders ADD COLUMNS (note STRING)")
	e.lake.Do("ALTER TABLE ~silver.orders ADD CONSTRAINT mine CHECK (amount < 1000)")
	r := e.run("b6", runnertest.ShopHeader+",region", "O9,C1,8.5,2026-03-06 09:00:00,EU")
	text := strings.Join(r.Failures, "\n")
	for _, part := range []string{"target_drift", `column "note" (STRING)`, "CHECK mine", "sluice migrate shop/orders.odcs.yaml"} {
		if r.Result != runner.Failed || !strings.Contains(text, part) {
			e.Errorf("%s: the message lacks %q: %s", r.Result, part, text)
		}
	}
	e.applied(true, false)
	e.mended()
}

func (e *evolving) rewritten() {
	if strings.HasPrefix(e.lake.Version(), "3.") {
		e.Skip("Spark 3.5 cannot replace a table by a query of itself through Connect")
	}
	rows := e.lake.Number("SELECT count(*) FROM ~silver.orders")
	e.at(orders{version: "4.0.0", amount: "DECIMAL(18,2), minimum 0"})
	r, _ := e.applied(false, true)
	e.waits(r, "rewrite_table", "--allow-destructive")
	if r, done := e.applied(true, true); !complete(r) || done[0] != "rewrite_table" {
		e.Fatalf("%s after %v", r.Result, done)
	}
	e.mended()
	if got := e.lake.Number("SELECT count(*) FROM ~silver.orders"); got != rows {
		e.Errorf("%d rows, want %d", got, rows)
	}
	if r := e.run("b7", runnertest.ShopHeader, "O10,C1,8.5,2026-03-07 09:00:00"); r.Result != runner.Published {
		e.Fatalf("%s: %v", r.Result, r.Failures)
	}
}

// pasted runs what a person would paste: the statements of one look, in order.
func (e *evolving) pasted() {
	e.lake.Do("UPDATE ~silver.orders SET amount = 7 WHERE amount < 7")
	e.at(orders{version: "5.0.0", amount: "DECIMAL(12,1), minimum 7", channel: "required: false"})
	r := e.shown()
	for _, s := range r.Steps {
		if s.State == runner.StepWaits {
			e.Fatalf("%s waits: %s", s.Name, s.Reason)
		}
		e.lake.Do(s.SQL)
	}
	e.mended()
	if r := e.shown(); r.Result != runner.NothingToDo {
		e.Errorf("after the script: %+v", r.Steps)
	}
}
