package notebook_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/notebook"
	"sluice/gen/plan"
)

const examples = "../../contracts/"

type cell struct {
	Type     string   `json:"cell_type"`
	ID       string   `json:"id"`
	Source   []string `json:"source"`
	Outputs  []any    `json:"outputs"`
	Metadata struct {
		Tags []string `json:"tags"`
	} `json:"metadata"`
}

func (c cell) text() string { return strings.Join(c.Source, "") }

func planOf(t *testing.T, path string) *plan.Plan {
	t.Helper()
	c, err := contracts.Load(path, contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := gen.Build(c, c.Published()[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func cells(t *testing.T, s notebook.Subject) []cell {
	t.Helper()
	text, err := notebook.Write(s)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := notebook.Write(s); !bytes.Equal(text, again) {
		t.Error("two notebooks of one plan differ")
	}
	var book struct{ Cells []cell }
	if err := json.Unmarshal(text, &book); err != nil {
		t.Fatal(err)
	}
	return book.Cells
}

var defined = regexp.MustCompile(`(?m)^(?:def|class) (\w+)|^([A-Z][A-Z_]*) = `)

// Every cell has its own id, no output, and no cell takes away what another defined:
// a statement that had the name of a part of the protocol would be sent in its place.
func TestCells(t *testing.T) {
	for _, name := range []string{"sales/orders", "retail/pos_line", "aviation/flights", "aviation/airlines", "aviation/planes"} {
		ids, names := map[string]bool{}, map[string]string{}
		parameters := 0
		for _, c := range cells(t, notebook.Subject{Plan: planOf(t, examples+name+".odcs.yaml"), File: "x"}) {
			if ids[c.ID] || len(c.ID) > 64 || c.ID == "" {
				t.Errorf("%s: id %q", name, c.ID)
			}
			ids[c.ID] = true
			if len(c.Outputs) > 0 {
				t.Errorf("%s: cell %s has outputs", name, c.ID)
			}
			if len(c.Metadata.Tags) == 1 && c.Metadata.Tags[0] == "parameters" {
				parameters++
			}
			if c.Type != "code" {
				continue
			}
			for _, m := range defined.FindAllStringSubmatch(c.text(), -1) {
				one := m[1] + m[2]
				if names[one] != "" {
					t.Errorf("%s: cells %s and %s both define %s", name, names[one], c.ID, one)
				}
				names[one] = c.ID
			}
		}
		if parameters != 1 {
			t.Errorf("%s: %d cells are tagged parameters", name, parameters)
		}
	}
}

// A text is the text that it was, whatever it holds, once Python has read it.
func TestPythonReadsWhatWasWritten(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	for _, text := range []string{
		"plain", `it's "quoted"`, `back\slash \n \u0041`, `"""`, `ends with a quote"`, `ends with \`, "tab\tnewline\nreturn\r", "\u2028 \u00a0 😀 \x00", `r"""`, "{x} %s", "\ufeff",
	} {
		p := planOf(t, examples+"aviation/airlines.odcs.yaml")
		p.Owner, p.Version = "o", text
		p.Step("audit").Statements[0].SQL = "SELECT '" + text + "'"
		for _, c := range cells(t, notebook.Subject{Plan: p, File: "x"}) {
			var script string
			switch c.ID {
			case "contract":
				script = c.text() + "\ngot = PLAN['version']"
			case "step-audit":
				script = "import types\nstep = lambda *a, **k: lambda f: f\nsent = []\nspark = types.SimpleNamespace(sql=lambda s, **k: sent.append(s))\nrun = types.SimpleNamespace(keep=lambda *a: None, sql=lambda s, *a: sent.append(s), bound=lambda s: s)\n" +
					c.text() + "\nsql_audit(run)\ngot = sent[0].strip('\\n')[8:-1]"
			default:
				continue
			}
			cmd := exec.Command(python, "-c", "import json, sys\nspace = {}\nexec(json.loads(sys.stdin.read()), space)\nsys.stdout.write(json.dumps(space['got']))")
			source, err := json.Marshal(script)
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stdin = bytes.NewReader(source)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%q: %v: %s", text, err, stderr.String())
			}
			var got string
			if err := json.Unmarshal(out, &got); err != nil || got != text {
				t.Errorf("%s: Python reads %q, want %q", c.ID, got, text)
			}
		}
	}
}

// Cells that are run twice, out of order or interrupted publish nothing that was not
// judged, and record nothing that is not known.
func TestRunsKeepTheirOrder(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	books := []string{"../../sql/orders/orders.ipynb"} // with fixtures
	for _, name := range []string{"sales/orders", "retail/pos_line"} {
		text, err := notebook.Write(notebook.Subject{Plan: planOf(t, examples+name+".odcs.yaml"), File: "x"})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "book.ipynb")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		books = append(books, path)
	}
	for _, path := range books {
		if out, err := exec.Command(python, "testdata/protocol.py", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", path, out)
		}
	}
}

// Every part of the protocol is Python on its own.
func TestPartsAreSound(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	files, err := filepath.Glob("../../templates/notebook/*.py")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d parts, %v", len(files), err)
	}
	for _, file := range files {
		if out, err := exec.Command(python, "-c", "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read(), feature_version=(3, 8))", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", file, out)
		}
	}
}
