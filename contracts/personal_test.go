package contracts_test

import (
	"testing"

	"sluice/contracts"
)

func TestPersonalColumns(t *testing.T) {
	for _, one := range []struct {
		classification string
		tags           []string
		want           bool
	}{
		{"", nil, false}, {"public", nil, false}, {"internal", []string{"finance"}, false}, {"tier-3", nil, false}, {"company", nil, false},
		{"PII", nil, true}, {"personal data", nil, true}, {"Strictly-Confidential", nil, true}, {"RESTRICTED", nil, true},
		{"pii2", nil, true}, {"", []string{"finance", "sensitive.health"}, true}, {"public", []string{"GDPR_PII"}, true}, {"non-sensitive", nil, true},
	} {
		c := &contracts.Column{Classification: one.classification, Tags: one.tags}
		if got := c.Personal(); got != one.want {
			t.Errorf("Personal of %q %q is %v", one.classification, one.tags, got)
		}
		for _, outer := range []*contracts.Column{{Members: []*contracts.Column{{}, c}}, {Item: c}} {
			if got := outer.Personal(); got != one.want {
				t.Errorf("Personal of a column whose member is %q %q is %v", one.classification, one.tags, got)
			}
		}
	}
}

func TestCodesOfAColumn(t *testing.T) {
	inner := &contracts.Column{Codes: contracts.Codes{Missing: "missing_a_b", Unparseable: "bad_a_b"}}
	c := &contracts.Column{
		Codes: contracts.Codes{Missing: "missing_a", Unparseable: "bad_a"}, Rules: []contracts.ColumnRule{{Code: "pattern_a"}}, Item: &contracts.Column{Members: []*contracts.Column{inner}},
	}
	for code, want := range map[string]bool{"missing_a": true, "bad_a": true, "pattern_a": true, "bad_a_b": true, "bad_b": false, "header_row": false} {
		if got := c.Gives(code); got != want {
			t.Errorf("Gives(%s) = %v", code, got)
		}
	}
}
