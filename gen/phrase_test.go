package gen

import (
	"strings"
	"testing"

	"sluice/contracts"
)

// Every option is said in words, kept and broken.
func TestPhrases(t *testing.T) {
	all := []contracts.Option{contracts.Enum, contracts.UniqueItems}
	for option := range operators {
		all = append(all, option)
	}
	for _, option := range append(all, contracts.Pattern, contracts.TextFormat) {
		p := phrases(&contracts.Column{}, contracts.ColumnRule{Option: option, Bound: "7%d", Values: []string{"7%d"}})
		for _, said := range []string{p.kept, p.broken} {
			if said == "" || strings.Contains(said, "%!") || option != contracts.UniqueItems && !strings.Contains(said, "7%d") {
				t.Errorf("%s says %q", option, said)
			}
		}
	}
}
