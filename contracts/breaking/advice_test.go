package breaking_test

import (
	"strings"
	"testing"

	"sluice/contracts/breaking"
)

// TestAdvice holds what is said of a column on its way out, from its deprecation
// to the day after its end: each advice is one that can be followed then.
func TestAdvice(t *testing.T) {
	pairs := map[string]twosome{}
	for _, p := range twosomes(t) {
		pairs[p.name] = p
	}
	for _, test := range []struct{ pair, rule, text string }{
		{"column_window_opens", breaking.MetadataOrUnknownChange, "the column channel of the table orders is deprecated now; it will go, and queries that name it then fail; give it an endOfLife"},
		{"column_window_dated", breaking.MetadataOrUnknownChange, "is deprecated now; it will go, and queries that name it then fail; tell its consumers that they have until its end of life, 2026-12-31"},
		{"column_window_dated", breaking.MetadataOrUnknownChange, "the list of service levels of the contract is new"},
		{"column_before_its_end", breaking.PropertyAddedOrRemoved, "keep it until its end of life, 2026-06-30, and remove it after that day"},
		{"column_after_its_end", breaking.PropertyAddedOrRemoved, "so the window is over; raise the major version"},
		{"table_never_deprecated", breaking.SchemaAddedOrRemoved, "deprecate it first: deprecated: true and an endOfLife for its consumers"},
		{"table_after_its_end", breaking.SchemaAddedOrRemoved, "its end of life was 2026-05-31, so the window is over; raise the major version"},
		{"table_before_its_end", breaking.MetadataOrUnknownChange, "the service level endOfLife is gone; the service that readers were promised is another one"},
	} {
		var told []string
		for _, c := range pairs[test.pair].compare("forward", breaking.ForConsumer).Changes {
			if c.Rule == test.rule {
				told = append(told, c.Text())
			}
		}
		if !strings.Contains(strings.Join(told, "\n"), test.text) {
			t.Errorf("%s says %q, not %q", test.pair, told, test.text)
		}
	}
}

// TestEarlyTables holds the entry of its own that a whole table gets which goes too
// early, also with its contract, whose gate then needs a waiver of it as well.
func TestEarlyTables(t *testing.T) {
	const early, orders = "the table returns goes before its end of life, 2026-06-30", "the table orders goes before its end of life, 2026-06-30"
	want := map[string]struct{ table, contract string }{
		"table_before_its_end":           {early, early},
		"table_before_the_contract_ends": {early, orders + "; " + early},
		"table_after_its_end":            {},
		"table_never_deprecated":         {"the table returns was never deprecated", ""},
		"table_renamed_before_its_end":   {"", orders},
	}
	for _, p := range twosomes(t) {
		one, asked := want[p.name]
		if !asked {
			continue
		}
		delete(want, p.name)
		wantEarly(t, p.name, p.compare("forward", breaking.ForConsumer), one.table)
		wantEarly(t, p.name+" with its contract", breaking.Removed(p.old, breaking.Options{Today: today}), one.contract)
	}
	if len(want) > 0 {
		t.Errorf("there are no pairs %v", want)
	}
}

func wantEarly(t *testing.T, name string, r *breaking.Result, want string) {
	t.Helper()
	var got []string
	for _, c := range r.Changes {
		if c.Rule == breaking.RemovedTooEarly {
			got = append(got, c.What)
		}
	}
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("%s: %q, want %q", name, text, want)
	}
	if dated := strings.Contains(want, "before"); dated != strings.Contains(r.Gate.Needs, breaking.RemovedTooEarly) {
		t.Errorf("%s: the gate needs %q", name, r.Gate.Needs)
	}
}
