package runnertest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/runner"
	"sluice/runner/runnertest"
)

const stockContract = "testdata/holdback/stock.odcs.yaml"

// firstStock is shop, sku, day, revision, amount and supplier of each row; a
// seventh field is the raw line of a malformed one.
const firstStock = `
a 1 1 1 901 s1
a 1 2 1 -1 s1
a 2 1 1 902 s1
a 2 2 1 2 nobody
a 3 1 1 903 s1
a 3 2 1 1 s1
a 3 2 1 2 s1
a 4 1 1 4 s1
a 4 1 1 -4 s1
a 5 1 1 5 s1
a 5 x 1 -5 s1
a 6 1 1 906 s1
a 6 1 2 -6 s1
b 1 1 1 1 s1
b 2 1 1 -2 s1
b 2 2 1 2 s1
b 3 1 1 903 s1
b 3 2 1 903 s1
b 3 3 1 -3 s1
b 4 1 1 904 s1
b 4 1 1 904 s1
b 4 2 1 -4 s1
b x 9 1 5 s1
b 5 1 1 5 s1
b 6 1 1 6 s1
shop sku changed_at revision amount supplier`

// stock puts rows into bronze as one batch.
func stock(lake *runnertest.Lake, batch, lines string) {
	var rows []string
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		f := append(strings.Fields(line), "")
		malformed := "CAST(NULL AS STRING)"
		if f[6] != "" {
			malformed = "'" + f[6] + "'"
		}
		if f[2] != "changed_at" {
			f[2] = "2026-03-0" + f[2] + " 08:00:00"
		}
		rows = append(rows, fmt.Sprintf("('%s', '%s', '%s', '%s', '%s', '%s', %s, '%s', TIMESTAMP '2026-03-10 12:00:00Z')", f[0], f[1], f[2], f[3], f[4], f[5], malformed, batch))
	}
	lake.Do("INSERT INTO ~bronze.stock VALUES " + strings.Join(rows, ", "))
}

func stockTables(lake *runnertest.Lake) {
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE TABLE ~bronze.stock (shop STRING, sku STRING, changed_at STRING, revision STRING, amount STRING, supplier STRING, _malformed STRING, _batch_id STRING, _loaded_at TIMESTAMP) USING delta")
	lake.Do("CREATE SCHEMA ~silver")
	lake.Do("CREATE TABLE ~silver.suppliers USING delta AS SELECT 's1' AS supplier")
}

// amounts are what readers see, by shop and sku.
func amounts(lake *runnertest.Lake) map[string]int64 {
	out := map[string]int64{}
	for _, r := range lake.Rows("SELECT concat_ws(' ', shop, CAST(sku AS STRING)) AS k, CAST(amount AS BIGINT) AS amount FROM ~silver.stock") {
		out[r.Text("k")], _ = r.Number("amount")
	}
	return out
}

// heldBack are the keys of a batch whose rows wait in quarantine.
func heldBack(lake *runnertest.Lake, batch string) string {
	return lake.Rows("SELECT array_join(array_sort(collect_list(concat(shop, sku, ' ', raw_amount))), ', ') AS rows FROM ~quarantine.stock WHERE _reject_reason = 'newest_rejected' AND _batch_id = '" + batch + "'")[0].Text("rows")
}

// Where the newest version of a key is rejected by a row rule or a lookup, the
// older one is held back: only a strictly newer version with a readable change
// time does that, and only over all key columns. What ties stays what it is.
func TestHoldBack(t *testing.T) {
	t.Parallel()
	lake := runnertest.Spark(t)
	_, p := lake.Plan(stockContract)
	stockTables(lake)
	stock(lake, "b1", firstStock)
	stock(lake, "b1", "b 6 2 1 7 s1 b,6,raw")
	first := lake.Run(p, runner.Options{Batch: "b1"})
	want := map[string]int64{
		"newest_rejected": 5, "minimum_amount": 6, "unknown_supplier": 1, "ambiguous_duplicate": 2, "duplicate_superseded": 3,
		"bad_changed_at": 1, "bad_sku": 1, "header_row": 1, "malformed_row": 1,
	}
	if first.Result != runner.Published || !maps.Equal(first.Reasons, want) {
		t.Fatalf("%s, rejected %v, want %v: %v", first.Result, first.Reasons, want, first.Failures)
	}
	if got, want := heldBack(lake, "b1"), "a1 901, a2 902, a6 906, b3 903, b4 904"; got != want {
		t.Errorf("held back %q, want %q", got, want)
	}
	seen := map[string]int64{"a 4": 4, "a 5": 5, "b 1": 1, "b 2": 2, "b 5": 5, "b 6": 6}
	if got := amounts(lake); !maps.Equal(got, seen) || first.Rows.Accepted != int64(len(seen)) {
		t.Errorf("published %v, accepted %d, want %v", got, first.Rows.Accepted, seen)
	}
	wantResults(t, first, map[string]string{"seen": "passed: 0", "rejects": "passed: 68.42 % (13 of 19)", "rejects_by_shop": "passed: "})
	repaired(t, lake, first)
}

// repaired: the repaired newest versions come with the next batch, in which an
// older version of a published key is held back; then the first batch comes
// again, as it was and without what held back its versions.
func repaired(t *testing.T, lake *runnertest.Lake, first runner.Report) {
	t.Helper()
	_, p := lake.Plan(stockContract)
	stock(lake, "b2", "a 1 2 1 11 s1\na 2 2 1 12 s1\nb 1 2 1 901 s1\nb 1 3 1 -1 s1\nb 7 1 1 7 s1")
	second := lake.Run(p, runner.Options{Batch: "b2"})
	if want := map[string]int64{"newest_rejected": 1, "minimum_amount": 1}; second.Target.Inserted != 3 || !maps.Equal(second.Reasons, want) {
		t.Errorf("b2: %s, target %+v, rejected %v, want %v: %v", second.Result, second.Target, second.Reasons, want, second.Failures)
	}
	if want := map[string]int64{"newest_rejected": 1}; !maps.Equal(second.Warnings, want) {
		t.Errorf("b2: warnings %v, want %v: an older version of an earlier batch is published", second.Warnings, want)
	}
	before := amounts(lake)
	again := lake.Run(p, runner.Options{Batch: "b1"})
	if again.Commit != nil || !maps.Equal(again.Reasons, first.Reasons) || again.Target.Unchanged != first.Rows.Accepted {
		t.Errorf("replay: commit %v, rejected %v, target %+v: %v", again.Commit, again.Reasons, again.Target, again.Failures)
	}
	lake.Do("DELETE FROM ~bronze.stock WHERE _batch_id = 'b1' AND amount IN ('-1', '-6')")
	changed := lake.Run(p, runner.Options{Batch: "b1", AcceptChanged: true})
	if got, want := heldBack(lake, "b1"), "a1 901, a2 902, b3 903, b4 904"; got != want || changed.Target.Inserted != 1 {
		t.Errorf("without two of the broken rows: held back %q, want %q; target %+v, %v", got, want, changed.Target, changed.Failures)
	}
	before["a 6"] = 906 // nothing newer is known of it any more
	if got := amounts(lake); !maps.Equal(got, before) {
		t.Errorf("published %v, want %v", got, before)
	}
	stock(lake, "b3", "c 1 1 1 -1 s1\nc 2 1 1 2 s1")
	third := lake.Run(p, runner.Options{Batch: "b3"})
	for _, s := range third.Steps {
		if s.Name == "settle_held_back" && !s.Skipped {
			t.Error("b3: nothing is older than a rejected row, and yet it was looked for")
		}
	}
}

// publishOlder is the default: the same rows are published, with a warning.
func TestPublishOlder(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(stockContract)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "stock.odcs.yaml")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), ", onBrokenNewest: holdBack", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	lake := runnertest.Spark(t)
	_, p := lake.Plan(path)
	if p.Step("settle_held_back") != nil {
		t.Error("the plan holds back what nobody asked it to")
	}
	stockTables(lake)
	stock(lake, "b1", firstStock)
	r := lake.Run(p, runner.Options{Batch: "b1"})
	seen := map[string]int64{"a 1": 901, "a 2": 902, "a 4": 4, "a 5": 5, "a 6": 906, "b 1": 1, "b 2": 2, "b 3": 903, "b 4": 904, "b 5": 5, "b 6": 6}
	if got := amounts(lake); !maps.Equal(got, seen) {
		t.Errorf("%s, published %v, want %v: %v", r.Result, got, seen, r.Failures)
	}
	if want := map[string]int64{"newest_rejected": 5, "seen": 1}; !maps.Equal(r.Warnings, want) || r.Reasons["newest_rejected"] != 0 {
		t.Errorf("warnings %v, want %v; rejected %v", r.Warnings, want, r.Reasons)
	}
}
