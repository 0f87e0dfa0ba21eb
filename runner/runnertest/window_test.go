package runnertest_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// window is a table whose contract goes from 2.0.0 to 3.0.0: a column comes, is
// renamed by a window of two columns, and goes.
type window struct {
	*runnertest.Lake
	t    *testing.T
	plan *plan.Plan
}

func (w *window) version(name string) {
	w.t.Helper()
	_, w.plan = w.Plan("testdata/window/orders_" + name + ".odcs.yaml")
}

// run runs a batch and says what became of the accepted rows.
func (w *window) run(batch, want string) runner.Report {
	w.t.Helper()
	r := w.Run(w.plan, runner.Options{Batch: batch})
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
		if one.rows > 0 {
			out = append(out, fmt.Sprint(one.rows, " ", one.name))
		}
	}
	return strings.Join(out, ", ")
}

func (w *window) channels() string {
	return w.Rows("SELECT array_join(array_sort(collect_list(concat_ws(' ', order_id, note, channel, sales_channel))), ', ') AS rows FROM ~silver.orders")[0].Text("rows")
}

// Columns that a migration added are filled by the same version of a row: no
// conflict, no reject, and a replay says unchanged. What differs in another
// column, or in a value that was there, stays a conflict.
func TestDeprecationWindow(t *testing.T) {
	t.Parallel()
	w := &window{Lake: runnertest.Spark(t), t: t}
	w.Do("CREATE SCHEMA ~bronze")
	w.Do("CREATE TABLE ~bronze.orders (order_id STRING, note STRING, changed_at STRING, channel STRING, _source_file STRING, _source_line BIGINT, _malformed STRING, _batch_id STRING, _loaded_at TIMESTAMP) USING delta")
	w.Do(`INSERT INTO ~bronze.orders SELECT id, note, '2026-03-01 08:00:00', channel, 'f', line, NULL, 'b1', current_timestamp()
		FROM VALUES ('1', 'a', 'web', 1), ('2', 'b', NULL, 2), ('3', 'c', 'shop', 3) AS v(id, note, channel, line)`)
	w.version("2.0")
	w.run("b1", "3 inserted")

	w.Do("ALTER TABLE ~silver.orders ADD COLUMNS (channel STRING)")
	w.Do("ALTER TABLE ~silver.orders SET TBLPROPERTIES ('contract.added.channel' = '2.1.0', 'contract.version' = '2.1.0')")
	w.version("2.1")
	w.run("b1", "2 backfilled, 1 unchanged")
	w.run("b1", "3 unchanged")

	w.Do("ALTER TABLE ~silver.orders ADD COLUMNS (sales_channel STRING)")
	w.Do("ALTER TABLE ~silver.orders SET TBLPROPERTIES ('contract.added.sales_channel' = '2.2.0', 'contract.version' = '2.2.0')")
	w.version("2.2")
	r := w.run("b1", "2 backfilled, 1 unchanged")
	note := strings.Join(r.Notes, "\n")
	if r.Warnings["deprecated"] != 1 || !strings.Contains(note, `column "channel" ends on 2027-03-31, use "sales_channel"; still read by sales-board (board@example.com)`) || strings.Contains(note, "finance") {
		t.Errorf("warnings %v, notes %q", r.Warnings, note)
	}
	if got := w.channels(); got != "1 a web web, 2 b, 3 c shop shop" {
		t.Errorf("the table holds %s", got)
	}
	w.conflicts()
	w.removed()
}

// conflicts: the same version with another note, or with another channel than the
// published one, is no backfill; a row that fills and differs is none either.
func (w *window) conflicts() {
	w.t.Helper()
	w.Do(`INSERT INTO ~bronze.orders SELECT id, note, changed, channel, 'g', line, NULL, 'b2', current_timestamp()
		FROM VALUES ('1', 'a', '2026-03-01 08:00:00', 'phone', 1), ('2', 'x', '2026-03-01 08:00:00', 'web', 2),
		('3', 'c', '2026-03-02 08:00:00', NULL, 3), ('4', 'd', '2026-03-01 08:00:00', 'web', 4) AS v(id, note, changed, channel, line)`)
	r := w.run("b2", "1 inserted, 1 updated")
	if r.Reasons["ambiguous_duplicate"] != 2 || len(r.Reasons) != 1 {
		w.t.Errorf("reasons %v", r.Reasons)
	}
	if got := w.channels(); got != "1 a web web, 2 b, 3 c, 4 d web web" {
		w.t.Errorf("the table holds %s", got)
	}
	w.Do(`INSERT INTO ~bronze.orders SELECT '2', 'b', '2026-03-01 08:00:00', 'web', 'h', 1, NULL, 'b3', current_timestamp()`)
	w.run("b3", "1 backfilled")
}

// pasted: the statements that a reader gets work as they are printed.
func (w *window) pasted() {
	w.t.Helper()
	c, _ := w.Plan("testdata/window/orders_2.2.odcs.yaml")
	table := c.Published()[0]
	columns, _ := table.Select(c.Consumer("sales-board").Columns)
	text, err := gen.EmitReader(c, table, gen.Reader{Name: "sales-board", Major: 2, Columns: columns}, gen.ReaderSQL)
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

// removed: a reader who is pinned to 2 passes until exactly 3.0.0.
func (w *window) removed() {
	w.t.Helper()
	pinned := func(want bool) {
		w.t.Helper()
		pin, err := runner.CheckPin(w.t.Context(), w.Session, w.plan, 2, true)
		if err != nil || pin.OK != want || len(pin.Commits) == 0 {
			w.t.Errorf("%s: ok %v, %d commits, %v", pin.Text(), pin.OK, len(pin.Commits), err)
		}
	}
	pinned(true)
	w.pasted()
	w.Do("ALTER TABLE ~silver.orders SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')")
	w.Do("ALTER TABLE ~silver.orders DROP COLUMN channel")
	pinned(true)
	w.Do("ALTER TABLE ~silver.orders SET TBLPROPERTIES ('contract.version' = '3.0.0')")
	pinned(false)
	w.version("3.0")
	w.run("b3", "1 unchanged")
	w.Do("UPDATE ~silver.orders SET note = 'stray' WHERE order_id = '4'")

	w.history()
}

// history shows which version wrote which commit, and who else did.
func (w *window) history() {
	w.t.Helper()
	c, _ := w.Plan("testdata/window/orders_3.0.odcs.yaml")
	queries, err := gen.History(c, c.Published()[0], 50)
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
		}
		got = append(got, strings.TrimSpace(text+" "+string(e.Mark)))
	}
	const want = "UPDATE stray; b3 3.0.0; b3 2.2.0 MERGE; b2 2.2.0 MERGE; b1 2.2.0 MERGE; b1 2.1.0; b1 2.1.0 MERGE; b1 2.0.0 MERGE"
	if text := strings.Join(got, "; "); text != want {
		w.t.Errorf("history %s\nwant    %s", text, want)
	}
	if e := j.Entries[2]; e.Rows == nil || e.Rows.Accepted != 1 || !e.Published || e.Commit == nil || e.Commit.UserMetadata == "" {
		w.t.Errorf("entry %+v", e)
	}
}
