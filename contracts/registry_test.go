package contracts_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/contracts"

	"github.com/google/go-cmp/cmp"
)

// Ids that no file by itself can show, and the test that produces each.
var producedBy = map[string]string{
	"past-end-of-life": "TestPastEndOfLife",
	"shared-table":     "TestTwoContractsMayNotShareATable",
	"too-large":        "TestTooLarge",
	"unknown-server":   "TestServerIsChosenByName",
}

func registered() []string {
	var out []string
	for _, e := range contracts.Explanations() {
		out = append(out, e.ID)
	}
	return out
}

func TestRegistryIsSortedAndComplete(t *testing.T) {
	ids := registered()
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("the registry is not sorted or has an id twice: %v", ids)
	}
	for _, e := range contracts.Explanations() {
		if e.Means == "" || e.Fix == "" || !slices.Contains([]any{contracts.Error, contracts.Warning, contracts.Note}, any(e.Severity)) {
			t.Errorf("the entry of %s lacks a part: %+v", e.ID, e)
		}
		if found, known := contracts.Explain(e.ID); !known || found != e {
			t.Errorf("%s is not found by its id", e.ID)
		}
	}
}

// Every id that a source reports is registered, and every registered one is reported.
func TestRegistryMatchesTheSources(t *testing.T) {
	used := map[string]bool{}
	for file := range sources(t) {
		if !strings.HasPrefix(filepath.Base(file), "registry") {
			for _, id := range reported(t, file) {
				used[id] = true
			}
		}
	}
	if diff := cmp.Diff(registered(), slices.Sorted(maps.Keys(used))); diff != "" {
		t.Errorf("ids of the registry (-) and of the sources (+):\n%s", diff)
	}
}

// sources are the Go files under contracts that are no tests.
func sources(t *testing.T) map[string]bool {
	out := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			out[path] = true
		}
		return err
	})
	if err != nil || len(out) < 20 {
		t.Fatalf("found %d sources: %v", len(out), err)
	}
	return out
}

// The calls that report a problem, and which argument is the id.
var reporters = map[string]int{"problem": 1, "Report": 1, "refuse": 1}

// converterReporter is the one whose id stands third: problem(node, path, id, text).
const converterReporter = "convert.go"

// reported finds the ids in calls of the reporting functions and in Problem{ID: …}.
func reported(t *testing.T, file string) []string {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok {
				if at, found := reporters[f.Sel.Name]; found {
					if f.Sel.Name == "problem" && filepath.Base(file) == converterReporter {
						at = 2
					}
					out = append(out, literal(n.Args, at)...)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "ID" {
				out = append(out, literal([]ast.Expr{n.Value}, 0)...)
			}
		}
		return true
	})
	return out
}

// literal is the text of an argument that is written out; a variable was one elsewhere.
func literal(args []ast.Expr, at int) []string {
	if at >= len(args) {
		return nil
	}
	basic, ok := args[at].(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return nil
	}
	text, err := strconv.Unquote(basic.Value)
	if err != nil {
		return nil
	}
	return []string{text}
}

// Every id is produced: by a bad file, or by the test that is named for it.
func TestEveryProblemIsProduced(t *testing.T) {
	produced := map[string]bool{}
	for _, path := range append(files(t, "testdata/bad/*.want"), append(files(t, "fixture/testdata/bad/*.want"), files(t, "breaking/testdata/waivers/*.want")...)...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_, id, _ := strings.Cut(strings.TrimSpace(line), " ")
			produced[id] = true
		}
	}
	var tests strings.Builder
	for _, path := range files(t, "*_test.go") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	for _, id := range registered() {
		test := producedBy[id]
		switch {
		case produced[id] && test != "":
			t.Errorf("%s has a bad file, so %s need not be named", id, test)
		case !produced[id] && (test == "" || !strings.Contains(tests.String(), "func "+test+"(")):
			t.Errorf("%s is produced by no file of testdata/bad and by no test", id)
		}
	}
}

func TestTooLarge(t *testing.T) {
	var text strings.Builder
	text.WriteString(strings.SplitAfter(small, "properties:\n")[0])
	for i := range 10_001 {
		fmt.Fprintf(&text, "      - {name: c%d, logicalType: string}\n", i)
	}
	_, err := contracts.Load("a.yaml", contracts.Options{ReadFile: memory(map[string]string{"a.yaml": text.String()})})
	if diff := cmp.Diff([]string{"too-large"}, ids(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The README lists the registry: the same ids, severities and meanings.
func TestReadmeListsEveryProblem(t *testing.T) {
	const path = "../README.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, e := range contracts.Explanations() {
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", e.ID, e.Severity, strings.ReplaceAll(e.Means, "|", `\|`))
	}
	const head = "| id | severity | what it means |\n| --- | --- | --- |\n"
	before, rest, found := strings.Cut(string(text), head)
	got, after, _ := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatalf("README.md has no table with the head %q", head)
	}
	if os.Getenv("SLUICE_UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(before+head+want.String()+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want.String(), got+"\n"); diff != "" {
		t.Errorf("README.md (+) differs from the registry (-); SLUICE_UPDATE=1 rewrites its table:\n%s", diff)
	}
}
