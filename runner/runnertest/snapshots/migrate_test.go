package snapshots_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
)

func (s *sales) migrate(o runner.MigrateOptions) (runner.Migration, error) {
	s.Helper()
	next, err := gen.Migrator(s.contract, s.contract.Published()[0], false)
	if err != nil {
		s.Fatal(err)
	}
	o.Next = next
	return runner.Migrate(s.Context(), s.lake.Session, s.plan, o)
}

// applied runs a migration that is killed after every second of its statements
// (SLUICE_LONG=1: after each), until one comes to an end.
func (s *sales) applied(allow bool) (last runner.Migration, statements string) {
	s.Helper()
	killed, between := errors.New("killed"), 2
	if os.Getenv("SLUICE_LONG") == "1" {
		between = 1
	}
	var done []string
	for range 40 {
		r, err := s.migrate(runner.MigrateOptions{Apply: true, AllowDestructive: allow, AfterStatement: func(st plan.Statement) error {
			if done = append(done, st.Name); len(done)%between == 0 {
				return killed
			}
			return nil
		}})
		if err == nil {
			return r, strings.Join(done, " ")
		}
		if !errors.Is(err, killed) {
			s.Fatal(err)
		}
	}
	s.Fatalf("a migration did not end: %v", done)
	return last, ""
}

func (s *sales) complete(r runner.Migration, done, want string) {
	s.Helper()
	if r.Result != runner.Applied && r.Result != runner.NothingToDo || done != want {
		s.Fatalf("%s after %s; want %s; left: %+v", r.Result, done, want, r.Steps)
	}
	if got := s.property("contract.version"); got != s.plan.Version {
		s.Errorf("contract.version is %s, want %s", got, s.plan.Version)
	}
	check := s.check(true)
	if text := failed(check)["target_drift"]; text != "" {
		s.Errorf("the guard finds: %s", text)
	}
}

func (s *sales) property(key string) string {
	s.Helper()
	for _, r := range s.lake.Rows("SHOW TBLPROPERTIES ~gold.sales") {
		if r.Text("key") == key {
			return r.Text("value")
		}
	}
	return ""
}

func (s *sales) step(r runner.Migration, name string) runner.MigrationStep {
	s.Helper()
	for _, one := range r.Steps {
		if one.Name == name {
			return one
		}
	}
	s.Fatalf("%s: no step %s: %+v", r.Result, name, r.Steps)
	return runner.MigrationStep{}
}

func (s *sales) waits(r runner.Migration, name, reason string) {
	s.Helper()
	if one := s.step(r, name); one.State != runner.StepWaits || !strings.Contains(one.Reason, reason) {
		s.Errorf("%s does not wait for %q: %+v", name, reason, one)
	}
}

const (
	anyPieces  = `      - {name: pieces, logicalType: integer, physicalType: INT, required: false, logicalTypeOptions: {minimum: 1, format: i32}}`
	longPieces = `      - {name: pieces, logicalType: integer, physicalType: BIGINT, required: true}`
	wideAmount = `      - {name: amount, logicalType: number, physicalType: "DECIMAL(20,2)", required: true}`
	thinAmount = `      - {name: amount, logicalType: number, physicalType: "DECIMAL(20,1)", required: true}`
	heldNote   = `      - {name: note, logicalType: string, physicalType: STRING, required: true, description: "What's to say"}`
	withRegion = `      - {name: note, logicalType: string, physicalType: STRING, required: false}
      - {name: region, logicalType: string, physicalType: STRING, required: true}`
	onlyRegion = `      - {name: region, logicalType: string, physicalType: STRING, required: true}`
)

// A table goes through the versions of its contract, killed between statements.
func TestMigrate(t *testing.T) {
	s := newSales(t)
	if r, err := s.migrate(runner.MigrateOptions{Apply: true}); err != nil || r.Result != runner.NoTable {
		t.Fatalf("without a table: %s, %v", r.Result, err)
	}
	s.bring("b1", "2026-09-01", "'S1', '1', '1.00', NULL, NULL", "'S2', '2', '2.25', 'gift', NULL")
	s.publish("b1", "2026-09-01")
	if r, err := s.migrate(runner.MigrateOptions{}); err != nil || r.Result != runner.NothingToDo {
		t.Fatalf("a table that a run made needs a migration: %+v, %v", r.Steps, err)
	}
	for _, step := range []struct {
		name string
		do   func(*sales)
	}{
		{"another partitioning", (*sales).repartitioned},
		{"a required column more", (*sales).requiredColumn},
		{"an existing column required, another optional", (*sales).nullability},
		{"types that Iceberg widens", (*sales).promoted},
		{"another type", (*sales).retyped},
		{"a column dropped", (*sales).dropped},
		{"somebody's own ALTER TABLE", (*sales).stray},
	} {
		passed := t.Run(step.name, func(t *testing.T) {
			outer := s.T
			defer func() { s.T = outer }()
			s.T = t
			step.do(s)
		})
		if !passed {
			t.FailNow() // the next version builds on this one
		}
	}
}

func (s *sales) repartitioned() {
	s.at("name: day", `      - {name: day, logicalType: date, physicalType: DATE, required: true}`,
		"name: sale_id", `      - {name: sale_id, logicalType: string, physicalType: STRING, required: true, primaryKey: true, primaryKeyPosition: 1, partitioned: true, partitionKeyPosition: 1}`)
	r, err := s.migrate(runner.MigrateOptions{Apply: true, AllowDestructive: true})
	if !errors.Is(err, gen.ErrPartitioning) || r.Result != runner.Broken || !strings.Contains(err.Error(), "it is partitioned by (day), the contract says (sale_id)") {
		s.Errorf("%s: %v", r.Result, err)
	}
}

func (s *sales) requiredColumn() {
	s.at()
	before := s.plan
	s.at("version:", "version: 1.1.0", "name: note", withRegion)
	s.bring("b2", "2026-09-02", "'S3', '1', '1.00', NULL, 'EU'", "'S4', '1', '1.00', NULL, NULL")
	r := s.run("b2", "2026-09-02")
	text := strings.Join(r.Failures, "\n")
	if r.Result != runner.Failed || !strings.Contains(text, `target_drift: `) || !strings.Contains(text, `no column "region"`) || !strings.Contains(text, "sluice migrate sales.odcs.yaml shows") {
		s.Fatalf("%s: %s", r.Result, text)
	}
	m, done := s.applied(false)
	if m.Result != runner.Left || done != "note_added add_columns set_version" {
		s.Fatalf("%s after %s", m.Result, done)
	}
	s.waits(m, "fill_region", "rows without a value: 2")
	if got := s.property("contract.added.region"); !strings.HasPrefix(got, "1.1.0 20") {
		s.Errorf("contract.added.region is %q", got)
	}
	if r := s.lake.Run(before, runner.Options{Batch: "b1", Partition: map[string]string{"day": "2026-09-01"}}); r.Result != runner.Published || r.Warnings["writer_behind"] != 1 {
		s.Errorf("the older writer: %s, %v, %v", r.Result, r.Warnings, r.Failures)
	}
	if r := s.publish("b2", "2026-09-02"); r.Target.Inserted != 1 || r.Reasons["missing_region"] != 1 {
		s.Errorf("row rules hold new rows: %+v, %v", r.Target, r.Reasons)
	}
	s.lake.Do(strings.Replace(s.step(m, "fill_region").Advice, "<value>", "'EU'", 1)) // to paste
	m, done = s.applied(false)
	s.complete(m, done, "")
	if r := failed(s.check(false)); len(r) > 0 {
		s.Errorf("the check finds %v", r)
	}
}

func (s *sales) nullability() {
	s.at("version:", "version: 1.2.0", "name: pieces", anyPieces, "name: note", heldNote+"\n"+onlyRegion)
	m, err := s.migrate(runner.MigrateOptions{})
	if err != nil || !strings.Contains(s.step(m, "set_version").Warning, "required by row rules alone: note, region. Iceberg makes no existing column NOT NULL") {
		s.Fatalf("shown: %+v, %v", m.Steps, err)
	}
	m, done := s.applied(false)
	if m.Result != runner.Left || done != "drop_not_null_pieces set_version comment_note" {
		s.Fatalf("%s after %s", m.Result, done)
	}
	s.waits(m, "fill_note", "rows without a value: 2")
	if got := failed(s.check(false)); len(got) != 1 || got["missing_note"] != "2" {
		s.Errorf("the check counts %v", got)
	}
	s.lake.Do("UPDATE ~gold.sales SET note = '-' WHERE note IS NULL")
	m, done = s.applied(false)
	s.complete(m, done, "")
}

func (s *sales) promoted() {
	s.at("version:", "version: 1.3.0", "name: pieces", longPieces, "name: amount", wideAmount, "name: note", heldNote+"\n"+onlyRegion)
	before := s.number("SELECT count(*) FROM ~gold.sales.snapshots")
	m, done := s.applied(false)
	s.complete(m, done, "set_version promote_pieces promote_amount promote_staged_pieces promote_staged_amount")
	if after := s.number("SELECT count(*) FROM ~gold.sales.snapshots"); after != before {
		s.Errorf("%d snapshots were written", after-before)
	}
	s.bring("b3", "2026-09-03", "'S5', '3000000000', '1.00', 'x', 'EU'")
	if r := s.publish("b3", "2026-09-03"); r.Target.Inserted != 1 {
		s.Errorf("%+v", r.Target)
	}
}

func (s *sales) retyped() {
	s.lake.Do("ALTER TABLE ~gold.sales CREATE OR REPLACE BRANCH audit")
	s.at("version:", "version: 2.0.0", "name: pieces", longPieces, "name: amount", thinAmount, "name: note", heldNote+"\n"+onlyRegion)
	m, _ := s.applied(false)
	s.waits(m, "add_amount_migrated", "--allow-destructive")
	s.waits(m, "set_version", "everything else")
	m, _ = s.applied(true)
	s.waits(m, "add_amount_migrated", "values that the new type cannot hold: 1")
	s.lake.Do("UPDATE ~gold.sales SET amount = 2.20 WHERE amount = 2.25")
	sum := s.number("SELECT sum(amount) * 100 FROM ~gold.sales")

	if err := s.lake.Set(s.Context(), "spark.wap.branch", "audit"); err != nil { // a cluster that has it set for all
		s.Fatal(err)
	}
	shown, err := s.migrate(runner.MigrateOptions{})
	if err != nil || !strings.Contains(s.step(shown, "carry_over_amount").SQL, ".`branch_main`\nSET") {
		s.Fatalf("shown: %+v, %v", shown.Steps, err)
	}
	var done string
	if s.stamps() {
		m, done = s.applied(true)
	}
	if err := s.lake.Unset(s.Context(), "spark.wap.branch"); err != nil {
		s.Fatal(err)
	}
	if !s.stamps() {
		m, done = s.applied(true)
	}
	s.complete(m, done, "add_amount_migrated carry_over_amount drop_amount rename_amount set_aside_amount set_version")
	if got := s.number("SELECT sum(amount) * 100 FROM ~gold.sales"); got != sum {
		s.Errorf("amounts are %d in all, want %d", got, sum)
	}
	if told := s.told(false); s.stamps() && (strings.Contains(told, "overwrite;") == false || strings.Count(told, "stray") != 3) {
		s.Errorf("history: %s", told) // three UPDATEs of the test, and the migration's own
	}
	if got := s.number("SELECT count(amount_before_2_0_0) FROM ~staging.sales"); got == 0 {
		s.Error("what was staged is gone")
	}
	s.bring("b4", "2026-09-04", "'S6', '1', '8.5', 'x', 'EU'")
	if r := s.publish("b4", "2026-09-04"); r.Target.Inserted != 1 {
		s.Errorf("%+v", r.Target)
	}
}

func (s *sales) dropped() {
	s.at("version:", "version: 3.0.0", "name: pieces", longPieces, "name: amount", thinAmount, "name: note", heldNote)
	m, _ := s.applied(false)
	s.waits(m, "drop_region", "--allow-destructive")
	m, done := s.applied(true)
	s.complete(m, done, "drop_region forget_region set_version")
	s.bring("b5", "2026-09-05", "'S7', '1', '8.5', 'x', 'EU'")
	s.publish("b5", "2026-09-05")
}

func (s *sales) stray() {
	s.lake.Do("ALTER TABLE ~gold.sales ADD COLUMNS (extra STRING)")
	r := s.run("b5", "2026-09-05")
	text := strings.Join(r.Failures, "\n")
	for _, part := range []string{"target_drift", `column "extra" (STRING)`, "sluice migrate sales.odcs.yaml"} {
		if r.Result != runner.Failed || !strings.Contains(text, part) {
			s.Errorf("%s: the message lacks %q: %s", r.Result, part, text)
		}
	}
	m, done := s.applied(true)
	s.complete(m, done, "drop_extra")
}
