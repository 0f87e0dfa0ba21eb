package cli

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/runner"

	"github.com/google/go-cmp/cmp"
)

// manualTable is the table of the manual with that head: its cells without the quotes
// of code.
func manualTable(t *testing.T, head string) [][]string {
	t.Helper()
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n"+head+"\n")
	if !found {
		t.Fatalf("README.md has no table with the head %q", head)
	}
	var out [][]string
	for i, line := range strings.Split(rest, "\n") {
		if i == 0 {
			continue // the line of dashes
		}
		if !strings.HasPrefix(line, "| ") {
			break
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		out = append(out, cells)
	}
	return out
}

var quotedCode = regexp.MustCompile("`([a-z_]+)`")

// codesOf are the codes in the first cells of a table, by the last cell of their line.
func codesOf(t *testing.T, head string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, cells := range manualTable(t, head) {
		for _, m := range quotedCode.FindAllStringSubmatch(cells[0], -1) {
			if _, twice := out[m[1]]; twice {
				t.Errorf("%s stands in the table twice", m[1])
			}
			out[m[1]] = cells[len(cells)-1]
		}
	}
	return out
}

func sameCodes(t *testing.T, what string, want []string, got map[string]string) {
	t.Helper()
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("%s of the code (-) and of README.md (+):\n%s", what, diff)
	}
}

func TestManualHasEveryExitCode(t *testing.T) {
	var want, got [][]string
	for _, e := range exitMeanings() {
		want = append(want, []string{strconv.Itoa(e.code), e.means, e.do})
	}
	for _, cells := range manualTable(t, "| exit code | meaning | what a scheduler does |") {
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "`", "")
		}
		got = append(got, cells)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exit codes of the code (-) and of README.md (+):\n%s", diff)
	}
}

func TestManualHasEveryReasonCode(t *testing.T) {
	got := codesOf(t, "| code | the row |")
	for code := range got {
		if strings.HasSuffix(code, "_x_y") { // of a member: the rule is in the table
			delete(got, code)
			if _, found := got[strings.TrimSuffix(code, "_y")]; !found {
				t.Errorf("README.md has %s and no such code of a column", code)
			}
		}
	}
	sameCodes(t, "reason codes", contracts.CodeForms(), got)
}

func TestManualHasEveryBatchCode(t *testing.T) {
	got := codesOf(t, "| code | the batch | exit |")
	sameCodes(t, "batch codes", contracts.FailureCodes(), got)
	for code, exit := range got {
		want := exitFailed
		if slices.Contains(contracts.RefusalCodes(), code) {
			want = exitRefused
		}
		if exit != strconv.Itoa(want) {
			t.Errorf("%s ends with %d, README.md says %s", code, want, exit)
		}
	}
	allowed := codesOf(t, "| code | the batch | to let it pass |")
	for code := range allowed {
		if !slices.Contains(contracts.RefusalCodes(), code) {
			t.Errorf("README.md lets %s pass, which refuses nothing", code)
		}
	}
}

func TestManualHasEveryWarning(t *testing.T) {
	got := codesOf(t, "| code | what it counts |")
	delete(got, "unknown_x") // a relationship's own, as all of rules
	sameCodes(t, "warnings", runner.WarningCodes(), got)
}

func TestManualHasEveryVariable(t *testing.T) {
	var want, got [][]string
	for _, e := range environment {
		want = append(want, []string{e[0], e[1]})
	}
	for _, cells := range manualTable(t, "| variable | what it is |") {
		got = append(got, []string{strings.ReplaceAll(cells[0], "`", ""), strings.ReplaceAll(cells[1], "`", "")})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variables of the code (-) and of README.md (+):\n%s", diff)
	}
}
