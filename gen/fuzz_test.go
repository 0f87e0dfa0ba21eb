package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/sparksql"
)

// FuzzBuild holds Build to its promise for any contract that loads: an error, or
// statements each of which is closed, so that nothing in a contract ends a
// literal, opens a comment or starts another statement.
func FuzzBuild(f *testing.F) {
	for _, pattern := range []string{"../contracts/testdata/good/*.yaml", "../contracts/*/*.odcs.yaml", "../runner/runnertest/testdata/rules/*.yaml"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := contracts.Load("f.yaml", contracts.Options{ReadFile: func(string) ([]byte, error) { return data, nil }})
		if err != nil {
			return
		}
		for _, table := range c.Published() {
			p, err := gen.Build(c, table)
			if err != nil {
				continue
			}
			for _, step := range p.Steps {
				for _, s := range step.Statements {
					if err := sparksql.Closed(s.SQL); err != nil || strings.TrimSpace(s.SQL) == "" {
						t.Errorf("statement %s: %v\n%s", s.Name, err, s.SQL)
					}
				}
			}
		}
	})
}
