package gen

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"

	"github.com/google/go-cmp/cmp"
)

// orders is a small table that tests change.
func orders(change func(*contracts.Contract, *contracts.Table)) (*contracts.Contract, *contracts.Table) {
	column := func(name string, kind sparksql.Kind) *contracts.Column {
		return &contracts.Column{
			Name: name, Logical: name, Type: sparksql.Type{Kind: kind}, Sources: []string{name}, Required: true, DefaultZone: "UTC",
			Codes: contracts.Codes{Missing: "missing_" + name, Unparseable: "bad_" + name},
		}
	}
	t := &contracts.Table{
		Name: "orders", Target: sparksql.Name{"silver", "orders"}, Key: []string{"id"},
		Columns: []*contracts.Column{column("id", sparksql.STRING), column("total", sparksql.BIGINT), column("changed_at", sparksql.TIMESTAMP)},
		Source:  contracts.Source{Table: sparksql.Name{"bronze", "orders"}, LoadedAt: "_loaded_at", Batch: "_batch_id"},
		Dedup:   contracts.Dedup{LatestBy: []string{"changed_at"}, Compare: []string{"total"}},
		Publish: contracts.Publish{Mode: contracts.Merge},
		Staging: sparksql.Name{"staging", "orders"}, Verdict: sparksql.Name{"staging", "orders_verdict"},
		Quarantine: sparksql.Name{"quarantine", "orders"}, AuditLog: sparksql.Name{"ops", "audit_log"},
	}
	c := &contracts.Contract{ID: "orders", Server: contracts.Server{Format: contracts.Delta}, Tables: []*contracts.Table{t}}
	if change != nil {
		change(c, t)
	}
	return c, t
}

func TestNamesThatCollide(t *testing.T) {
	for name, change := range map[string]func(*contracts.Contract, *contracts.Table){
		"raw_": func(_ *contracts.Contract, t *contracts.Table) { t.Columns[1].Name = "RAW_id" },
		"text_": func(_ *contracts.Contract, t *contracts.Table) {
			t.Columns[0].Name, t.Key = "Text_Total", []string{"Text_Total"}
		},
		"_run_id":    func(_ *contracts.Contract, t *contracts.Table) { t.Columns[1].Name = "_RUN_id" },
		"_codes":     func(_ *contracts.Contract, t *contracts.Table) { t.Columns[1].Name = "_codes" },
		"_is_header": func(_ *contracts.Contract, t *contracts.Table) { t.Columns[1].Name = "_is_header" },
		"both":       func(_ *contracts.Contract, t *contracts.Table) { t.Columns[1].Name = "ID" },
		"source": func(_ *contracts.Contract, t *contracts.Table) {
			t.Columns[1].Sources = []string{"raw_id"}
		},
		"key": func(_ *contracts.Contract, t *contracts.Table) {
			t.Columns[0].Name, t.Key = "_reject_reason", []string{"_reject_reason"}
		},
		"CHECK": func(_ *contracts.Contract, t *contracts.Table) {
			rule := []contracts.ColumnRule{{Option: contracts.Minimum, Bound: "0", OnTable: true}}
			t.Columns[1].Name, t.Columns[1].Rules = "a-b", rule
			extra := *t.Columns[1]
			extra.Name, extra.Sources = "a_b", []string{"a_b"}
			t.Columns = append(t.Columns, &extra)
		},
	} {
		c, table := orders(change)
		if _, err := Build(c, table); err == nil || !strings.Contains(err.Error(), "naming") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Build(orders(nil)); err != nil {
		t.Error(err)
	}
}

// A source column may have blanks in its name; the columns that keep its text
// have none, wherever a statement names them.
func TestSourceNamesWithBlanks(t *testing.T) {
	c, table := orders(func(_ *contracts.Contract, t *contracts.Table) {
		for _, column := range t.Columns {
			column.Sources = []string{"Source of " + column.Name}
		}
	})
	p, err := Build(c, table)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range p.Steps {
		for _, s := range step.Statements {
			if strings.Contains(s.SQL, "`raw_Source of") {
				t.Errorf("%s: the SQL names a column that staging does not have:\n%s", s.Name, s.SQL)
			}
		}
	}
}

func TestTextFormatsHavePatterns(t *testing.T) {
	if diff := cmp.Diff(slices.Sorted(maps.Keys(textFormats)), slices.Sorted(slices.Values(contracts.TextFormats))); diff != "" {
		t.Errorf("the loader takes other formats than SQL is written for: %s", diff)
	}
}

func TestTypesAndFormatsWithoutSQL(t *testing.T) {
	for name, change := range map[string]func(*contracts.Contract, *contracts.Table){
		"format":  func(_ *contracts.Contract, t *contracts.Table) { t.Columns[2].Formats = []string{"dd MMM yyyy"} },
		"feed":    func(_ *contracts.Contract, t *contracts.Table) { t.Columns = t.Columns[:0] },
		"publish": func(_ *contracts.Contract, t *contracts.Table) { t.Publish.Mode = "" },
		"iceberg": func(c *contracts.Contract, _ *contracts.Table) { c.Server.Format = contracts.Iceberg },
	} {
		c, table := orders(change)
		if _, err := Build(c, table); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Names that differ in punctuation alone are kept apart, in statements and checks.
func TestStatementNamesAreUnique(t *testing.T) {
	c, table := orders(func(_ *contracts.Contract, t *contracts.Table) {
		t.AuditLog = sparksql.Name{"stag-ing", "log"}
		t.Quarantine = sparksql.Name{"stag_ing", "q"}
		for _, to := range []string{"customers", "accounts"} {
			t.Relationships = append(t.Relationships, &contracts.Relationship{
				ID: to, Columns: []string{"total"}, Table: sparksql.Name{"silver", to}, References: []string{"id"}, OnViolation: contracts.QuarantineRows, Code: "unknown_" + to,
			})
		}
		for _, id := range []string{"a b", "a-b", "数量", "a_b_2"} {
			t.Rules = append(t.Rules, &contracts.Rule{ID: id, Kind: contracts.SQLRule, Query: "SELECT 1", Compare: contracts.Comparison{Op: "mustBe", Bounds: []string{"1"}}})
		}
	})
	p, err := Build(c, table)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var rules []string
	for _, step := range p.Steps {
		for _, s := range step.Statements {
			if seen[s.Name] && s.Name != "" {
				t.Errorf("two statements are named %q", s.Name)
			}
			seen[s.Name] = true
		}
		for _, check := range step.Checks {
			if check.Statement != "" && !seen[check.Statement] {
				t.Errorf("check %s looks at %q, which is no statement", check.Rule, check.Statement)
			}
			if check.Kind == plan.CheckValue {
				rules = append(rules, check.Statement)
			}
		}
	}
	if diff := cmp.Diff([]string{"rule_a_b", "rule_a_b_2", "rule_query", "rule_a_b_2_2"}, rules); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"settle_lookup_total", "settle_lookup_total_2", "ensure_schema_stag_ing", "ensure_schema_stag_ing_2"} {
		if !seen[name] {
			t.Errorf("no statement is named %q", name)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"a\nb": "a b", "a\r\n\tb": "a b", "a\u2028b\u0085c": "a b c", "a\u202eb": "a b", "größe 日本": "größe 日本"} {
		if got := oneLine(in); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
}
