package gen

import (
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

func withRule(r *contracts.Rule) (*contracts.Contract, *contracts.Table) {
	return orders(func(_ *contracts.Contract, t *contracts.Table) { t.Rules = []*contracts.Rule{r} })
}

func sqlRule(query string) *contracts.Rule {
	return &contracts.Rule{ID: "r", Kind: contracts.SQLRule, Query: query, Compare: contracts.Comparison{Op: "mustBe", Bounds: []string{"0"}}}
}

func TestPlaceholders(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT count(*) FROM {object} -- {object}\n": "SELECT count(*) FROM `accepted` -- {object}",
		"SELECT 1 FROM ${table} JOIN {schema}.other":  "SELECT 1 FROM `accepted` JOIN `silver`.other",
		"SELECT '{object}', \"{model}\", `{table}`":   "SELECT '{object}', \"{model}\", `{table}`",
		"SELECT r'\\', 1 FROM {Model}":                "SELECT r'\\', 1 FROM `accepted`",
		"SELECT 1 WHERE x RLIKE '^a{2}$' AND {y} = 1": "SELECT 1 WHERE x RLIKE '^a{2}$' AND {y} = 1",
	} {
		p, err := Build(withRule(sqlRule(query)))
		if err != nil {
			t.Errorf("%q: %v", query, err)
			continue
		}
		if got := p.Step("judge").Statements[0].SQL; !strings.Contains(got, "\nFROM (\n"+want+"\n)") {
			t.Errorf("%q becomes\n%s\nwant\n%s", query, got, want)
		}
	}
}

func TestQueriesThatWouldLeaveTheirPlace(t *testing.T) {
	for _, query := range []string{
		"SELECT 1) AS x; DROP TABLE t; --", "SELECT 1; SELECT 2", "SELECT (1", "SELECT 1)", "SELECT 'a", "SELECT `a", "SELECT 1 /* a",
		"SELECT :batch_id", "SELECT count(*) FROM t WHERE d = DATE '${BATCH_DATE}'", "SELECT 1 FROM ${PUBLISHED_TABLE:-gold.t}",
		"SELECT 1 FROM {catalog}.a.b", "SELECT 1 -- comment \\", `SELECT 'a\'`,
	} {
		if p, err := Build(withRule(sqlRule(query))); err == nil {
			t.Errorf("%q becomes\n%s", query, p.Step("judge").Statements[0].SQL)
		}
	}
}

// The age of the table has a column that no rule can have.
func TestARuleCalledLikeAnAge(t *testing.T) {
	c, table := withRule(&contracts.Rule{ID: "age_1", Kind: contracts.NullValues, Column: "total", OnTarget: true, Compare: contracts.Comparison{Op: "mustBe", Bounds: []string{"0"}}})
	c.SLA = []contracts.SLA{{Property: "freshness", Value: "1", Unit: "d", Table: table, Column: "changed_at"}}
	p, err := Build(c, table)
	if err != nil {
		t.Fatal(err)
	}
	checks := p.Step("judge_target").Checks
	if len(checks) != 2 || checks[0].Column == checks[1].Column {
		t.Errorf("checks %+v", checks)
	}
}

func TestEmptyBatchIsJudgedOnce(t *testing.T) {
	count := func(op string, warn bool, bounds ...string) *contracts.Rule {
		return &contracts.Rule{ID: "rows", Kind: contracts.RowCount, Warn: warn, Compare: contracts.Comparison{Op: op, Bounds: bounds}}
	}
	for want, rules := range map[string][]*contracts.Rule{
		"empty_batch:empty_batch":                    nil,
		"empty_batch:rows":                           {count("mustBeGreaterThan", false, "0")},
		"empty_batch:rows ":                          {count("mustBeGreaterOrEqualTo", false, "1")},
		"empty_batch:rows  ":                         {count("mustBeGreaterThan", true, "0")},
		"audit_failed:rows":                          {count("mustBeBetween", false, "0", "10")},
		"audit_failed:rows ":                         {count("mustBeGreaterThan", true, "5")},
		"empty_batch:empty_batch audit_failed:rows":  {count("mustBeGreaterThan", false, "100")},
		"empty_batch:empty_batch audit_failed:rows ": {count("mustBeLessThan", false, "100")},
	} {
		c, table := orders(func(_ *contracts.Contract, t *contracts.Table) { t.Rules = rules })
		var got []string
		for _, check := range ruleChecks(c, table, false) {
			if check.Kind != plan.CheckRowCount {
				t.Errorf("%s: kind %s", want, check.Kind)
			}
			got = append(got, check.Code+":"+check.Rule)
		}
		if strings.Join(got, " ") != strings.TrimSpace(want) {
			t.Errorf("checks %v, want %s", got, want)
		}
	}
}

// A double that is too long for a remainder breaks the rule, so it cannot keep it.
func TestMultipleOfALongDouble(t *testing.T) {
	c := &contracts.Column{Name: "d", Type: sparksql.Type{Kind: sparksql.DOUBLE}}
	rule := contracts.ColumnRule{Option: contracts.MultipleOf, Bound: "5"}
	for want, got := range map[string]string{
		"coalesce(try_cast(CAST(d AS STRING) AS DECIMAL(38,18)) % 5 <> 0, d IS NOT NULL)": broken(c, rule, "d"),
		"coalesce(try_cast(CAST(d AS STRING) AS DECIMAL(38,18)) % 5 = 0, d IS NULL)":      kept(c, rule, "d"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// No CHECK is a function call as a whole: Delta 3.2.1 refuses such a one with
// "Invalid call to dataType on unresolved object".
func TestChecksAreNoFunctionCalls(t *testing.T) {
	table := &contracts.Table{
		RowRules: []*contracts.RowRule{{ID: "known", Expression: "starts_with(a, 'x')", OnTable: true}},
	}
	for _, kind := range []sparksql.Kind{sparksql.DOUBLE, sparksql.INT} {
		for _, option := range []contracts.Option{contracts.MultipleOf, contracts.Minimum} {
			for _, required := range []bool{true, false} {
				rule := contracts.ColumnRule{Option: option, Bound: "2", OnTable: true}
				table.Columns = append(table.Columns, &contracts.Column{Name: "a", Required: required, Type: sparksql.Type{Kind: kind}, Rules: []contracts.ColumnRule{rule}})
			}
		}
	}
	checks := constraints(table)
	if len(checks) != 9 {
		t.Fatalf("%d checks", len(checks))
	}
	for _, c := range checks {
		if strings.HasSuffix(c.Expression, ")") && !strings.Contains(c.Expression, " OR ") {
			t.Errorf("%s ends with the call of a function", c.Expression)
		}
	}
}
