package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/gen/plan"
)

func TestFiles(t *testing.T) {
	p := &plan.Plan{Contract: "a\n-- b", Version: "1.0.0"}
	for i := range 100 {
		p.Steps = append(p.Steps, plan.Step{Why: "why", Statements: []plan.Statement{{Name: fmt.Sprintf("s%d", 100-i), SQL: "SELECT 1"}}})
	}
	var names []string
	for i, f := range Files(p) {
		names = append(names, f.Name)
		want := fmt.Sprintf("%s\n-- contract a -- b 1.0.0, statement %d of 100: why\n\nSELECT 1;\n", Header, i+1)
		if f.Content != want {
			t.Errorf("%s holds %q, want %q", f.Name, f.Content, want)
		}
	}
	if !slices.IsSorted(names) || names[0] != "001_s100.sql" || strings.Contains(names[99], "%") {
		t.Errorf("names do not sort as the statements run: %v", names)
	}
}
