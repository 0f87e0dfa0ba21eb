package gen_test

import (
	"path/filepath"
	"testing"

	"sluice/contracts"
	"sluice/gen"
)

// BenchmarkGen builds the plans of the example contracts and reports how many a
// second one core writes; the contracts are read before.
func BenchmarkGen(b *testing.B) {
	paths, err := filepath.Glob("../contracts/*/*.odcs.yaml")
	if err != nil || len(paths) == 0 {
		b.Fatalf("listing the examples: %v, %d files", err, len(paths))
	}
	all, err := contracts.LoadAll(paths, contracts.Options{})
	if err != nil {
		b.Fatal(err)
	}
	plans := 0
	for b.Loop() {
		for _, c := range all {
			for _, t := range c.Published() {
				if t.Publish.Mode != contracts.Merge {
					continue // no SQL for it yet
				}
				if _, err := gen.Build(c, t); err != nil {
					b.Fatal(err)
				}
				plans++
			}
		}
	}
	b.ReportMetric(float64(plans)/b.Elapsed().Seconds(), "contracts/s")
}
