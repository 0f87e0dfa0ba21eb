package breaking_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/contracts/breaking"

	"github.com/google/go-cmp/cmp"
)

// TestWaivers applies each file to the removal of a column: what is wrong with a
// waiver is a problem with its place, and only a valid one takes the change out
// of the gate.
func TestWaivers(t *testing.T) {
	files, _ := filepath.Glob("testdata/waivers/*.yaml")
	if len(files) < 4 {
		t.Fatalf("found %d files", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".want")
			if err != nil {
				t.Fatal(err)
			}
			problems, result := waived(t, file, data, false)
			var got strings.Builder
			for _, p := range problems {
				fmt.Fprintf(&got, "%d:%d %s\n", p.Position.Line, p.Position.Column, p.ID)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if good := len(want) == 0; result != nil && result.OK() != good {
				t.Errorf("OK is %v, gate %+v", result.OK(), result.Gate)
			}
		})
	}
}

func waived(t *testing.T, file string, data []byte, idle bool) (contracts.Problems, *breaking.Result) {
	t.Helper()
	w, err := breaking.ParseWaivers(file, data)
	var problems contracts.Problems
	if errors.As(err, &problems) {
		return problems, nil
	}
	w.Idle = idle
	old, new := parse(t, "testdata/oracle/base.yaml"), parse(t, "testdata/oracle/property_removed.yaml")
	r := breaking.Compare(old, new, breaking.Options{Today: today, Waivers: w})
	return r.Problems, r
}

// A waived change stays in the list, with its waiver.
func TestWaivedChangeIsShown(t *testing.T) {
	data, err := os.ReadFile("testdata/waivers/good.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, r := waived(t, "good.yaml", data, false)
	if len(r.Changes) != 2 || r.Class != breaking.None {
		t.Fatalf("class %s, changes %+v", r.Class, r.Changes)
	}
	for _, c := range r.Changes {
		if c.Waiver == nil || c.Waiver.Owner != "sales" || c.Class != breaking.Major || c.Level != breaking.Error {
			t.Errorf("%+v", c)
		}
	}
}

// A contract that did not change leaves the waiver of its last change alone; one
// whose day has passed is told all the same.
func TestIdleWaivers(t *testing.T) {
	doc := parse(t, "testdata/oracle/base.yaml")
	for until, want := range map[string]int{"2026-12-31": 0, "2026-05-31": 1} {
		w, err := breaking.ParseWaivers("w.yaml", []byte("- {rule: type-changed, path: a, owner: o, reason: r, until: "+until+"}"))
		if err != nil {
			t.Fatal(err)
		}
		w.Idle = true
		if r := breaking.Compare(doc, doc, breaking.Options{Today: today, Waivers: w}); len(r.Problems) != want {
			t.Errorf("%s: %v", until, r.Problems)
		}
	}
}

// Other words for the same grain are confirmed by a waiver; readers still hear of them.
func TestGrainIsConfirmedByAWaiver(t *testing.T) {
	w, err := breaking.ParseWaivers("w.yaml", []byte("- {rule: metadata-or-unknown-change, path: schema.orders.dataGranularityDescription, owner: o, reason: same rows, until: 2026-12-31}"))
	if err != nil {
		t.Fatal(err)
	}
	old, new := parse(t, "testdata/oracle/base.yaml"), parse(t, "testdata/oracle/grain_text_changed.yaml")
	r := breaking.Compare(old, new, breaking.Options{Today: today, Waivers: w})
	if r.Class != breaking.Notice || r.Gate.OK || r.Gate.Needs != "2.3.0" {
		t.Errorf("class %s, gate %+v", r.Class, r.Gate)
	}
}
