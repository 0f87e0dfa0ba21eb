package contracts_test

import (
	"os"
	"testing"

	"sluice/contracts"
)

// BenchmarkLint reads the example contracts together, as `sluice lint` does.
// Files are in memory, since the disk is not what is measured.
func BenchmarkLint(b *testing.B) {
	paths := []string{
		"aviation/airlines.odcs.yaml", "aviation/flights.odcs.yaml", "aviation/planes.odcs.yaml",
		"retail/pos_line.odcs.yaml", "sales/customers.odcs.yaml", "sales/orders.odcs.yaml",
	}
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		texts[path] = string(text)
	}
	opts := contracts.Options{ReadFile: memory(texts)}
	b.ReportAllocs()
	for b.Loop() {
		problems, err := contracts.Lint(paths, opts)
		if err != nil || len(problems.Of(contracts.Error)) > 0 {
			b.Fatalf("error %v, problems: %v", err, problems)
		}
	}
	b.ReportMetric(float64(len(paths)*b.N)/b.Elapsed().Seconds(), "contracts/s")
}
