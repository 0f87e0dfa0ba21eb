package contracts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"

	"github.com/google/go-cmp/cmp"
)

var vars = map[string]string{"PORT": "15002", "T": "orders"}

// files lists the yaml files of a folder of testdata.
func files(t *testing.T, patterns ...string) []string {
	t.Helper()
	var out []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("listing %s: %v, %d files", pattern, err, len(found))
		}
		out = append(out, found...)
	}
	return out
}

// golden compares with a file, or rewrites it when SLUICE_UPDATE=1.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("SLUICE_UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("reading the wanted text (SLUICE_UPDATE=1 writes it): %v", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

func TestGoodFilesLoad(t *testing.T) {
	for _, path := range files(t, "testdata/good/*.yaml", "testdata/cases/*.yaml", "*/*.odcs.yaml") {
		t.Run(path, func(t *testing.T) {
			if _, err := contracts.Load(path, contracts.Options{Vars: vars}); err != nil {
				t.Errorf("loading: %v", err)
			}
		})
	}
}

// Each line of a .want file is the place and id of one problem; texts may be reworded.
func TestProblemsStandWhereTheyAre(t *testing.T) {
	for _, path := range files(t, "testdata/bad/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			problems, err := contracts.Lint([]string{path}, contracts.Options{})
			if err != nil || len(problems) == 0 {
				t.Fatalf("%d problems, error %v", len(problems), err)
			}
			var got strings.Builder
			for _, p := range problems {
				if p.Position.File != path || p.Text == "" || strings.Contains(p.Text, "%!") {
					t.Errorf("problem without its file or a readable text: %+v", p)
				}
				fmt.Fprintf(&got, "%d:%d %s\n", p.Position.Line, p.Position.Column, p.ID)
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".want", got.String())
		})
	}
}

func TestModel(t *testing.T) {
	for name, path := range map[string]string{
		"orders":          "sales/orders.odcs.yaml",
		"pos_line":        "retail/pos_line.odcs.yaml",
		"flights":         "aviation/flights.odcs.yaml",
		"fixtures-orders": "testdata/good/fixtures-orders.yaml",
		"full-3.2":        "testdata/good/full-3.2.yaml",
		"old-3.0":         "testdata/good/old-3.0.yaml",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := contracts.Load(path, contracts.Options{Vars: vars})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.MarshalIndent(c, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "model", name+".json"), string(text)+"\n")
		})
	}
}

func TestServerIsChosenByName(t *testing.T) {
	for _, test := range []struct{ server, target, quarantine string }{
		{"", "silver.orders", "quarantine.orders"},
		{"local", "silver.orders", "quarantine.orders"},
		{"prod", "lakehouse.silver.orders", "lakehouse.quarantine.orders"},
	} {
		c, err := contracts.Load("sales/orders.odcs.yaml", contracts.Options{Server: test.server})
		if err != nil {
			t.Fatal(err)
		}
		table := c.Tables[0]
		got := []string{table.Target.String(), table.Quarantine.String()}
		if diff := cmp.Diff([]string{test.target, test.quarantine}, got); diff != "" {
			t.Errorf("server %q (-want +got):\n%s", test.server, diff)
		}
	}
	_, err := contracts.Load("sales/orders.odcs.yaml", contracts.Options{Server: "prud"})
	if ids := ids(err); len(ids) == 0 || ids[0] != "unknown-server" {
		t.Errorf("an unknown server gives %v", err)
	}
}

func ids(err error) []string {
	var problems contracts.Problems
	if !errors.As(err, &problems) {
		return nil
	}
	var out []string
	for _, p := range problems {
		out = append(out, p.ID)
	}
	return out
}

func TestMissingFileIsNoProblemOfADocument(t *testing.T) {
	_, err := contracts.Load("testdata/nowhere.yaml", contracts.Options{})
	if !errors.Is(err, os.ErrNotExist) || ids(err) != nil {
		t.Errorf("got %v", err)
	}
}

// memory reads from a map, as a caller with files of another origin would.
func memory(files map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if text, ok := files[filepath.ToSlash(path)]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("opening %q: %w", path, os.ErrNotExist)
	}
}

const small = `apiVersion: v3.2.0
kind: DataContract
id: small
version: 1.0.0
servers: [{server: s, type: custom, schema: silver, format: delta}]
schema:
  - name: TABLE
    properties:
      - {name: k, logicalType: string, required: true, primaryKey: true REFERENCE}
      - {name: at, logicalType: timestamp, required: true}
    customProperties:
      - {property: source, vendor: sluice, value: {table: bronze.feed}}
      - {property: dedup, vendor: sluice, value: {latestBy: [at]}}
      - {property: publish, vendor: sluice, value: {mode: merge}}
`

func smallContract(table, reference string) string {
	if reference != "" {
		reference = `, relationships: [{to: "` + reference + `", customProperties: [{property: onViolation, vendor: sluice, value: warn}]}]`
	}
	return strings.NewReplacer("TABLE", table, " REFERENCE", reference).Replace(small)
}

func TestReferences(t *testing.T) {
	read := memory(map[string]string{
		"repo/a/other.yaml":  smallContract("other", ""),
		"repo/b/other.yaml":  smallContract("other", ""),
		"repo/secret.yaml":   smallContract("other", ""),
		"repo/a/broken.yaml": "apiVersion: v3.2.0\n",
	})
	for reference, want := range map[string]string{
		"other.yaml#/schema/other/properties/k":          "silver.other",
		"other.yaml#schema/other/properties/k":           "silver.other",
		"./other.yaml#/schema/other/properties/k":        "silver.other",
		"../b/other.yaml#/schema/other/properties/k":     "",
		"/repo/a/other.yaml#/schema/other/properties/k":  "",
		"http://x/other.yaml#/schema/other/properties/k": "",
		"broken.yaml#/schema/other/properties/k":         "",
		"nowhere.yaml#/schema/other/properties/k":        "",
		"other.yaml#/schema/othr/properties/k":           "",
		"other.yaml#/schema/other/properties/x":          "",
		"a.k":                                            "silver.a",
		"a.x":                                            "",
		"x.k":                                            "",
		"k":                                              "",
		"other.yaml":                                     "",
	} {
		all := func(path string) ([]byte, error) {
			if filepath.ToSlash(path) == "repo/a/main.yaml" {
				return []byte(smallContract("a", reference)), nil
			}
			return read(path)
		}
		c, err := contracts.Load("repo/a/main.yaml", contracts.Options{ReadFile: all})
		if want == "" {
			if diff := cmp.Diff([]string{"bad-reference"}, ids(err)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", reference, diff)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", reference, err)
		} else if got := c.Tables[0].Relationships[0].Table.String(); got != want {
			t.Errorf("%s leads to %s, not %s", reference, got, want)
		}
		if reference == "other.yaml#/schema/other/properties/k" {
			_, err := contracts.Load("repo/a/main.yaml", contracts.Options{ReadFile: all, Root: "repo"})
			if err != nil {
				t.Errorf("with a root: %v", err)
			}
		}
	}
}

func TestTwoContractsMayNotShareATable(t *testing.T) {
	read := memory(map[string]string{
		"a.yaml": smallContract("a", ""),
		"b.yaml": smallContract("b", ""),
		"c.yaml": strings.Replace(smallContract("c", ""), "customProperties:", "customProperties:\n      - {property: quarantine, value: {table: Quarantine.A}}", 1),
		"d.yaml": strings.Replace(smallContract("d", ""), "customProperties:", "customProperties:\n      - {property: staging, value: {auditLog: silver.d}}", 1),
	})
	opts := contracts.Options{ReadFile: read}
	if _, err := contracts.LoadAll([]string{"a.yaml", "b.yaml"}, opts); err != nil {
		t.Errorf("one audit log for two contracts is right: %v", err)
	}
	_, err := contracts.LoadAll([]string{"a.yaml", "c.yaml"}, opts)
	if diff := cmp.Diff([]string{"shared-table"}, ids(err)); diff != "" {
		t.Errorf("one quarantine for two (-want +got):\n%s", diff)
	}
	_, err = contracts.Load("d.yaml", opts)
	if diff := cmp.Diff([]string{"shared-table"}, ids(err)); diff != "" {
		t.Errorf("an audit log that is the target (-want +got):\n%s", diff)
	}
}

func TestVariables(t *testing.T) {
	text := strings.Replace(smallContract("a", ""), "bronze.feed", "\"bronze.${FEED:-feed}_${N}\"", 1)
	read := memory(map[string]string{"a.yaml": text})
	_, err := contracts.Load("a.yaml", contracts.Options{ReadFile: read})
	if diff := cmp.Diff([]string{"unknown-variable"}, ids(err)); diff != "" {
		t.Errorf("unset (-want +got):\n%s", diff)
	}
	c, err := contracts.Load("a.yaml", contracts.Options{ReadFile: read, Vars: map[string]string{"N": "${FEED}"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Tables[0].Source.Table.String(); got != "bronze.feed_${FEED}" {
		t.Errorf("a value is not read again: got %s", got)
	}
}

func TestProblemsAreOneLineEach(t *testing.T) {
	_, err := contracts.Load("testdata/bad/case-13-version-one-ten-without-quotes.yaml", contracts.Options{})
	if err == nil || !strings.Contains(err.Error(), `.yaml:4:10: `) || !strings.Contains(err.Error(), `quote it: "1.10"`) {
		t.Errorf("got %v", err)
	}
}
