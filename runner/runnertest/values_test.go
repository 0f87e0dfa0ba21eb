package runnertest_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// Every value of testdata/values gets the verdict that its file states, by the
// plan's own stage statement, with ANSI on and off. All tables are columns of
// one contract and all values rows of one batch, so it costs few statements.
func TestValues(t *testing.T) {
	t.Parallel()
	tables := valueTables(t)
	path := valueContract(t, tables)
	lake := runnertest.Spark(t)
	_, p := lake.Plan(path)
	lake.Do("CREATE SCHEMA ~bronze")
	if err := lake.Exec(t.Context(), bronzeOfValues(lake.Names("~bronze.cases"), tables)); err != nil {
		t.Fatal(err)
	}
	for _, ansi := range []bool{true, false} {
		t.Run(fmt.Sprintf("ansi=%t", ansi), func(t *testing.T) {
			session := lake.Open(plan.SessionSettings(ansi))
			r, err := runner.Stage(t.Context(), session, p, runner.Options{Batch: "values"})
			if err != nil {
				t.Fatal(err)
			}
			got := stagedValues(lake, tables, r.Run)
			for _, table := range tables {
				t.Run(table.column, func(t *testing.T) { judgeValues(t, table, got) })
			}
		})
	}
}

// verdict is what staging holds of a case.
type verdict struct {
	codes string
	clean *string
}

// stagedValues reads staging by a session with ANSI on, whatever wrote it: a
// small DECIMAL is written 1E-10 without.
func stagedValues(lake *runnertest.Lake, tables []*valueTable, run string) map[string]verdict {
	var clean strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&clean, " WHEN %s THEN %s", sparksql.String(table.column), table.shown())
	}
	rows := lake.Rows("SELECT case_id, array_join(_reject_reasons, ' ') AS codes, CASE substring_index(case_id, '/', 1)" +
		clean.String() + " END AS clean FROM ~staging.cases WHERE _run_id = " + sparksql.String(run))
	out := map[string]verdict{}
	for _, r := range rows {
		v := verdict{codes: r.Text("codes")}
		if text, ok := r["clean"].(string); ok {
			v.clean = &text
		}
		out[r.Text("case_id")] = v
	}
	return out
}

func judgeValues(t *testing.T, table *valueTable, got map[string]verdict) {
	for i, v := range table.Values {
		row, staged := got[table.id(i)]
		switch want := strings.Join(v.Codes, " "); {
		case !staged:
			t.Errorf("value %d, %s: the row is not in staging", i+1, show(v.text()))
		case row.codes != want:
			t.Errorf("value %d, %s: codes [%s] (typed %s), want [%s] %s", i+1, show(v.text()), row.codes, show(row.clean), want, v.Why)
		case want == "" && show(row.clean) != show(v.want()):
			t.Errorf("value %d, %s: typed %s, want %s %s", i+1, show(v.text()), show(row.clean), show(v.want()), v.Why)
		case slices.Contains(v.Codes, "bad_"+table.column) && row.clean != nil:
			t.Errorf("value %d, %s: unparseable, and yet typed %s", i+1, show(v.text()), show(row.clean))
		}
	}
}

// show is a text for a message, shortened, with everything invisible escaped.
func show(text *string) string {
	if text == nil {
		return "NULL"
	}
	if len(*text) > 80 {
		return fmt.Sprintf("%+q… (%d bytes, hash %x)", (*text)[:40], len(*text), hash(*text))
	}
	return fmt.Sprintf("%+q", *text)
}

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}
