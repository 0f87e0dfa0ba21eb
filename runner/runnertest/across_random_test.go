package runnertest_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// history is what a feed sends of its own keys: batches, whatever their order.
type history struct {
	keys    []key
	batches [][]draft
}

// draft is a row before it has keys of its own. Everything in it is a choice
// out of a few, so that ties, copies and contradictions are frequent.
type draft struct {
	key, at, revision, delivery int
	content, spelling           [len(contents)]int // content 0 is NULL
	timeSpelling                int
	faults                      []int
	kind                        int // of a whole row: plain, malformed, header
}

const (
	plainRow = iota
	malformedRow
	headerRow
)

// contents are compared columns: each value with the ways to write it. The first
// value is no value.
var contents = [...]struct {
	column string
	clean  []string
	texts  [][]string
}{
	{"a_string", []string{"", "x", "X"}, [][]string{{"", " "}, {"x", " x"}, {"X"}}},
	{"a_decimal", []string{"", "5.00", "6.10"}, [][]string{{""}, {"5", "5.0", "5.00"}, {"6.1", "6.10 "}}},
	{"a_boolean", []string{"", "true", "false"}, [][]string{{""}, {"true"}, {"false"}}},
	{"a_timestamp", []string{"", "2026-03-01 08:00:00"}, [][]string{{""}, {"2026-03-01 09:00:00", "2026-03-01T08:00:00Z"}}},
	{"a_map", []string{"", `{}`, `{"a":"1","b":"2"}`, `{"a":"1"}`}, [][]string{{"", "null"}, {"{}"}, {`{"a": "1", "b": "2"}`, `{"b": "2", "a": "1"}`}, {`{"a": "1"}`}}},
	{"state", []string{"", "open", "done"}, [][]string{{""}, {"open"}, {"done"}}},
}

// times are the change times by number, each in the ways to write it.
var times = [][]string{1: {"2026-03-01T08:00:00Z", "2026-03-01 09:00:00"}, 2: {"2026-03-02T08:00:00Z", "2026-03-02T10:00:00+02:00"}, 3: {"2026-03-03T08:00:00Z"}}

// faults break rows, in the order of the contract's columns.
var faults = []struct {
	column, text, code string
	unplaced           bool
}{
	{"id", " ", "missing_id", true},
	{"part", "", "missing_part", true},
	{"changed_at", "", "missing_changed_at", true},
	{"changed_at", "yesterday", "bad_changed_at", true},
	{"changed_at", "2026-03-29 02:30:00", "bad_changed_at", true},
	{"revision", "1.5", "bad_revision", true},
	{"delivery", "x", "bad_delivery", false},
	{"a_decimal", "1e3", "bad_a_decimal", false},
	{"a_decimal", "-1.00", "minimum_a_decimal", false},
	{"a_map", "[1]", "bad_a_map", false},
	{"state", "odd", "unknown_state", false},
}

// random makes histories of a seed.
type random struct{ *rand.Rand }

func (g random) chance(percent int) bool { return g.IntN(100) < percent }

func (g random) history() history {
	other := [][]key{{{"a", "c"}}, {{"ab", "c"}}, {{"b", "bc"}}, nil}
	h := history{keys: append([]key{{"a", "bc"}}, other[g.IntN(len(other))]...)}
	var sent []draft
	for range 2 + g.IntN(3) {
		var batch []draft
		for range g.IntN(5) {
			d := g.row(len(h.keys), sent)
			batch, sent = append(batch, d), append(sent, d)
		}
		h.batches = append(h.batches, batch)
	}
	return h
}

// row is a new row, or one that was sent before: as it was, in other letters,
// or with other content at the same change time.
func (g random) row(keys int, sent []draft) draft {
	d := draft{key: g.IntN(keys), at: 1 + g.IntN(len(times)-1), revision: 1, content: [len(contents)]int{1, 1}}
	if len(sent) > 0 && g.chance(60) {
		d = sent[g.IntN(len(sent))]
		d.faults, d.kind = nil, plainRow
		if g.chance(40) {
			return d
		}
	}
	if g.chance(20) {
		d.revision = 1 + g.IntN(2)
	}
	if g.chance(15) {
		d.delivery = g.IntN(3)
	}
	if g.chance(50) {
		column := g.IntN(len(contents))
		d.content[column] = g.IntN(len(contents[column].clean))
	}
	for i := range d.spelling {
		d.spelling[i] = g.IntN(6)
	}
	d.timeSpelling = g.IntN(6)
	switch {
	case g.chance(2):
		d.kind = malformedRow
	case g.chance(2):
		d.kind = headerRow
	case g.chance(15):
		d.faults = g.faults()
	}
	return d
}

// faults are one or two that do not meet in a column.
func (g random) faults() []int {
	out := []int{g.IntN(len(faults)), g.IntN(len(faults))}
	slices.Sort(out)
	if faults[out[0]].column == faults[out[1]].column {
		return out[:1]
	}
	return out
}

// row writes a draft under keys of its own.
func (d draft) row(line int64, prefix string, keys []key) row {
	k := keys[d.key]
	k.id = prefix + k.id
	r := row{line: line, key: k, version: version{d.at, d.revision}, delivery: d.delivery, text: values{}}
	set := func(column, text string) { r.text[column] = &text }
	switch d.kind {
	case malformedRow:
		raw := "a,b," + prefix
		r.raw, r.codes, r.unplaced = &raw, []string{"malformed_row"}, true
		return r
	case headerRow:
		for _, name := range []string{"id", "part", "changed_at"} {
			set(name, strings.ToUpper(name))
		}
		r.codes, r.unplaced = []string{"header_row"}, true
		return r
	}
	set("id", k.id)
	set("part", k.part)
	set("changed_at", times[d.at][d.timeSpelling%len(times[d.at])])
	set("revision", strconv.Itoa(d.revision))
	if d.delivery > 0 {
		set("delivery", strconv.Itoa(d.delivery))
	}
	var clean []string
	for i, c := range contents {
		clean = append(clean, c.clean[d.content[i]])
		if texts := c.texts[d.content[i]]; d.content[i] > 0 || d.spelling[i] > 2 {
			set(c.column, texts[d.spelling[i]%len(texts)])
		}
	}
	r.content = strings.Join(clean, "|")
	for _, f := range d.faults {
		set(faults[f].column, faults[f].text)
		r.codes, r.unplaced = append(r.codes, faults[f].code), r.unplaced || faults[f].unplaced
	}
	return r
}
