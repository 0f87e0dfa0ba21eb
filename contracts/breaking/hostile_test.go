package breaking_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/contracts/breaking"
	"sluice/contracts/odcs"
)

func inline(t testing.TB, text string) *odcs.Document {
	t.Helper()
	doc, _ := odcs.Parse("a.yaml", []byte("apiVersion: v3.2.0\nkind: DataContract\nid: a\nversion: 1.0.0\n"+text))
	if doc == nil {
		t.Fatal("no document")
	}
	return doc
}

// A file of somebody else must not keep the comparison busy.
func TestHostileFilesEnd(t *testing.T) {
	var wide, other strings.Builder
	wide.WriteString("schema:\n- name: t\n  properties:\n")
	other.WriteString("schema:\n- name: t\n  properties:\n")
	for i := range 3000 {
		fmt.Fprintf(&wide, "  - {name: a%d, logicalType: string, tags: [x]}\n", i)
		fmt.Fprintf(&other, "  - {name: b%d, logicalType: string, tags: [y]}\n", i)
	}
	huge := "schema:\n- name: t\n  properties:\n  - {name: d, logicalType: date, logicalTypeOptions: {minimum: %q}, examples: [%s]}\n"
	for name, pair := range map[string][2]string{
		"thousands of columns": {wide.String(), other.String()},
		"exponents":            {fmt.Sprintf(huge, "1e999999999", "1e999999999"), fmt.Sprintf(huge, "2e999999999", "2e999999999")},
		"nothing":              {"", ""},
	} {
		start := time.Now()
		breaking.Compare(inline(t, pair[0]), inline(t, pair[1]), breaking.Options{Today: today})
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}

// FuzzCompare: whatever two files hold, the comparison ends, and a file is equal
// to itself.
func FuzzCompare(f *testing.F) {
	f.Add("schema:\n- name: t\n  properties:\n  - {name: a, enum: [{value: 1}]}\n", "schema:\n- {name: t}\n")
	f.Add("slaProperties: [{property: freshness, value: 1}]\n", "servers: [{server: a, type: custom}]\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		old, _ := odcs.Parse("a.yaml", []byte("apiVersion: v3.2.0\nkind: DataContract\nid: a\nversion: 1.0.0\n"+a))
		new, _ := odcs.Parse("b.yaml", []byte("apiVersion: v3.2.0\nkind: DataContract\nid: a\nversion: 1.0.0\n"+b))
		if old == nil || new == nil {
			t.Skip()
		}
		breaking.Compare(old, new, breaking.Options{Today: today})
		if r := breaking.Compare(old, old, breaking.Options{Today: today}); len(r.Changes) != 0 {
			t.Errorf("a file differs from itself: %+v", r.Changes)
		}
	})
}
