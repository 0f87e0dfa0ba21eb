package runnertest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/runner/runnertest"

	"sluice/runner"
)

const rounds = 4

// instance is a history in one order of arrival, under keys of its own.
type instance struct {
	history, order int
	prefix         string
	rounds         [rounds][]row
}

// histories plays all instances at once: the batch of a round holds what each
// instance sends in it, so hundreds of histories cost no more than one.
type histories struct {
	*across
	g         random
	histories []history
	instances []*instance
	batches   [rounds]delivery
	model     *model
	past      []pastRun
	seen      map[string]int64
	told      map[*instance]bool
}

// pastRun is a run as a story tells it.
type pastRun struct {
	round int
	got   map[int64]string
}

// Whatever the order in which batches arrive, and however often one comes back,
// each row gets the verdict that the design gives it, lies in exactly one place,
// and the newest version of a key is published wherever it is one.
func TestHistoriesInEveryOrder(t *testing.T) {
	t.Parallel()
	began := time.Now()
	number, orders, seed := 200, 3, uint64(20260301)
	if os.Getenv("SLUICE_LONG") == "1" {
		number, orders = 500, 6
	}
	runnertest.Once(t) // TestHistories plays the same statements
	if text := os.Getenv("SLUICE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seed %d: %d histories in %d orders", seed, number, orders)
	h := newHistories(t, seed, number, orders)
	schedule := []int{0, 1, 2, h.g.IntN(2), 3}
	h.land("INTO", h.batches[:]...)
	for _, round := range schedule {
		h.play(round)
	}
	table, rejects := h.table(), h.rejects("true")
	h.arriveAgain()
	again := h.g.Perm(rounds)
	for _, round := range again {
		h.play(round)
	}
	h.sameAsBefore(table, rejects)
	compared := h.sameInEveryOrder()
	h.everyVerdict()
	t.Logf("rounds %v and again %v, %d keys compared across orders, verdicts %v, %.0f seconds", schedule, again, compared, h.seen, time.Since(began).Seconds())
}

func newHistories(t *testing.T, seed uint64, number, orders int) *histories {
	h := &histories{across: openAcross(t), g: random{rand.New(rand.NewPCG(seed, 0))}, model: newModel(), seen: map[string]int64{}, told: map[*instance]bool{}}
	line := int64(1)
	for i := range number {
		h.histories = append(h.histories, h.g.history())
		for order := range orders {
			in := &instance{history: i, order: order, prefix: fmt.Sprintf("h%d.%d/", i, order)}
			line = h.arrive(in, line)
			h.instances = append(h.instances, in)
		}
	}
	for round := range h.batches {
		h.batches[round].batch = fmt.Sprintf("round%d", round+1)
		for _, in := range h.instances {
			h.batches[round].rows = append(h.batches[round].rows, in.rounds[round]...)
		}
	}
	return h
}

// arrive deals the batches of a history to rounds: the first order as they are,
// the others shuffled, all with rounds between them in which nothing comes.
func (h *histories) arrive(in *instance, line int64) int64 {
	from := h.histories[in.history]
	order := h.g.Perm(len(from.batches))
	if in.order == 0 {
		slices.Sort(order)
	}
	at := h.g.Perm(rounds)[:len(order)]
	slices.Sort(at)
	for i, b := range order {
		for _, d := range from.batches[b] {
			in.rounds[at[i]] = append(in.rounds[at[i]], d.row(line, in.prefix, from.keys))
			line++
		}
	}
	return line
}

// play runs a round and compares it with the model: rows, report and table.
func (h *histories) play(round int) {
	h.t.Helper()
	batch := h.batches[round]
	want := h.model.run(batch.batch, batch.rows)
	r := h.run(runner.Options{Batch: batch.batch})
	got := h.verdicts(r.Run)
	h.past = append(h.past, pastRun{round, got})
	wrong := h.judge(batch.rows, r, got, want)
	for _, v := range want.verdict {
		h.seen[v]++
	}
	for _, in := range h.instances {
		for _, row := range in.rounds[round] {
			if text, there := wrong[row.line]; there {
				h.tell(in, fmt.Sprintf("line %d in run %d is %s", row.line, len(h.past), text))
			}
		}
	}
	if r.Commit != nil {
		h.sameTable()
	}
}

// sameTable compares the published table with the model's.
func (h *histories) sameTable() {
	h.t.Helper()
	table := h.table()
	for _, in := range h.instances {
		for _, k := range h.keys(in) {
			want, there := h.model.table[k]
			got, published := table[k]
			delete(table, k)
			switch {
			case there != published:
				h.tell(in, fmt.Sprintf("after run %d, %v is published: %t, want %t", len(h.past), k, published, there))
			case there && got["changed_at"]+" "+got["revision"]+" "+contentOf(got) != fmt.Sprintf("2026-03-%02d 08:00:00 %d %s", want.version.at, want.version.revision, want.content):
				h.tell(in, fmt.Sprintf("after run %d, %v is %v, want %v", len(h.past), k, got, want))
			}
		}
	}
	if len(table) > 0 {
		h.t.Errorf("the table holds keys of nobody: %v", table)
	}
}

func contentOf(clean map[string]string) string {
	var out []string
	for _, c := range contents {
		out = append(out, clean[c.column])
	}
	return strings.Join(out, "|")
}

func (h *histories) keys(in *instance) []key {
	keys := slices.Clone(h.histories[in.history].keys)
	for i := range keys {
		keys[i].id = in.prefix + keys[i].id
	}
	return keys
}

// arriveAgain lands every batch once more, its rows in another order.
func (h *histories) arriveAgain() {
	var again []delivery
	for _, b := range h.batches {
		rows := slices.Clone(b.rows)
		h.g.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		again = append(again, delivery{b.batch, rows})
	}
	h.land("OVERWRITE", again...)
}

// sameAsBefore: batches that came again changed neither table nor quarantine.
func (h *histories) sameAsBefore(table map[key]map[string]string, rejects map[string]map[int64]reject) {
	h.t.Helper()
	if now := h.table(); !maps.EqualFunc(now, table, maps.Equal[map[string]string, map[string]string]) {
		h.t.Error("the replays changed the table")
	}
	now := h.rejects("true")
	for batch, lines := range rejects {
		for line, old := range lines {
			if q := now[batch][line]; q.Reasons != old.Reasons || !maps.Equal(q.Raw, old.Raw) {
				h.t.Errorf("batch %s, line %d: the replay left %q in quarantine, %q was there", batch, line, q.Reasons, old.Reasons)
			}
		}
		if len(now[batch]) != len(lines) {
			h.t.Errorf("batch %s: %d rejects after the replay, %d before", batch, len(now[batch]), len(lines))
		}
	}
}
