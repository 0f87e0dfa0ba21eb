package gen

import (
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"

	"github.com/google/go-cmp/cmp"
)

func ratio(kind contracts.RuleKind, window int, by ...string) *contracts.Rule {
	return &contracts.Rule{ID: "ratio", Kind: kind, MaxPercent: 1, MinRatio: 0.5, MaxRatio: 2, Window: window, AtLeast: 10, By: by}
}

// built is the plan of orders with two columns to judge by: a status of a closed
// list, a customer that a lookup knows.
func built(t *testing.T, rules ...*contracts.Rule) *plan.Plan {
	t.Helper()
	text := sparksql.Type{Kind: sparksql.STRING}
	c, table := orders(func(_ *contracts.Contract, t *contracts.Table) {
		t.Rules = rules
		t.Columns = append(t.Columns,
			&contracts.Column{Name: "status", Type: text, Sources: []string{"status"}, Rules: []contracts.ColumnRule{{Option: contracts.Enum, Code: "unknown_status", Values: []string{"open"}}}},
			&contracts.Column{Name: "customer_id", Type: text, Sources: []string{"customer_id"}})
		t.Relationships = []*contracts.Relationship{{
			ID: "known", Columns: []string{"customer_id"}, Table: sparksql.Name{"silver", "customers"}, References: []string{"id"},
			OnViolation: contracts.QuarantineRows, Code: "unknown_customer_id",
		}}
	})
	p, err := Build(c, table)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sqlOf(p *plan.Plan, step string) string {
	if s := p.Step(step); s != nil {
		return s.Statements[0].SQL
	}
	return ""
}

// Rules over the same columns share one grouping, in whatever order they name them.
func TestGroupingsAreCountedOnce(t *testing.T) {
	p := built(t, ratio(contracts.RejectRatio, 0, "status"), ratio(contracts.VolumeRatio, 14, "customer_id", "status"),
		ratio(contracts.VolumeRatio, 7, "status", "customer_id"), ratio(contracts.RejectRatio, 0, "customer_id", "status"))
	if diff := cmp.Diff([][]string{{"status"}, {"customer_id", "status"}}, p.Groupings); diff != "" {
		t.Errorf("groupings (-want +got):\n%s", diff)
	}
	segments := sqlOf(p, "judge_segments")
	if want := "GROUP BY GROUPING SETS (\n    (`by_status`),\n    (`by_customer_id`, `by_status`)\n  )"; !strings.Contains(segments, want) {
		t.Errorf("the statement lacks %s:\n%s", want, segments)
	}
	usual := sqlOf(p, "guard_segments")
	for _, want := range []string{"('customer_id,status', 14),\n    ('customer_id,status', 7)\n", "LIMIT 14"} {
		if !strings.Contains(usual, want) {
			t.Errorf("the baseline lacks %s:\n%s", want, usual)
		}
	}
	for _, check := range p.Step("judge").Checks[1:] {
		if len(check.By) == 2 && check.By[0] != "customer_id" {
			t.Errorf("check by %v names another grouping than the plan", check.By)
		}
	}
}

// Only rules by segment cost statements, and only those over volume a baseline.
func TestSegmentStatementsOnlyWhereNeeded(t *testing.T) {
	for want, rules := range map[string][]*contracts.Rule{
		"false false": {ratio(contracts.RejectRatio, 0), ratio(contracts.VolumeRatio, 14)},
		"false true":  {ratio(contracts.RejectRatio, 0, "status")},
		"true true":   {ratio(contracts.VolumeRatio, 14, "status")},
	} {
		p := built(t, rules...)
		got := map[bool]string{false: "false", true: "true"}[p.Step("guard_segments") != nil] + " " + map[bool]string{false: "false", true: "true"}[p.Step("judge_segments") != nil]
		if got != want {
			t.Errorf("guard_segments and judge_segments: %s, want %s", got, want)
		}
	}
}

// The window of a rule by segment is its own; the baseline of the whole batch keeps its window.
func TestWindowOfTheWholeBatch(t *testing.T) {
	p := built(t, ratio(contracts.VolumeRatio, 5), ratio(contracts.VolumeRatio, 99, "status"))
	if !strings.Contains(sqlOf(p, "guard_log"), "LIMIT 5\n") || !strings.Contains(sqlOf(p, "guard_segments"), "LIMIT 99\n") {
		t.Errorf("windows:\n%s\n%s", sqlOf(p, "guard_log"), sqlOf(p, "guard_segments"))
	}
}

// What the column's own rules or its lookup refuse opens no segment.
func TestRefusedValuesAreNoSegments(t *testing.T) {
	p := built(t, ratio(contracts.RejectRatio, 0, "status", "customer_id", "total"))
	for _, want := range []string{
		"CASE WHEN arrays_overlap(s.`_reject_reasons`, array('malformed_row', 'header_row', 'unknown_status')) THEN NULL ELSE s.`status` END AS `by_status`",
		"OR v.`reason` = 'unknown_customer_id' THEN NULL ELSE s.`customer_id` END AS `by_customer_id`",
		"ELSE CAST(s.`total` AS STRING) END AS `by_total`",
	} {
		if segments := sqlOf(p, "judge_segments"); !strings.Contains(segments, want) {
			t.Errorf("the statement lacks %s:\n%s", want, segments)
		}
	}
}
