package render

import (
	"maps"
	"slices"
	"testing"

	"sluice/contracts"
	"sluice/runner"

	"github.com/google/go-cmp/cmp"
)

// Every code that ends a batch comes with what to do, every warning with what it counts.
func TestAdviceIsWhole(t *testing.T) {
	for name, one := range map[string]struct {
		codes []string
		texts map[string]string
	}{"failures": {contracts.FailureCodes(), adviceText}, "warnings": {runner.WarningCodes(), warningText}} {
		if diff := cmp.Diff(slices.Sorted(slices.Values(one.codes)), slices.Sorted(maps.Keys(one.texts))); diff != "" {
			t.Errorf("%s: codes (-) and texts (+):\n%s", name, diff)
		}
	}
}
