package runnertest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sameInEveryOrder asks no model: where all rows at a key's newest change time
// say the same, every order must end with them. It returns how many keys it compared.
func (h *histories) sameInEveryOrder() int {
	h.t.Helper()
	table := h.table()
	first := map[int]*instance{}
	compared := 0
	for _, in := range h.instances {
		if in.order == 0 {
			first[in.history] = in
			continue
		}
		here, there := h.keys(in), h.keys(first[in.history])
		for i, k := range h.histories[in.history].keys {
			if !h.histories[in.history].settled(i) {
				continue
			}
			compared++
			a, b := maps.Clone(table[here[i]]), maps.Clone(table[there[i]])
			for _, name := range []string{"id", "delivery"} { // a tieBreak is no content: the first of equal rows stays
				delete(a, name)
				delete(b, name)
			}
			if len(a) == 0 || !maps.Equal(a, b) {
				h.tell(in, fmt.Sprintf("%v ends as %v, in the first order as %v", k, a, b))
			}
		}
	}
	if compared < len(h.instances)/4 {
		h.t.Errorf("only %d keys were compared across orders", compared)
	}
	return compared
}

// settled: a row of the key is whole, and all whole ones at its newest change
// time have the same content.
func (h history) settled(key int) bool {
	var newest []draft
	for _, d := range slices.Concat(h.batches...) {
		if d.key != key || len(d.faults) > 0 || d.kind != plainRow {
			continue
		}
		v := version{d.at, d.revision}
		if len(newest) > 0 && v.newer(version{newest[0].at, newest[0].revision}) {
			newest = nil
		}
		if len(newest) == 0 || v == (version{newest[0].at, newest[0].revision}) {
			newest = append(newest, d)
		}
	}
	return len(newest) > 0 && !slices.ContainsFunc(newest, func(d draft) bool { return d.content != newest[0].content })
}

// everyVerdict: histories without one of the verdicts would prove less than they seem to.
func (h *histories) everyVerdict() {
	h.t.Helper()
	for _, v := range []string{"inserted", "updated", "unchanged", "stale", "duplicate_superseded", "ambiguous_duplicate", "late_superseded", "malformed_row", "header_row", "missing_id", "bad_changed_at", "minimum_a_decimal"} {
		if h.seen[v] == 0 {
			h.t.Errorf("no row is %s", v)
		}
	}
}

// tell fails the test with the history of an instance, once for each and for
// the first few.
func (h *histories) tell(in *instance, what string) {
	h.t.Helper()
	if h.told[in] || len(h.told) > 4 {
		h.told[in] = true
		h.t.Fail()
		return
	}
	h.told[in] = true
	h.t.Errorf("history %d, order %d: %s\n%s", in.history, in.order, what, h.story(in))
}

// story is a history as a person reads it: what came in each run, and what became of it.
func (h *histories) story(in *instance) string {
	var out strings.Builder
	for i, run := range h.past {
		fmt.Fprintf(&out, "  run %d, batch %s\n", i+1, h.batches[run.round].batch)
		for _, r := range in.rounds[run.round] {
			var text []string
			for _, name := range h.sources {
				if v := r.text[name]; v != nil {
					text = append(text, fmt.Sprintf("%s=%q", name, *v))
				}
			}
			fmt.Fprintf(&out, "    line %d: %s -> %s\n", r.line, strings.Join(text, " "), run.got[r.line])
		}
	}
	return out.String()
}
