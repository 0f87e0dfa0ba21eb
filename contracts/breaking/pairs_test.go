package breaking_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/contracts/breaking"
	"sluice/contracts/odcs"

	"github.com/rogpeppe/go-internal/txtar"
)

// twosome is one file of testdata/pairs: two versions, and in its comment what
// they show, the class each way and the gate of the way forward.
type twosome struct {
	name     string
	old, new *odcs.Document
	want     map[string]string // forward, reverse, gate
}

func (p twosome) compare(way string, perspective breaking.Perspective) *breaking.Result {
	opts := breaking.Options{Perspective: perspective, Today: today}
	if way == "forward" {
		return breaking.Compare(p.old, p.new, opts)
	}
	return breaking.Compare(p.new, p.old, opts)
}

func twosomes(t *testing.T) []twosome {
	t.Helper()
	files, err := filepath.Glob("testdata/pairs/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("found %d pairs: %v", len(files), err)
	}
	var out []twosome
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		one := twosome{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), want: map[string]string{}}
		for line := range strings.Lines(string(archive.Comment)) {
			if key, value, found := strings.Cut(strings.TrimSpace(line), ": "); found {
				one.want[key] = value
			}
		}
		if len(archive.Files) != 2 || one.want["forward"] == "" || one.want["reverse"] == "" {
			t.Fatalf("%s: want two files and the classes forward and reverse", file)
		}
		one.old, one.new = inArchive(t, file, archive.Files[0]), inArchive(t, file, archive.Files[1])
		out = append(out, one)
	}
	return out
}

func inArchive(t *testing.T, file string, f txtar.File) *odcs.Document {
	t.Helper()
	doc, problems := odcs.Parse(file+":"+f.Name, f.Data)
	for _, p := range problems {
		if p.Severity == odcs.Error {
			t.Fatal(p)
		}
	}
	return doc
}

// TestPairs holds the class of each pair both ways, and its gate forward.
func TestPairs(t *testing.T) {
	for _, p := range twosomes(t) {
		t.Run(p.name, func(t *testing.T) {
			for _, way := range []string{"forward", "reverse"} {
				r := p.compare(way, breaking.ForConsumer)
				if string(r.Class) != p.want[way] {
					t.Errorf("%s is %s, want %s: %s", way, r.Class, p.want[way], told(r))
				}
				gate := r.Gate.Needs
				if r.Gate.OK {
					gate = "ok"
				}
				if want := p.want["gate"]; way == "forward" && want != "" && gate != want {
					t.Errorf("gate %q, want %q", gate, want)
				}
			}
		})
	}
}

func told(r *breaking.Result) string {
	var out []string
	for _, c := range r.Changes {
		out = append(out, fmt.Sprintf("%s %s %s at %s", c.Class, c.Rule, c.Direction, c.Path))
	}
	return strings.Join(out, "; ")
}

// Reasons for which a grade differs from that of datacontract-cli.
var differences = map[string]string{
	"one-rename":   "a rename is one change: the same id, or replaces",
	"own-flag":     "the CLI stops at the exclusive flags of 3.0, which are right there",
	"own-rule-key": "up to 3.0 the key rule names the metric; the CLI does not grade it",
	"own-repeated": "the CLI keeps one of several service levels of a name; here the element tells them apart",
	"own-units":    "units of freshness that the CLI does not read",
	"own-path":     "customProperties of a relationship go by their names; the CLI leaves these out of the path",
	"own-bound":    "all bounds of an end are compared together; the CLI compares the one that changed",
}

// TestPairsAgree compares with the grades that datacontract-cli gave (recorded by
// .ci/breaking.py). Where they differ, the table says why, and they must differ.
func TestPairsAgree(t *testing.T) {
	known := map[string]twosome{}
	for _, p := range twosomes(t) {
		known[p.name] = p
	}
	used := map[string]bool{}
	table := rows(t, "testdata/pairs/expected.tsv")
	if len(table) != 4*len(known) {
		t.Fatalf("%d grades of %d pairs; python .ci/breaking.py --write records them", len(table), len(known))
	}
	for _, want := range table {
		name, side, _ := strings.Cut(want.from, "/")
		way := map[string]string{"old": "forward", "new": "reverse"}[side]
		t.Run(name+"/"+way+"/"+want.perspective, func(t *testing.T) {
			got := worst(known[name].compare(way, breaking.Perspective(want.perspective)).Changes)
			got.from, got.to, got.perspective, got.difference = want.from, want.to, want.perspective, want.difference
			reason := want.difference
			used[reason] = true
			switch {
			case reason == "" && got != want:
				t.Errorf("\n got %+v\nwant %+v", got, want)
			case reason != "" && got == want:
				t.Errorf("the difference %q is none any more", reason)
			case reason != "" && differences[reason] == "":
				t.Errorf("no such reason: %q", reason)
			}
		})
	}
	for reason := range differences {
		if !used[reason] {
			t.Errorf("no pair differs for the reason %q", reason)
		}
	}
}

// TestRegistry holds that every rule has a pair that shows it, and that what it
// says of a change is whole: a direction, a level, a class and a message.
func TestRegistry(t *testing.T) {
	shown := map[string]bool{}
	see := func(r *breaking.Result) {
		for _, c := range r.Changes {
			shown[c.Rule] = true
			if c.What == "" || c.Direction == "" || c.Level == "" || !slices.Contains(breaking.Classes(), c.Class) || c.Position.Line == 0 {
				t.Errorf("a change of %s lacks a part: %+v", c.Rule, c)
			}
			if (c.Class == breaking.Major || c.Class == breaking.NewTable) && (c.Hurt == "" || c.Do == "") {
				t.Errorf("%s at %s does not say who is hurt and what to do: %+v", c.Rule, c.Path, c)
			}
		}
	}
	pairs := twosomes(t)
	for _, p := range pairs {
		see(p.compare("forward", breaking.ForConsumer))
		see(p.compare("reverse", breaking.ForProducer))
	}
	see(breaking.Added(pairs[0].new, breaking.Options{Today: today}))
	see(breaking.Removed(pairs[0].old, breaking.Options{Today: today}))
	if want := breaking.IDs(); !slices.Equal(want, slices.Sorted(maps.Keys(shown))) || !slices.IsSorted(want) {
		t.Errorf("rules %v, shown %v", want, slices.Sorted(maps.Keys(shown)))
	}
	for _, r := range breaking.Rules() {
		if found, known := breaking.Explain(r.ID); !known || found != r || r.Means == "" || r.Fix == "" {
			t.Errorf("the entry of %s lacks a part", r.ID)
		}
	}
}
