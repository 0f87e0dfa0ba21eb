package gen_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
)

var givenCode = regexp.MustCompile(`THEN '([a-z0-9_]+)' END`)

// The codes that are explained are those that the statements give, in their order.
func TestRowReasonsAreThoseOfTheStatements(t *testing.T) {
	paths := []string{"testdata/hostile.odcs.yaml", "testdata/zones.odcs.yaml", "testdata/wide.odcs.yaml", "testdata/typed.odcs.yaml", "testdata/stamped.odcs.yaml", "../runner/runnertest/testdata/holdback/stock.odcs.yaml"}
	for _, name := range examples {
		paths = append(paths, "../contracts/"+name+".odcs.yaml")
	}
	for _, path := range paths {
		c, err := contracts.Load(path, contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range c.Published() {
			p, err := gen.Build(c, table)
			if err != nil {
				t.Fatal(err)
			}
			var given []string
			for _, s := range p.Steps {
				for _, one := range s.Statements {
					if one.Name == "stage" {
						for _, m := range givenCode.FindAllStringSubmatch(one.SQL, -1) {
							given = append(given, m[1])
						}
					}
				}
			}
			if len(given) == 0 {
				t.Fatalf("%s: the stage statement gives no code", path)
			}
			var told []string
			for _, r := range gen.RowReasons(table) {
				if r.Means == "" {
					t.Errorf("%s: %s means nothing", path, r.Code)
				}
				told = append(told, r.Code)
			}
			for _, code := range given {
				if !slices.Contains(told, code) {
					t.Errorf("%s gives %s, which nothing explains", path, code)
				}
			}
			fixed := strings.Fields("malformed_row header_row duplicate_superseded ambiguous_duplicate late_superseded already_published newest_rejected batch_refused")
			for _, r := range table.Relationships {
				fixed = append(fixed, r.Code)
			}
			for _, code := range told {
				if !slices.Contains(given, code) && !slices.Contains(fixed, code) {
					t.Errorf("%s explains %s, which no statement gives", path, code)
				}
			}
		}
	}
}

// The manual has a line for every code by which a batch ends.
func TestBatchReasonsAreInTheManual(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range examples {
		c, err := contracts.Load("../contracts/"+name+".odcs.yaml", contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range gen.BatchReasons(c, c.Published()[0]) {
			if !strings.Contains(string(readme), "`"+r.Code+"`") {
				t.Errorf("README.md does not say what %s is", r.Code)
			}
		}
	}
}
