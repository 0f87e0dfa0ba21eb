package contracts_test

import (
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/contracts"

	"github.com/google/go-cmp/cmp"
)

// agreed is one line of expected.tsv: what datacontract-cli says of a file
// (.ci/agree.py holds that column), what sluice says, and the name of the reason
// when they differ.
type agreed struct{ file, cli, sluice, difference string }

func agreement(t *testing.T) []agreed {
	t.Helper()
	f, err := os.Open("testdata/agree/expected.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	reader := csv.NewReader(f)
	reader.Comma = '\t'
	lines, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) == 0 || !slices.Equal(lines[0], []string{"file", "cli", "exit", "sluice", "difference"}) {
		t.Fatalf("expected.tsv has other columns")
	}
	var out []agreed
	for _, l := range lines[1:] {
		out = append(out, agreed{l[0], l[1], l[3], l[4]})
	}
	return out
}

func TestAgreementWithDatacontractCLI(t *testing.T) {
	for _, a := range agreement(t) {
		t.Run(a.file, func(t *testing.T) {
			found, err := contracts.Lint([]string{filepath.Join("testdata/agree", a.file)}, contracts.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, failures := "pass", found.Of(contracts.Error)
			if len(failures) > 0 {
				got = "fail"
			}
			if got != a.sluice {
				t.Errorf("sluice says %s, not %s:\n%v", got, a.sluice, failures)
			}
		})
	}
}

func TestAgreementIsWhole(t *testing.T) {
	var listed []string
	for _, a := range agreement(t) {
		listed = append(listed, filepath.Join("testdata/agree", a.file))
		if (a.cli != a.sluice) != (a.difference != "") {
			t.Errorf("%s: %s and %s, but the reason for a difference is %q", a.file, a.cli, a.sluice, a.difference)
		}
	}
	if diff := cmp.Diff(files(t, "testdata/agree/*.yaml"), listed); diff != "" {
		t.Errorf("folder and list differ (-folder +list):\n%s", diff)
	}
}

var tableRow = regexp.MustCompile("(?m)^\\| `([a-z0-9.-]+)` \\|")

// The README gives every reason, and no other.
func TestDifferencesAreInTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(readme), "\n## Where sluice differs from datacontract-cli\n")
	if !found {
		t.Fatal("the README has no section on the differences")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var told []string
	for _, row := range tableRow.FindAllStringSubmatch(section, -1) {
		told = append(told, row[1])
	}
	reasons := map[string]bool{}
	for _, a := range agreement(t) {
		if a.difference != "" {
			reasons[a.difference] = true
		}
	}
	slices.Sort(told)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(reasons)), told); diff != "" {
		t.Errorf("the reasons differ (-expected.tsv +README):\n%s", diff)
	}
}
