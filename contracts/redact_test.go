package contracts_test

import (
	"strings"
	"testing"

	"sluice/contracts"
)

// Whatever a value breaks, the message about it names the variable only.
func TestProblemsHideValues(t *testing.T) {
	const secret = "hunter2"
	base := smallContract("a", "")
	for name, text := range map[string]string{
		"name":       strings.Replace(base, "bronze.feed", `"${S}..x"`, 1),
		"format":     strings.Replace(base, "format: delta", `format: "${S}"`, 1),
		"key":        strings.Replace(base, "latestBy: [at]", `latestBy: ["${S}"]`, 1),
		"enum":       strings.Replace(base, "{name: k, logicalType: string", `{name: k, enum: [{value: "${S}"}, {value: "${S}"}], logicalType: string`, 1),
		"date":       strings.Replace(base, "{name: k, logicalType: string", `{name: k, logicalType: date, logicalTypeOptions: {minimum: "${S}"}`, 1),
		"pattern":    strings.Replace(base, "{name: k, logicalType: string", `{name: "${S} k", logicalType: string`, 1),
		"code":       strings.Replace(base, "{name: k, logicalType: string", `{name: k, physicalName: "${S}`+strings.Repeat("x", 130)+`", logicalType: string`, 1),
		"reference":  strings.Replace(base, "primaryKey: true", `primaryKey: true, relationships: [{to: "${S}.yaml#/schema/a/properties/k"}]`, 1),
		"suggestion": strings.NewReplacer("{name: k,", `{name: "${S}",`, "latestBy: [at]", "latestBy: [hunter3]").Replace(base),
		"rule twice": strings.Replace(base, "customProperties:", "quality: [{id: \"${S}\", metric: rowCount, mustBe: 1}, {id: \"${S}\", metric: rowCount, mustBe: 1}]\n    customProperties:", 1),
		"duration":   strings.Replace(base, "value: {mode: merge}}", "value: {mode: merge}}\n      - {property: keepFor, vendor: sluice, value: {staging: \"${S}\"}}", 1),
		"element":    strings.Replace(base, "\nschema:", "\nslaProperties: [{property: freshness, value: \"${S}\", unit: \"${S}\", element: \"${S}.k\"}]\nschema:", 1),
		"expression": strings.Replace(base, "{name: k, logicalType: string", `{name: k, logicalType: string, transformLogic: "upper(${S})"`, 1),
		"query":      strings.Replace(base, "customProperties:", "quality: [{type: sql, query: \"SELECT '${S}'\", mustBe: 1}]\n    customProperties:", 1),
	} {
		t.Run(name, func(t *testing.T) {
			if text == base {
				t.Fatal("the contract was not changed")
			}
			read := memory(map[string]string{"a.yaml": text})
			problems, err := contracts.Lint([]string{"a.yaml"}, contracts.Options{ReadFile: read, Vars: map[string]string{"S": secret}})
			if err != nil || len(problems.Of(contracts.Error)) == 0 {
				t.Fatalf("%d problems, error %v", len(problems), err)
			}
			for _, p := range problems {
				if strings.Contains(strings.ToLower(p.String()+p.Path), secret) {
					t.Errorf("the value is shown: %s (%s)", p, p.Path)
				}
			}
			if all := problems.Error(); name != "expression" && !strings.Contains(all, "${S}") {
				t.Errorf("nobody would know which variable is meant: %s", all)
			}
		})
	}
}

// What only several contracts break together hides values as well.
func TestSharedTablesHideValues(t *testing.T) {
	text := strings.Replace(smallContract("a", ""), "schema: silver", `schema: "${S}"`, 1)
	read := memory(map[string]string{"a.yaml": text, "b.yaml": text})
	problems, err := contracts.Lint([]string{"a.yaml", "b.yaml"}, contracts.Options{ReadFile: read, Vars: map[string]string{"S": "hunter2"}})
	if all := problems.Error(); err != nil || strings.Contains(all, "hunter2") || !strings.Contains(all, "${S}.a") {
		t.Errorf("error %v, problems:\n%s", err, all)
	}
}

func TestRedactor(t *testing.T) {
	r := contracts.NewRedactor(map[string]string{"TABLE": "Silver.Orders_Eu", "ENV": "de", "EMPTY": "", "QUOTED": "a\"b`c"})
	for text, want := range map[string]string{
		"cannot read silver.orders_eu":      "cannot read ${TABLE}",
		"missing_silver_orders_eu":          "missing_${TABLE}",
		"the schema `Silver`":               "the schema `${TABLE}`",
		"model of de, decided":              "model of ${ENV}, decided",
		`reading "a\"b` + "`" + `c" failed`: `reading "${QUOTED}" failed`,
		"nothing":                           "nothing",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%s becomes %s, not %s", text, got, want)
		}
	}
	if got := (contracts.Redactor{}).Text("x"); got != "x" {
		t.Errorf("the zero value changes x to %s", got)
	}
}
