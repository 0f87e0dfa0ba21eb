package odcs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const head = "apiVersion: v3.2.0\nkind: DataContract\nid: x\nversion: 1.0.0\n"

func TestShapesReferToShapes(t *testing.T) {
	var visit func(where string, s *shape)
	visit = func(where string, s *shape) {
		switch s.kind {
		case "object":
			if objects[s.object] == nil {
				t.Errorf("%s refers to the object %q, which is not there", where, s.object)
			}
		case "list":
			visit(where, s.element)
		case "either":
			for _, e := range s.either {
				visit(where, e)
			}
		case "text", "id", "bool", "int", "number", "scalar", "any", "map", "set", "row", "counts", "tables":
		default:
			t.Errorf("%s has the unknown kind %q", where, s.kind)
		}
	}
	for _, group := range []map[string]*object{objects, customs} {
		for name, o := range group {
			for _, k := range o.keys {
				visit(name+"."+k.name, k.shape)
			}
		}
	}
	for place := range customs {
		if objects[place] == nil {
			t.Errorf("the custom properties of %q stand on no object", place)
		}
	}
}

func TestReleasesDiffer(t *testing.T) {
	key := objects["options/integer"]
	old, _ := key.find("exclusiveMinimum", Release30)
	now, _ := key.find("exclusiveMinimum", Release31)
	if old.shape.kind != "bool" || now.shape.kind != "number" {
		t.Errorf("exclusiveMinimum is %s in 3.0 and %s in 3.1", old.shape.kind, now.shape.kind)
	}
	if found, other := objects["property"].find("enum", Release31); found != nil || other == nil {
		t.Error("enum is known to 3.1")
	}
}

func TestAbsentNodesAreSafe(t *testing.T) {
	var n *Node
	if n.Get("a").Get("b").Text() != "" || n.Items() != nil || n.Texts() != nil || n.Fields() != nil || n.True() || n.Custom("x") != nil || n.Int(7) != 7 || n.Had("x") || n.HadCustom("x") || n.Shortened() {
		t.Error("an absent node has a content")
	}
}

func TestScalarsKeepTheirText(t *testing.T) {
	doc, problems := Parse("f", []byte(head+"slaProperties: [{property: a, value: 2027-03-31}, {property: b, value: NO}, {property: c, value: 0o17}, {property: d, value: 1:30}, {property: e, value: TRUE}]\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, item := range doc.Root.Get("slaProperties").Items() {
		v := item.Get("value")
		got = append(got, fmt.Sprintf("%s %s", v.Kind, v.Text()))
	}
	want := []string{"a date 2027-03-31", "text NO", "a whole number 0o17", "text 1:30", "true or false true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestByteOrderMark(t *testing.T) {
	if _, problems := Parse("f", []byte("\ufeff"+head)); len(problems) > 0 {
		t.Error(problems)
	}
}

func TestPathsNameWhatTheAuthorNamed(t *testing.T) {
	_, problems := Parse("f", []byte(head+"schema: [{name: orders, properties: [{name: amount, logicalTypeOptions: {minimun: 1}}]}]\n"))
	if len(problems) != 1 || problems[0].Path != "orders.amount.logicalTypeOptions.minimun" {
		t.Errorf("got %+v", problems)
	}
}

func TestSuggestions(t *testing.T) {
	for word, want := range map[string]string{"nmae": "name", "Name": "name", "physicalNme": "physicalName", "x": "", "zzz": "", "": ""} {
		got := Suggest(word, []string{"name", "physicalName", "id"})
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q suggests %q, not %q", word, got, want)
		}
	}
}

// Files made to be slow: each must end at once, with problems instead of a tree.
func TestHostileFilesEndSoon(t *testing.T) {
	var many, bomb strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "k%d: v\n", i)
	}
	bomb.WriteString("a0: &a0 x\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1)
	}
	for name, text := range map[string]string{
		"comments":  strings.Repeat("#\n", 1<<20),
		"flow":      strings.Repeat("[", 1<<20),
		"dashes":    strings.Repeat("- ", 9_000) + "a",
		"questions": strings.Repeat("? ", 100_000),
		"keys":      head + many.String(),
		"bomb":      head + bomb.String(),
		"loop":      head + "tags: &a [*a]\n",
		"documents": strings.Repeat("---\na\n", 100_000),
		"large":     strings.Repeat(" ", MaxBytes+1),
		"zero":      "\x00",
		"latin":     "id: caf\xe9",
	} {
		start := time.Now()
		_, problems := Parse("f", []byte(text))
		if took := time.Since(start); took > 20*time.Second || len(problems) == 0 {
			t.Errorf("%s took %s and has %d problems", name, took, len(problems))
		}
	}
}
