package notebook_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sluice/gen/notebook"
)

// payloads are texts that would be more than text.
var payloads = []string{
	`"`, `'`, `"""`, `\`, `\"`, "\n", "\r", "\x00", "\u2028", "\u202e", "%s %d %", "{x} {{y}}", "#", "\n%%sql\n", "!ls", "${x}", "😀é", "`", "\n# Heading\n", "</script>", "]}\n)\nraise SystemExit()\n",
}

// own are the fields whose texts the plan itself is made of.
var own = []string{"SQL", "Kind", "Role", "Use", "SkipIfZero", "Param", "Type", "Op", "Describe", "Branch", "Alias", "Severity", "Key", "OnFailure", "Statement"}

// spoil changes every text of a plan that may be a contract's.
func spoil(v reflect.Value, change func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem(), change)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), change)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			step := name == "Name" && (v.Type().Name() == "Step" || v.Type().Name() == "Statement" || v.Type().Name() == "Param")
			if !step && !slices.Contains(own, name) && v.Field(i).CanSet() {
				spoil(v.Field(i), change)
			}
		}
	case reflect.String:
		if v.String() != "" {
			v.SetString(change(v.String()))
		}
	}
}

// No text of a contract changes what a cell is made of.
func TestHostileTexts(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	const script = `
import ast, json, sys
def shape(node):
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    return [type(node).__name__] + [shape(one) for one in ast.iter_child_nodes(node)]
plain, *hostile = json.load(sys.stdin)
for i, book in enumerate(hostile):
    for j, (want, got) in enumerate(zip(plain, book)):
        if shape(ast.parse(want)) != shape(ast.parse(got)):
            sys.exit("payload %d, cell %d:\n%s" % (i, j, got[:3000]))
    assert len(plain) == len(book)`
	for _, name := range []string{"sales/orders", "retail/pos_line"} {
		var books [][]string
		for _, payload := range append([]string{"x"}, payloads...) {
			p := planOf(t, examples+name+".odcs.yaml")
			spoil(reflect.ValueOf(p), func(s string) string { return payload + s + payload })
			var code []string
			for _, c := range cells(t, notebook.Subject{Plan: p, File: "x" + payload}) {
				if c.Type == "code" && !strings.HasPrefix(c.ID, "protocol-") {
					code = append(code, c.text())
				}
			}
			books = append(books, code)
		}
		in, err := json.Marshal(books)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", script)
		cmd.Stdin = bytes.NewReader(in)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %s", name, out)
		}
	}
}
