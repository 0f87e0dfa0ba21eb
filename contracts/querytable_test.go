package contracts

import (
	"strings"
	"testing"

	"sluice/gen/sparksql"
)

// Qualified names are found where Spark expects a relation, and nowhere else.
func TestTablesOfQueries(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT count(*) FROM {object} o LEFT ANTI JOIN silver.customers c ON o.customer_id = c.customer_id": "silver.customers",
		"SELECT 1 FROM a.b, c.d AS x, {object}":                                                                      "a.b c.d",
		"SELECT 1 FROM `lake`.`silver`.`my orders` WHERE x.y = 1":                                                    "lake.silver.my orders",
		"WITH c AS (SELECT * FROM s.t) SELECT count(*) FROM c JOIN {object} USING (id)":                              "s.t",
		"SELECT extract(day FROM o.day), trim(BOTH ' ' FROM o.name), substring(o.x FROM 2) FROM {object} o":          "",
		"SELECT count(*) FROM {object} o WHERE o.id IN (SELECT k.id FROM ref.keys k) AND EXISTS (SELECT 1 FROM s.t)": "ref.keys s.t",
		"SELECT 'FROM x.y', \"JOIN x.y\" FROM {object} -- FROM x.y\n":                                                "",
		"SELECT 1 FROM (a.b JOIN c.d ON b.x = d.x), LATERAL explode(o.list)":                                         "a.b c.d",
		"SELECT 1 FROM range(3), s.t GROUP BY a.b, c.d":                                                              "s.t",
		"SELECT (SELECT max(x.y) FROM s.t x), f(o.a, o.b) FROM (SELECT * FROM q.r) o, s.t":                           "s.t q.r",
		"SELECT 1 FROM VALUES (1), (2) AS v(a)":                                                                      "",
	} {
		var got []string
		for _, name := range (&Rule{Query: query}).Tables() {
			got = append(got, name.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\nreads %v, want %s", query, got, want)
		}
	}
}

// Moving a table changes its name and nothing else.
func TestMovedTables(t *testing.T) {
	move := func(n sparksql.Name) sparksql.Name { return append(sparksql.Name{"x_" + n[0]}, n[1:]...) }
	const query = "SELECT 's.t', s.c -- FROM s.t\nFROM {object} s /* s.t */ JOIN s.t  ON s.id=t.id JOIN `s`.t u"
	const want = "SELECT 's.t', s.c -- FROM s.t\nFROM {object} s /* s.t */ JOIN x_s.t  ON s.id=t.id JOIN `x_s`.t u"
	if got := moveTables(query, move); got != want {
		t.Errorf("got %s", got)
	}
}
