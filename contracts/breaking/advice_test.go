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
