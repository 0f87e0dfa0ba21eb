package gen_test

import (
	"regexp"
	"slices"
	"testing"

	"sluice/contracts"
	"sluice/gen"
)

// The codes that a statement gives are those that the contract says its rows can
// get: fixtures are held to that list before anything runs.
func TestRowsGetTheCodesOfTheirContract(t *testing.T) {
	given := regexp.MustCompile(`THEN (?:array\()?'([a-z0-9_]+)'\)?(?: END|\n)`)
	for _, path := range []string{"../contracts/sales/orders.odcs.yaml", "../contracts/aviation/flights.odcs.yaml", "testdata/wide.odcs.yaml", "testdata/typed.odcs.yaml", "testdata/zones.odcs.yaml"} {
		c, err := contracts.Load(path, contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table := c.Published()[0]
		p, err := gen.Build(c, table)
		if err != nil {
			t.Fatal(err)
		}
		found, known := given.FindAllStringSubmatch(p.Step("stage").Statements[1].SQL, -1), table.RowCodes()
		for _, m := range found {
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s: a row gets %q, which the contract does not know: %v", path, m[1], known)
			}
		}
		if len(found) < 3 {
			t.Errorf("%s: %d codes were found", path, len(found))
		}
	}
}
