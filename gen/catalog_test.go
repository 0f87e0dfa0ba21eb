package gen_test

import (
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/sparksql"
)

// Comments are the contract's words, whatever they hold, and each statement is one.
func TestCatalogSetsComments(t *testing.T) {
	for path, want := range map[string]string{
		"../contracts/sales/orders.odcs.yaml":    "ALTER TABLE `silver`.`orders` ALTER COLUMN `order_id` COMMENT 'Business key of the order.'",
		"../contracts/retail/pos_line.odcs.yaml": "COMMENT ON TABLE `lake`.`gold`.`fct_pos_line` IS 'it\\'s /* $\\{x}'",
		"testdata/hostile.odcs.yaml":             "",
	} {
		c, err := contracts.Load(path, contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range c.Published() {
			statements, err := gen.Catalog(c, table, "it's /* ${x}")
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, s := range statements {
				if err := sparksql.Closed(s.SQL); err != nil {
					t.Errorf("%s: %v in %s", path, err, s.SQL)
				}
				all = append(all, s.SQL)
			}
			if want != "" && !strings.Contains(strings.Join(all, "\n"), want) {
				t.Errorf("%s lacks %s:\n%s", path, want, strings.Join(all, "\n"))
			}
		}
	}
}

// A catalog takes no text without an end.
func TestCatalogCutsLongSummaries(t *testing.T) {
	c, err := contracts.Load("../contracts/sales/orders.odcs.yaml", contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	statements, err := gen.Catalog(c, c.Published()[0], strings.Repeat("ä", 5000))
	if err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(statements[0].SQL)); n > 1100 || !strings.HasSuffix(statements[0].SQL, "…'") {
		t.Errorf("the comment has %d characters", n)
	}
}
