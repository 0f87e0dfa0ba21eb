package breaking_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sluice/contracts/breaking"
	"sluice/contracts/odcs"
)

// today is the day on which the tests take place.
const today = "2026-06-01"

func parse(t testing.TB, path string) *odcs.Document {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, problems := odcs.Parse(path, data)
	for _, p := range problems {
		if p.Severity == odcs.Error {
			t.Fatalf("reading %s: %s", path, p)
		}
	}
	return doc
}

// row is what datacontract-cli 1.2.8 says of one pair from one perspective.
type row struct {
	from, to, perspective  string
	level, direction, rule string
	path                   string
	graded                 int
	difference             string // why sluice says something else
}

func rows(t *testing.T, table string) []row {
	t.Helper()
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "from" {
			continue
		}
		if len(f) < 8 {
			t.Fatalf("%s: a row with %d columns: %s", table, len(f), line)
		}
		graded, err := strconv.Atoi(f[7])
		if err != nil {
			t.Fatal(err)
		}
		one := row{f[0], f[1], f[2], f[3], f[4], f[5], f[6], graded, ""}
		if len(f) > 8 {
			one.difference = f[8]
		}
		out = append(out, one)
	}
	return out
}

var order = map[breaking.Level]int{breaking.Info: 0, breaking.Warning: 1, breaking.Error: 2}

// worst is the first of the worst changes in path order, as the row has it. Rules
// that only sluice has are left out.
func worst(changes []breaking.Change) row {
	out := row{level: "none", direction: "-", rule: "-", path: "-"}
	at := -1
	for _, c := range changes {
		if c.Rule == breaking.RemovedTooEarly {
			continue
		}
		out.graded++
		if order[c.Level] > at {
			at = order[c.Level]
			out.level, out.direction, out.rule, out.path = string(c.Level), string(c.Direction), c.Rule, c.Path
		}
	}
	return out
}

// TestOracle compares with what datacontract-cli 1.2.8 said of each pair: level,
// direction, rule and path of the worst entry, and how many were graded.
func TestOracle(t *testing.T) {
	table := rows(t, "testdata/oracle/expected.tsv")
	if len(table) < 190 {
		t.Fatalf("the oracle has %d rows", len(table))
	}
	for _, want := range table {
		t.Run(want.from+"/"+want.to+"/"+want.perspective, func(t *testing.T) {
			old := parse(t, filepath.Join("testdata/oracle", want.from+".yaml"))
			new := parse(t, filepath.Join("testdata/oracle", want.to+".yaml"))
			r := breaking.Compare(old, new, breaking.Options{Perspective: breaking.Perspective(want.perspective), Today: today})
			got := worst(r.Changes)
			got.from, got.to, got.perspective = want.from, want.to, want.perspective
			if got != want {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
		})
	}
}

// TestClasses holds the class of each pair of the oracle, both ways.
func TestClasses(t *testing.T) {
	text, err := os.ReadFile("testdata/oracle/classes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	base := parse(t, "testdata/oracle/base.yaml")
	seen := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "to" {
			continue
		}
		seen++
		other := parse(t, filepath.Join("testdata/oracle", f[0]+".yaml"))
		forward := breaking.Compare(base, other, breaking.Options{Today: today})
		reverse := breaking.Compare(other, base, breaking.Options{Today: today})
		if string(forward.Class) != f[1] || string(reverse.Class) != f[2] {
			t.Errorf("%s: %s and %s, want %s and %s", f[0], forward.Class, reverse.Class, f[1], f[2])
		}
	}
	if files, _ := filepath.Glob("testdata/oracle/*.yaml"); seen+3 != len(files) { // the bases, and the pair of valid values
		t.Errorf("%d classes for %d files", seen, len(files))
	}
}
