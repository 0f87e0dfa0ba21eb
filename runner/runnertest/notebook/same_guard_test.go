package notebook_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// Versions, differences of tables and texts of partitions mean the same to both.
func TestSameGuards(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(8, 8))}
	var all []question
	for range 500 {
		contract, table := d.pick("1.2.3", "2.0.0", "1.0.0"), d.pick("", "1.2.3", "1.2", "1.10.0", "2.0.0", "0.9.1", "x", "1.2.3.4", "1", "1.-2.0", "01.2.3")
		all = append(all, question{map[string]any{"ask": "stand", "contract": contract, "table": table}, plan.Stand(contract, table)})
		all = append(all, d.drift())
		kind, value := d.pick("DATE", "INT", "BIGINT", "STRING", "BOOLEAN"), d.pick("2026-02-28", "2026-02-30", "0001-01-01", "2026-2-1", "0", "-7", "007", "99999999999", "true", "True", "a'b", "", "x\u200by", strings.Repeat("ü", 257), "２０２６-01-01", "1\n")
		p := plan.Plan{Partition: []plan.PartitionColumn{{Name: "p", Type: kind, Param: "partition_p"}}}
		var want any
		if _, text, err := p.BindPartition(map[string]string{"p": value}); err == nil {
			want = text
		}
		all = append(all, question{map[string]any{"ask": "partition", "type": kind, "value": value}, want})
	}
	ask(t, [][]string{}, all)
}

func (d dice) drift() question {
	column := func(name string) plan.Column {
		return plan.Column{Name: name, Type: d.pick("STRING", "DECIMAL(18,2)", "STRUCT<a: INT>"), Nullable: d.IntN(2) == 0}
	}
	want := plan.Table{Role: plan.TargetTable, NoCheck: d.IntN(4) == 0, Columns: []plan.Column{column("a"), column("b c"), column("D")}}
	live := plan.State{Exists: true, Columns: []plan.Column{}, Properties: map[string]string{}}
	for _, name := range []string{"A", "b c", "d", "e"} {
		if d.IntN(5) > 0 {
			live.Columns = append(live.Columns, column(name))
		}
	}
	var checks []plan.Constraint
	wanted := map[string]string{}
	for _, name := range []string{"k1", "K2"} {
		c := plan.Constraint{Name: name, Expression: d.pick("`a` >= -5", "a IN ('x  y', 'z')", "(`b c`) IS NOT FALSE")}
		if d.IntN(2) == 0 {
			checks, wanted[name] = append(checks, c), c.Expression
		}
		if d.IntN(3) > 0 {
			live.Properties["delta.constraints."+strings.ToLower(name)] = d.pick(c.Expression, "`a` >= - 5", "a IN ( 'x  y' , 'z' )", "a IN ('x y', 'z')")
		}
	}
	if d.IntN(3) == 0 {
		live.Properties["delta.constraints.required"] = d.pick("`a` IS NOT NULL", "a  IS NOT NULL", "`b c` IS NOT NULL")
	}
	texts := []string{}
	for _, one := range plan.Compare(want, checks, live) {
		texts = append(texts, strings.TrimPrefix(one.Text("T"), "table T"))
	}
	slices.Sort(texts)
	table := map[string]any{"role": "target", "noCheck": want.NoCheck, "columns": want.Columns}
	return question{map[string]any{"ask": "drift", "want": table, "checks": wanted, "properties": live.Properties, "live": live.Columns}, texts}
}

// A publish whose outcome the error leaves open is never recorded as one that is not there.
func TestSameDoubts(t *testing.T) {
	captured, connect, client := []string{"CapturedException", "PySparkException"}, []string{"SparkConnectGrpcException", "SparkConnectException", "PySparkException"}, []string{"RetriesExceeded", "PySparkException"}
	var all []question
	for _, one := range []struct {
		kinds []string
		text  string
		want  bool
	}{
		{captured, "[DELTA_CONCURRENT_APPEND] ConcurrentAppendException: Files were added", false},
		{captured, "no class", false},
		{captured, "[OPERATION_CANCELED] Operation has been canceled. SQLSTATE: HY008", true},
		{captured, "[DELTA_POST_COMMIT_HOOK_FAILED] Committing to the Delta table version 5 succeeded but error", true},
		{[]string{"Py4JJavaError", "Py4JError"}, "An error occurred while calling o45.sql.\n: org.apache.spark.SparkException: [SPARK_JOB_CANCELLED] Job 7 cancelled", true},
		{[]string{"Py4JJavaError", "Py4JError"}, "An error occurred while calling o45.sql.\n: org.apache.iceberg.exceptions.CommitStateUnknownException: Cannot determine", true},
		{[]string{"Py4JJavaError", "Py4JError"}, "An error occurred while calling o45.sql.\n: java.lang.IllegalArgumentException: Cannot fast-forward", false},
		{[]string{"Py4JNetworkError", "Py4JError"}, "Answer from Java side is empty", true},
		{connect, "(org.apache.spark.SparkException) [DELTA_CONCURRENT_WRITE] another writer", false},
		{connect, "[INVALID_HANDLE.OPERATION_NOT_FOUND] The handle is invalid", true},
		{connect, "<_InactiveRpcError of RPC that terminated with: status = StatusCode.UNAVAILABLE, details = [A] >", true},
		{client, "[RETRIES_EXCEEDED] The maximum number of retries has been exceeded.", true},
		{[]string{"PySparkRuntimeError", "PySparkException"}, "[RESPONSE_ALREADY_RECEIVED] OPERATION_NOT_FOUND on the server", true},
		{[]string{"KeyboardInterrupt"}, "", true},
	} {
		all = append(all, question{map[string]any{"ask": "unknown", "kinds": one.kinds, "text": one.text}, one.want})
	}
	ask(t, [][]string{}, all)
}

// Markers are filled alike, in every statement of the examples and with hostile values.
func TestSameStatements(t *testing.T) {
	var all []question
	for _, path := range []string{"sales/orders", "retail/pos_line", "aviation/flights"} {
		p := planOf(t, root+"/contracts/"+path+".odcs.yaml")
		values, asked := hostile(p)
		for _, s := range p.Steps {
			for _, st := range s.Statements {
				want, _, err := p.Bind(st.SQL, values)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, question{map[string]any{"ask": "bind", "sql": st.SQL, "values": asked}, want})
			}
		}
	}
	p := &plan.Plan{Params: []plan.Param{{Name: "a", Type: plan.TextParam}}}
	for _, text := range []string{"", "it's", `back\slash`, "a\nb\tc\rd", "${x}", "\u200bzero", "\u00a0nbsp", "😀", "a\u0000b", `"q"`, "--", "/*", "é"} {
		const sql = "SELECT ':a', \":a\", `:a`, -- :a\n/* :a */ r'\\', a::int, :a"
		want, _, err := p.Bind(sql, plan.Values{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(want, sparksql.String(text)) {
			t.Fatalf("%q is not in %s", text, want)
		}
		all = append(all, question{map[string]any{"ask": "bind", "sql": sql, "values": map[string]any{"a": text}}, want})
	}
	ask(t, [][]string{}, all)
}

// hostile are values of every type of marker, as run and as a notebook hold them.
func hostile(p *plan.Plan) (plan.Values, map[string]any) {
	values, asked := plan.Values{}, map[string]any{}
	for i, param := range p.Params {
		switch param.Type {
		case plan.TextParam:
			values[param.Name], asked[param.Name] = "it's \\ \n${x}", "it's \\ \n${x}"
		case plan.IntegerParam:
			values[param.Name], asked[param.Name] = int64(i), i
		case plan.BooleanParam:
			values[param.Name], asked[param.Name] = i%2 == 0, i%2 == 0
		case plan.JSONParam:
			values[param.Name], asked[param.Name] = nil, nil
		case plan.NameParam:
			values[param.Name], asked[param.Name] = "sluice/b`1/r", map[string]string{"name": "sluice/b`1/r"}
		case plan.TextsParam:
			values[param.Name], asked[param.Name] = []string{}, []string{}
		case plan.ColumnsParam:
		}
	}
	return values, asked
}
