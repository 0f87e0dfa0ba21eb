package contracts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpressionColumns(t *testing.T) {
	for expression, want := range map[string]string{
		"upper(trim(order_id))":         "order_id",
		"substr(trim(order_ts), 1, 10)": "order_ts",
		"a || A || `a`":                 "a",
		"`Order ``Id`":                  "Order `Id",
		"concat(first, ' ', last)":      "first last",
		"CASE WHEN x IS NOT NULL AND y IN ('a', 'b') THEN x ELSE z END": "x y z",
		"CAST(x AS DECIMAL(10, 2))":                                     "x",
		"CAST(x AS date)":                                               "x",
		"x::string":                                                     "x",
		"to_date(date, 'yyyy')":                                         "date",
		"lpad(day, 2, '0')":                                             "day",
		"DATE '2020-01-01'":                                             "",
		"x + INTERVAL 1 DAY":                                            "x",
		"x + INTERVAL '1' DAY":                                          "x",
		"x - INTERVAL -1 HOUR + hour":                                   "x hour",
		"EXTRACT(YEAR FROM ts)":                                         "ts",
		"trim(BOTH 'x' FROM name)":                                      "name",
		"trim(LEADING FROM name)":                                       "name",
		"substring(x FROM 1 FOR 2)":                                     "x",
		`regexp_replace(x, '\'', "y")`:                                  "x",
		"r'\\d' = x":                                                    "x",
		`replace(x, r'\', R"/")`:                                        "x",
		"1e5 + 2.5 * n":                                                 "n",
		"nullif(trim(größe), '')":                                       "größe",
		"unix_timestamp":                                                "unix_timestamp",
		"CASE WHEN x = 'a' THEN 'today' ELSE 'now' END":                 "x",
		"user":               "user",
		"coalesce (x, NULL)": "x",
		"x [1]":              "x",
	} {
		got, err := expressionColumns(expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
		} else if diff := cmp.Diff(strings.Fields(strings.ReplaceAll(want, "Order `Id", "Order\x01`Id")), spaced(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
}

// spaced keeps a name with a blank in it one word.
func spaced(names []string) []string {
	out := []string{}
	for _, n := range names {
		out = append(out, strings.ReplaceAll(n, " ", "\x01"))
	}
	return out
}

func TestExpressionsThatAreRefused(t *testing.T) {
	for _, expression := range []string{
		"concat(x, java_method('java.lang.System', 'lineSeparator'))", "concat(x, `Reflect` ('a', 'b'))", "x > identifier('rand')()",
		"x < TIMESTAMP 'now'", "x < date \" Today\"", "x = curdate()", "x = `rand`()", "x = uniform(1, 2)", "x = user()",
		"", " ", "trim(x", "trim x)", "(x]", "x -- y", "x /* y */", "x; y", "'x", `"x`, "`x", "``", `'x\'`, "r'x", `r'x\'y'`,
		"concat(x, '${Y}')", "(SELECT 1)", "sum(x) OVER ()", "rand() + x", "CURRENT_TIMESTAMP", "now()", "t.x", "x.y", ":x",
	} {
		if got, err := expressionColumns(expression); err == nil {
			t.Errorf("%q is accepted and reads %q", expression, got)
		}
	}
}

func TestQueries(t *testing.T) {
	for _, query := range []string{
		"SELECT COUNT(*) FROM {object}",
		"select 1 -- why\n from {table}",
		"SELECT /*+ BROADCAST(x) */ 1",
		"WITH a AS (SELECT 1) SELECT * FROM a",
		"SELECT ';', '--', DATE '${BATCH_DATE}' FROM ${PUBLISHED_TABLE:-a.b} JOIN ${table}",
		"SELECT update, delete, merge FROM {object}",
	} {
		if err := checkQuery(query, false); err != nil {
			t.Errorf("%q: %v", query, err)
		}
	}
	for _, query := range []string{
		"", "DROP TABLE x", "SELECT 1;", "SELECT 1; DROP TABLE x", "SELECT (1", "SELECT 'x", "SELECT 1 /* x", "SELECT 1 -- x",
		"WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a", "WITH a AS (SELECT 1) FROM a INSERT OVERWRITE b SELECT *",
		"WITH a AS (SELECT 1) MERGE INTO b USING a", "WITH a AS (SELECT 1) DELETE FROM b", "WITH a AS (SELECT 1) UPDATE b SET c = 1",
		"SELECT ${TOKEN}", "SELECT ${", "SELECT :x", "VALUES (1)", "-- only\n", "SET a = b",
	} {
		if checkQuery(query, false) == nil {
			t.Errorf("%q is accepted", query)
		}
	}
}

func TestRawName(t *testing.T) {
	for source, want := range map[string]string{"order_id": "raw_order_id", "Order Id": "raw_Order_Id", "a.b`(c)\n": "raw_a_b__c__", "größe's": "raw_größe's"} {
		if got := RawName(source); got != want {
			t.Errorf("RawName(%q) = %q, want %q", source, got, want)
		}
	}
}
