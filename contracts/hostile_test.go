package contracts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/contracts"
)

// Contracts made to be slow: lint ends soon all the same, in little memory.
func TestHostileContractsEndSoon(t *testing.T) {
	base := smallContract("TABLE", "")
	column := func(text string) string {
		return strings.Replace(base, "{name: k, logicalType: string", "{name: k, logicalType: string, "+text, 1)
	}
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	rules := func(query string) string {
		return strings.Replace(base, "customProperties:", "quality: [{type: sql, query: \""+query+"\", mustBe: 0}]\n    customProperties:", 1)
	}
	nested := strings.Repeat("trim(", 50_000) + "k" + strings.Repeat(")", 50_000)
	var circle strings.Builder
	circle.WriteString(strings.SplitAfter(small, "schema:\n")[0])
	table := strings.SplitAfterN(small, "schema:\n", 2)[1]
	for i := range 3_000 {
		next := fmt.Sprintf(`, relationships: [{to: "t%d.k"}]`, (i+1)%3_000)
		circle.WriteString(strings.NewReplacer("TABLE", fmt.Sprintf("t%d", i), " REFERENCE", next).Replace(table))
	}
	for name, one := range map[string]struct{ text, id string }{
		"relationships":  {column("relationships: [" + repeat(50_000, "{to: TABLE.x%d},") + "]"), "too-large"},
		"allowed values": {column("enum: [" + repeat(50_000, "{value: v%d},") + "]"), ""},
		"members":        {strings.Replace(base, "      - {name: at", "      - {name: o, logicalType: object, properties: ["+repeat(9_000, "{name: p%d},")+"], logicalTypeOptions: {required: ["+repeat(9_000, "q%d,")+"]}}\n      - {name: at", 1), "unknown-column"},
		"expression":     {column("transformLogic: \"" + nested + "\", relationships: [" + repeat(5_000, "{to: TABLE.k, id: r%d},") + "]"), "relationship-cycle"},
		"type":           {strings.Replace(column("physicalType: \""+strings.Repeat("ARRAY<", 200_000)+"\""), "publish, vendor: sluice", "publish, vendor: acme", 1), "bad-type"},
		"excepts":        {rules(repeat(50_000, "SELECT %d FROM {object} EXCEPT ") + "SELECT 1"), ""},
		"withs":          {rules("WITH " + repeat(50_000, "a%d AS (SELECT 1 FROM {object}), ") + "z AS (SELECT 1) SELECT 1 FROM z EXCEPT SELECT 1 FROM z"), ""},
		"long names":     {strings.Replace(column("relationships: ["+repeat(5_000, "{to: TABLE.x%d},")+"]"), "TABLE", strings.Repeat("t", 1<<18), 1), "bad-reference"},
		"levels":         {base + "slaProperties: [" + repeat(50_000, "{property: p%d, value: 1, element: TABLE.kk},") + "]\n", "too-large"},
		"elements":       {base + "slaProperties: [{property: p, value: 1, element: \"" + repeat(200_000, "x%d,") + "\"}]\n", "unknown-element"},
		"circle":         {circle.String(), "relationship-cycle"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			problems, err := contracts.Lint([]string{"a.yaml"}, contracts.Options{ReadFile: memory(map[string]string{"a.yaml": one.text})})
			if took := time.Since(start); took > 20*time.Second || err != nil {
				t.Errorf("%d bytes took %s, error %v", len(one.text), took, err)
			}
			var found []string
			for _, p := range problems.Of(contracts.Error) {
				found = append(found, p.ID)
			}
			if one.id == "" && found != nil || one.id != "" && !slices.Contains(found, one.id) {
				t.Errorf("want the error %q, got %d: %.500v", one.id, len(found), problems)
			}
		})
	}
}
