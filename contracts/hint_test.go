package contracts_test

import (
	"strings"
	"testing"

	"sluice/contracts"

	"github.com/google/go-cmp/cmp"
)

// lint is the ids of errors and warnings in several files, by file.
func lint(t *testing.T, texts map[string]string, paths ...string) []string {
	t.Helper()
	problems, err := contracts.Lint(paths, contracts.Options{ReadFile: memory(texts)})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range problems.Except(contracts.Note) {
		out = append(out, p.Position.File+" "+p.ID)
	}
	return out
}

func referring(name, to, onViolation string) string {
	reference := `, relationships: [{to: "` + to + `", customProperties: [{property: onViolation, vendor: sluice, value: ` + onViolation + `}]}]`
	return strings.NewReplacer("TABLE", name, " REFERENCE", reference, "bronze.feed", "bronze."+name).Replace(small)
}

func TestCyclesAcrossFiles(t *testing.T) {
	circle := map[string]string{
		"a.yaml": referring("a", "b.yaml#/schema/b/properties/k", "failBatch"),
		"b.yaml": referring("b", "c.yaml#/schema/c/properties/k", "failBatch"),
		"c.yaml": referring("c", "a.yaml#/schema/a/properties/k", "failBatch"),
	}
	if diff := cmp.Diff([]string{"a.yaml relationship-cycle"}, lint(t, circle, "a.yaml", "b.yaml", "c.yaml")); diff != "" {
		t.Errorf("a circle of three (-want +got):\n%s", diff)
	}
	if got := lint(t, circle, "a.yaml", "b.yaml"); got != nil {
		t.Errorf("without the third there is no circle: %v", got)
	}
	circle["b.yaml"] = referring("b", "c.yaml#/schema/c/properties/k", "warn")
	if got := lint(t, circle, "a.yaml", "b.yaml", "c.yaml"); got != nil {
		t.Errorf("a warning holds nobody up: %v", got)
	}
}

func TestKeysAcrossFiles(t *testing.T) {
	to := "b.yaml#/schema/b/properties/k"
	upper := func(text string) string {
		return strings.Replace(text, "{name: k, logicalType: string", "{name: k, logicalType: string, transformLogic: upper(trim(k))", 1)
	}
	whole := func(text string) string {
		return strings.Replace(text, "{name: k, logicalType: string", "{name: k, logicalType: integer", 1)
	}
	unpublished := func(text string) string {
		return strings.Replace(text, "{property: publish, vendor: sluice", "{property: publish, vendor: acme", 1)
	}
	a, b := referring("a", to, "failBatch"), smallContract("b", "")
	for name, one := range map[string]struct {
		a, b string
		want []string
	}{
		"alike":                    {a, b, nil},
		"upper on both":            {upper(a), upper(b), nil},
		"upper on one":             {upper(a), b, []string{"a.yaml key-normalised-differently"}},
		"upper on the other":       {a, upper(b), []string{"a.yaml key-normalised-differently"}},
		"another type":             {whole(a), b, []string{"a.yaml relationship-type-differs"}},
		"the other is not ours":    {upper(a), unpublished(b), nil},
		"not ours, but it says so": {a, unpublished(upper(b)), []string{"a.yaml key-normalised-differently"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := lint(t, map[string]string{"a.yaml": one.a, "b.yaml": one.b}, "a.yaml")
			if diff := cmp.Diff(one.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A catalog of its own takes names that Spark's session catalog refuses.
func TestSessionCatalogNames(t *testing.T) {
	for server, want := range map[string][]string{
		"schema: silver":                          nil,
		"schema: sil-ver":                         {"a.yaml bad-name"},
		"catalog: spark_catalog, schema: sil-ver": {"a.yaml bad-name"},
		"catalog: lake, schema: sil-ver":          nil,
	} {
		text := strings.Replace(smallContract("a", ""), "schema: silver", server, 1)
		if diff := cmp.Diff(want, lint(t, map[string]string{"a.yaml": text}, "a.yaml")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", server, diff)
		}
	}
}
