package runnertest

import (
	_ "embed" // for the contract of the shop
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
)

// ShopContract is the text of the contract of Shop.
//
//go:embed testdata/shop/orders.odcs.yaml
var ShopContract string

// ShopHeader is the first line of its files.
const ShopHeader = "order_id,customer_id,amount,changed_at"

// Shop is a lake with a small orders table whose customers, C1 and C2, are a lookup.
func Shop(t testing.TB, settings ...plan.Setting) (*Lake, *contracts.Contract, *plan.Plan) {
	t.Helper()
	lake := Spark(t, settings...)
	lake.Do("CREATE SCHEMA ~silver")
	lake.Do("CREATE TABLE ~silver.customers (customer_id STRING NOT NULL) USING DELTA")
	lake.Do("INSERT INTO ~silver.customers VALUES ('C1'), ('C2')")
	c, p := lake.PlanText(ShopContract)
	return lake, c, p
}

// PlanText is Plan of a contract that the test wrote.
func (l *Lake) PlanText(text string) (*contracts.Contract, *plan.Plan) {
	l.t.Helper()
	return l.Plan(l.write("orders.odcs.yaml", text))
}

// LandLines lands a file of these lines, the header first, as one batch.
func (l *Lake) LandLines(c *contracts.Contract, batch string, lines ...string) {
	l.t.Helper()
	l.Land(c, batch, l.write(batch+".csv", strings.Join(lines, "\n")+"\n"))
}

func (l *Lake) write(name, text string) string {
	l.t.Helper()
	path := filepath.Join(l.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	return path
}

// Number is the number that a query in parentheses would be.
func (l *Lake) Number(sql string) int64 {
	l.t.Helper()
	n, _ := l.Rows("SELECT CAST((" + sql + ") AS BIGINT) AS n")[0].Number("n")
	return n
}
