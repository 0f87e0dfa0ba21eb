package change_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// window is a table whose contract goes from 2.0.0 to 3.0.0: a column comes, is
// renamed by a window of two columns, and goes.
type window struct {
	*runnertest.Lake
	t        *testing.T
	contract *contracts.Contract
	plan     *plan.Plan
}

// command is what a person of this test types.
const command = "sluice migrate silver/orders.odcs.yaml"

func (w *window) version(name string) {
	w.t.Helper()
	w.contract, w.plan = w.Plan("testdata/window/orders_" + name + ".odcs.yaml")
}

// migrate brings the table to the contract; after is called behind each statement.
func (w *window) migrate(name, want string, after func(plan.Statement) error) {
	w.t.Helper()
	w.version(name)
	next, err := gen.Migrator(w.contract, w.contract.Published()[0], false)
	if err != nil {
		w.t.Fatal(err)
	}
	var done []string
	r, err := runner.Migrate(w.t.Context(), w.Session, w.plan, runner.MigrateOptions{
		Apply: true, AllowDestructive: name == "3.0", Next: next,
		AfterStatement: func(s plan.Statement) error {
			done = append(done, s.Name)
			return after(s)
		},
	})
	if got := strings.Join(done, " "); err != nil || r.Result != runner.Applied || got != want {
		w.t.Fatalf("the migration to %s: %s, %v: %s\nwant %s\n%+v", name, r.Result, err, got, want, r.Steps)
	}
}

func nothing(plan.Statement) error { return nil }

// run runs a batch and says what became of the accepted rows.
func (w *window) run(batch, want string) runner.Report {
	w.t.Helper()
	r := w.Run(w.plan, runner.Options{Batch: batch, Migrate: command})
	got := became(r.Target)
	if r.Result != runner.Published || got != want {
		w.t.Fatalf("batch %s by %s is %s with %q, want %q: %v, %v", batch, w.plan.Version, r.Result, got, want, r.Failures, r.Reasons)
	}
	return r
}

func became(t runner.Target) string {
	var out []string
	for _, one := range []struct {
		name string
		rows int64
	}{{"inserted", t.Inserted}, {"updated", t.Updated}, {"backfilled", t.Backfilled}, {"unchanged", t.Unchanged}, {"stale", t.Stale}} {
		if one.rows != 0 {
			out = append(out, fmt.Sprint(one.rows, " ", one.name))
		}
	}
	return strings.Join(out, ", ")
}

// batch is written to bronze: values are rows of (order_id, note, changed_at, channel).
func (w *window) batch(name, values string) {
	w.t.Helper()
	w.Do(`INSERT INTO ~bronze.orders SELECT id, note, concat('2026-03-0', changed, ' 08:00:00'), channel, 'f', 1, NULL, '` + name + `', current_timestamp()
		FROM VALUES ` + values + ` AS v(id, note, changed, channel)`)
}

// holds compares the published rows, columns that the table has in their order.
func (w *window) holds(columns, want string) {
	w.t.Helper()
	got := w.Rows("SELECT array_join(array_sort(collect_list(concat_ws(' ', " + columns + "))), ', ') AS rows FROM ~silver.orders")[0].Text("rows")
	if got != want {
		w.t.Errorf("after %s the table holds %s\nwant %s", w.plan.Version, got, want)
	}
}

// pinned: a reader who is written for major 2 may read, or may not.
func (w *window) pinned(want bool) {
	w.t.Helper()
	pin, err := runner.CheckPin(w.t.Context(), w.Session, w.plan, 2, false)
	if err != nil || pin.OK != want {
		w.t.Errorf("%s: ok %v, %v", pin.Text(), pin.OK, err)
	}
	if !want && pin.Text() != "expects "+w.Prefix+"silver.orders contract 2.x, found 3.0.0" {
		w.t.Errorf("the reader is told %q", pin.Text())
	}
}

// silver.orders goes from 2.0.0 to 3.0.0, each change of its schema by a
// migration. Columns that one added are filled by the same version of a row: no
// conflict, no reject, and the first batch run again changes nothing after that.
func TestDeprecationWindow(t *testing.T) {
	t.Parallel()
	w := &window{Lake: runnertest.Spark(t), t: t}
	w.Do("CREATE SCHEMA ~bronze")
	w.Do("CREATE TABLE ~bronze.orders (order_id STRING, note STRING, changed_at STRING, channel STRING, _source_file STRING, _source_line BIGINT, _malformed STRING, _batch_id STRING, _loaded_at TIMESTAMP) USING delta")
	w.batch("b1", "('1', 'a', 1, 'web'), ('2', 'b', 1, NULL), ('3', 'c', 1, 'shop')")
	w.version("2.0")
	w.run("b1", "3 inserted")
	w.run("b1", "3 unchanged")
	w.pinned(true)

	w.migrate("2.1", "note_added add_columns set_version", nothing)
	w.pinned(true)
	w.run("b1", "2 backfilled, 1 unchanged")
	w.run("b1", "3 unchanged")

	w.migrate("2.2", "note_added add_columns set_version", nothing)
	w.pinned(true)
	r := w.run("b1", "2 backfilled, 1 unchanged")
	note := strings.Join(r.Notes, "\n")
	if r.Warnings["deprecated"] != 1 || !strings.Contains(note, `column "channel" ends on 2027-03-31, use "sales_channel"; still read by sales-board (board@example.com)`) || strings.Contains(note, "finance") {
		t.Errorf("warnings %v, notes %q", r.Warnings, note)
	}
	w.holds("order_id, note, channel, sales_channel", "1 a web web, 2 b, 3 c shop shop")
	w.conflicts()
	w.pasted()
	w.major()
	w.stray()
	w.history()
}

// conflicts: the same version with another note, or with another channel than the
// published one, is no backfill; a row that fills and differs is none either. The
// first batch, which lacked what a later one filled, is still what it was.
func (w *window) conflicts() {
	w.t.Helper()
	w.batch("b2", "('1', 'a', 1, 'phone'), ('2', 'x', 1, 'web'), ('3', 'c', 2, NULL), ('4', 'd', 1, 'web')")
	r := w.run("b2", "1 inserted, 1 updated")
	if r.Reasons["ambiguous_duplicate"] != 2 || len(r.Reasons) != 1 {
		w.t.Errorf("reasons %v", r.Reasons)
	}
	w.holds("order_id, note, channel, sales_channel", "1 a web web, 2 b, 3 c, 4 d web web")
	w.batch("b3", "('2', 'b', 1, 'web')")
	w.run("b3", "1 backfilled")
	w.batch("b4", "('2', 'b', 1, NULL)")
	if r := w.run("b4", ""); r.Reasons["ambiguous_duplicate"] != 1 {
		w.t.Errorf("a first delivery without the value that another one brought: %v", r.Reasons)
	}
	w.run("b1", "1 unchanged, 2 stale")
}

// pasted: the statements that a reader gets work as they are printed.
func (w *window) pasted() {
	w.t.Helper()
	table := w.contract.Published()[0]
	columns, _ := table.Select(w.contract.Consumer("sales-board").Columns)
	text, err := gen.EmitReader(w.contract, table, gen.Reader{Name: "sales-board", Major: 2, Columns: columns}, gen.ReaderSQL)
	if err != nil {
		w.t.Fatal(err)
	}
	guard, query, _ := strings.Cut(text, ";\n\n")
	if got := w.Rows(guard); len(got) != 1 || got[0].Text("value") != "2.2.0" {
		w.t.Errorf("the guard gives %v", got)
	}
	if got := w.Rows(query); len(got) != 4 || len(got[0]) != 2 {
		w.t.Errorf("the query gives %v", got)
	}
}

// major: the old column goes. Who is pinned to 2 may read until exactly the
// statement that sets 3.0.0, and no run of the new contract comes before it.
func (w *window) major() {
	w.t.Helper()
	w.version("3.0")
	if r := w.Run(w.plan, runner.Options{Batch: "b1", Migrate: command}); r.Result != runner.Failed || !strings.Contains(strings.Join(r.Failures, "\n"), command) {
		w.t.Errorf("a run before the migration is %s: %v", r.Result, r.Failures)
	}
	w.migrate("3.0", "column_mapping drop_channel forget_channel set_version", func(s plan.Statement) error {
		w.pinned(s.Name != "set_version")
		if w.t.Failed() {
			return errors.New("the reader's pin is wrong")
		}
		return nil
	})
	w.run("b1", "1 unchanged, 2 stale")
	w.holds("order_id, note, sales_channel", "1 a web, 2 b web, 3 c, 4 d web")
}

// stray: somebody's own ALTER TABLE stops the next run before it writes anything,
// and the migration that the message names takes it back.
func (w *window) stray() {
	w.t.Helper()
	w.Do("ALTER TABLE ~silver.orders ADD COLUMNS (memo STRING)")
	r := w.Run(w.plan, runner.Options{Batch: "b1", Migrate: command})
	text := strings.Join(r.Failures, "\n")
	if r.Result != runner.Failed || !strings.Contains(text, "target_drift") || !strings.Contains(text, `column "memo"`) || !strings.Contains(text, command) {
		w.t.Errorf("a run over a stray column is %s: %s", r.Result, text)
	}
	w.migrate("3.0", "drop_memo", nothing)
	w.batch("b5", "('5', 'e', 1, 'web')")
	w.run("b5", "1 inserted")
	w.run("b1", "1 unchanged, 2 stale")
	w.Do("UPDATE ~silver.orders SET note = 'stray' WHERE order_id = '4'")
}

// history shows which version wrote which commit, and who else did.
func (w *window) history() {
	w.t.Helper()
	queries, err := gen.History(w.contract, w.contract.Published()[0], 50)
	if err != nil {
		w.t.Fatal(err)
	}
	j, err := runner.ReadJournal(w.t.Context(), w.Session, queries, runner.JournalOptions{Entries: 50})
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, e := range j.Entries {
		text := e.Batch + " " + e.Contract
		if e.Commit != nil {
			text += " " + e.Commit.Operation
			if e.Mark == "" && !strings.HasPrefix(e.Commit.UserMetadata, "contract="+e.Contract+" ") {
				w.t.Errorf("the commit of %s carries %q", text, e.Commit.UserMetadata)
			}
		}
		got = append(got, strings.TrimSpace(text+" "+string(e.Mark)))
	}
	const want = "UPDATE stray; b1 3.0.0; b5 3.0.0 MERGE; b1 3.0.0; b1 3.0.0; b1 3.0.0; " +
		"b1 2.2.0; b4 2.2.0; b3 2.2.0 MERGE; b2 2.2.0 MERGE; b1 2.2.0 MERGE; b1 2.1.0; b1 2.1.0 MERGE; b1 2.0.0; b1 2.0.0 MERGE"
	if text := strings.Join(got, "; "); text != want {
		w.t.Errorf("history %s\nwant    %s", text, want)
	}
	if e := j.Entries[2]; e.Rows == nil || e.Rows.Accepted != 1 || !e.Published || e.Commit == nil {
		w.t.Errorf("entry %+v", e)
	}
}
