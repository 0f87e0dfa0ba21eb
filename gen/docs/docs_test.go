package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/contracts/fixture"
	"sluice/gen/docs"

	"github.com/google/go-cmp/cmp"
)

const root = "../../contracts"

// examples are the contracts under contracts/, in the order of their paths.
func examples(t *testing.T) []*contracts.Contract {
	t.Helper()
	files, err := filepath.Glob(root + "/*/*.odcs.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no examples", err)
	}
	loaded, err := contracts.LoadAll(files, contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func subject(t *testing.T, path string) docs.Subject {
	t.Helper()
	c, err := contracts.Load(path, contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := docs.Subject{Contract: c, Table: c.Published()[0]}
	beside := path[:len(path)-len(".odcs.yaml")] + ".fixtures.yaml"
	if _, err := os.Stat(beside); err == nil {
		f, err := fixture.Load(beside, contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Fixtures = append(s.Fixtures, f)
	}
	return s
}

func page(t *testing.T, s docs.Subject) string {
	t.Helper()
	out, err := docs.Page(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func index(t *testing.T, all []*contracts.Contract) string {
	t.Helper()
	out, err := docs.Index(all, root)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The committed pages beside the contracts are the goldens.
func TestGoldens(t *testing.T) {
	all := examples(t)
	golden(t, filepath.Join(root, "README.md"), index(t, all))
	for _, c := range all {
		for _, table := range c.Published() {
			golden(t, filepath.Join(filepath.Dir(c.File), docs.Name(c, table)), page(t, subject(t, c.File)))
		}
	}
}

func golden(t *testing.T, path, text string) {
	t.Helper()
	if os.Getenv("SLUICE_UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), text); diff != "" {
		t.Errorf("%s (-committed +generated); SLUICE_UPDATE=1 rewrites it:\n%s", path, diff)
	}
}

// A page is the same however its contract was named.
func TestPagesDoNotDependOnTheWorkingFolder(t *testing.T) {
	path := filepath.Join(root, "aviation", "flights.odcs.yaml")
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page(t, subject(t, path)), page(t, subject(t, absolute))); diff != "" {
		t.Errorf("(-relative +absolute):\n%s", diff)
	}
}

// The one line of a catalog item says what, what a row is, and who answers.
func TestSummary(t *testing.T) {
	s := subject(t, filepath.Join(root, "sales", "orders.odcs.yaml"))
	want := "Current state of every order that passed the contract. One row per order_id, holding its latest known version. Contract sales-orders-silver 2.x, owner orders-oncall@example.com."
	if got := docs.Summary(s.Contract, s.Table); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Several tables of a contract have a page each.
func TestNames(t *testing.T) {
	one, two := &contracts.Table{Name: "orders"}, &contracts.Table{Name: "../x y"}
	one.Publish.Mode, two.Publish.Mode = contracts.Merge, contracts.Merge
	c := &contracts.Contract{File: "a/shop.odcs.yaml", Tables: []*contracts.Table{one}}
	if got := docs.Name(c, one); got != "shop.md" {
		t.Errorf("alone: %s", got)
	}
	c.Tables = append(c.Tables, two)
	if a, b := docs.Name(c, one), docs.Name(c, two); a != "shop.orders.md" || b != "shop.___x_y.md" {
		t.Errorf("beside another: %s and %s", a, b)
	}
}

// No fixture is left out, whatever it gives and expects.
func TestEveryFixtureIsTold(t *testing.T) {
	for _, c := range examples(t) {
		if len(c.Published()) == 0 {
			continue
		}
		s := subject(t, c.File)
		for _, f := range s.Fixtures {
			for i, one := range f.Fixtures {
				one.Name, one.Why = fmt.Sprintf("case%dx", i), ""
			}
		}
		out := page(t, s)
		for _, f := range s.Fixtures {
			for _, one := range f.Fixtures {
				if strings.Count(out, "| "+one.Name+" |") != 1 {
					t.Errorf("%s: the page does not tell %s at line %d", c.File, one.Name, one.Position.Line)
				}
			}
		}
	}
}
