package gen_test

import (
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/sparksql"
)

// A name can neither end a literal nor a comment, in SQL nor in Python.
func TestEmitReaderQuotes(t *testing.T) {
	table := &contracts.Table{
		Target:  sparksql.Name{"silver", "or`d\"ers"},
		Columns: []*contracts.Column{{Name: "a`b"}, {Name: "c\"\n\\d"}, {Name: "größe", Deprecated: true}},
	}
	c := &contracts.Contract{ID: "id\nDROP TABLE x", Tables: []*contracts.Table{table}}
	r := gen.Reader{Name: "me\n;", Major: 2, Columns: table.Columns}
	for form, want := range map[gen.ReaderForm][]string{
		gen.ReaderSQL:    {"\n  `a``b`,\n", "  `größe` -- deprecated\nFROM `silver`.`or``d\"ers`;"},
		gen.ReaderPython: {"    \"`a``b`\",\n", `    "` + "`c\\\"\\n\\\\d`" + `",` + "\n", `    "` + "`gr\\u00f6\\u00dfe`" + `",  # deprecated` + "\n", `expect_contract(spark, "` + "`silver`.`or``d\\\"ers`" + `", 2)`},
	} {
		text, err := gen.EmitReader(c, table, r, form)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range want {
			if !strings.Contains(text, one) {
				t.Errorf("%s has no %q:\n%s", form, one, text)
			}
		}
		if strings.Contains(text, "\nDROP") || strings.Contains(text, "\n;") {
			t.Errorf("%s leaves its comment:\n%s", form, text)
		}
	}
}
