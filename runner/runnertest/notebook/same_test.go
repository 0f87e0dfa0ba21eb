package notebook_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"

	"github.com/google/go-cmp/cmp"
)

// question is put to the protocol of notebooks, whose answer must be that of run.
type question struct {
	asked map[string]any
	want  any
}

// ask compares the answers. It needs Python and no Spark.
func ask(t *testing.T, groupings [][]string, all []question) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	put := func(name string, value any) string {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var asked []map[string]any
	for _, q := range all {
		asked = append(asked, q.asked)
	}
	var modules []string
	for _, name := range []string{"session", "sql", "judge", "guard", "segments", "partition", "delta"} {
		modules = append(modules, root+"/templates/notebook/"+name+".py")
	}
	described := map[string]any{"groupings": groupings, "notDirt": notDirt, "table": "T", "partition": []any{}, "tables": []any{}, "constraints": map[string]string{}}
	answers := filepath.Join(dir, "answers.json")
	if out, err := exec.Command("python3", "testdata/compare.py", put("plan.json", described), strings.Join(modules, ","), put("questions.json", asked), answers).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	var got []json.RawMessage
	if err := json.Unmarshal(text, &got); err != nil || len(got) != len(all) {
		t.Fatalf("%d answers, %v", len(got), err)
	}
	for i, q := range all {
		var have, want any
		wanted, _ := json.Marshal(q.want) //nolint:errchkjson // made here
		_ = json.Unmarshal(wanted, &want)
		_ = json.Unmarshal(got[i], &have)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Fatalf("%v: the notebook (+) does not say what run says (-):\n%s", q.asked, diff)
		}
	}
}

var notDirt = []string{"duplicate_superseded", "late_superseded"}

type dice struct{ *rand.Rand }

func (d dice) pick(all ...string) string { return all[d.IntN(len(all))] }

// Both protocols judge alike: the same verdict, value and bound for the same facts.
func TestSameVerdicts(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(7, 7))}
	var all []question
	for range 4000 {
		all = append(all, d.verdict())
	}
	ask(t, [][]string{{"origin", "carrier"}}, all)
}

var operators = []string{
	"mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween", "mustNotBeBetween",
}

func (d dice) verdict() question {
	kinds := []string{
		plan.CheckRowCount, plan.CheckCeiling, plan.CheckVolume, plan.CheckValue, plan.CheckShare, plan.CheckAge, plan.CheckKey, plan.CheckLookup, plan.CheckLookupOnce,
		plan.CheckReason, plan.CheckFact,
	}
	c := plan.Check{Code: "audit_failed", Rule: d.pick("r", "value"), Kind: d.pick(kinds...), Statement: "s", Severity: d.pick("error", "warning"), Owner: d.pick("", "o"), Dimension: "d"}
	number := func() string { return d.pick("0", "1", "2.50", "1.005", "-3", "100", "99.999", "1e2", "7") }
	c.Op, c.Bounds = d.pick(operators...), []string{number()}
	if strings.HasSuffix(c.Op, "Between") || c.Kind == plan.CheckVolume {
		c.Bounds = []string{d.pick("0.5", "0"), d.pick("2", "1.5", "3.25")}
	}
	switch c.Kind {
	case plan.CheckReason:
		c.Op, c.Bounds = d.pick("bad", "other"), nil
	case plan.CheckAge:
		c.Op, c.Bounds = "mustBeLessOrEqualTo", []string{d.pick("60", "3600", "93600")}
	case plan.CheckShare, plan.CheckValue:
		c.Column = d.pick("", "c")
	}
	f := d.facts(&c)
	return question{asked: d.asked(c, f), want: runner.Judge(c, f)}
}

func (d dice) facts(c *plan.Check) runner.Facts {
	f := runner.Facts{
		Input: int64(d.IntN(200)), Batches: int64(d.IntN(3)), Median: []float64{0, 50, 33.5, 1234567, 0.25}[d.IntN(5)],
		Values: map[string]string{}, NoValue: map[string]bool{}, Unknown: map[string]runner.Lookup{}, Decided: map[string]runner.Fact{},
		Reasons: map[string]int64{"bad": int64(d.IntN(4)), "duplicate_superseded": int64(d.IntN(3))},
	}
	f.Dirt, f.Judged = f.Reasons["bad"], f.Input-f.Reasons["duplicate_superseded"]
	for _, key := range []string{"s", "s.c", "s.rows"} {
		if d.IntN(6) > 0 {
			f.Values[key] = d.pick("0", "1", "2.5", "3", "100", "86401", "text", "-5", "77", " 1", "1\n", "１", "+2", ".5", "5.", "1e2")
			f.NoValue[key] = d.IntN(8) == 0
		}
	}
	if d.IntN(3) > 0 {
		f.Unknown["s"] = runner.Lookup{Unknown: int64(d.IntN(3)), Ambiguous: int64(d.IntN(3)), UnknownExample: d.pick("", "C9", `a"b`), AmbiguousExample: d.pick("", "ü")}
	}
	f.Decided[d.pick("r", "s", "x")] = runner.Fact{Value: "v", Bound: "b", OK: d.IntN(2) == 0, Skipped: d.IntN(5) == 0, Allowed: d.IntN(3) == 0}
	if by := []string{"origin", "carrier"}; (c.Kind == plan.CheckCeiling || c.Kind == plan.CheckVolume) && d.IntN(2) == 0 {
		c.By, c.Window, c.AtLeast = by, 7, int64(d.IntN(2)*5)
		f.Segments, f.Usual = d.segments(by, f.Input)
	}
	return f
}

func (d dice) segments(by []string, input int64) (map[string]runner.Grouping, map[runner.Window]runner.Usual) {
	g, usual := runner.Grouping{}, runner.Usual{Batches: int64(d.IntN(3)), Rows: map[string]float64{}}
	for i := range d.IntN(9) {
		values := []*string{nil, nil}
		for j := range values {
			if d.IntN(4) > 0 {
				text := d.pick("LGA", "JFK", "a=b,c", "NULL", "%", "ü\n") + fmt.Sprint(i)
				values[j] = &text
			}
		}
		s := runner.Segment{Name: plan.Segment(by, values), Rows: int64(d.IntN(20))}
		s.Judged = min(s.Rows, int64(d.IntN(20)))
		s.Dirt = min(s.Judged, int64(d.IntN(20)))
		g.Segments = append(g.Segments, s)
		if usual.Batches > 0 && d.IntN(2) == 0 {
			usual.Rows[s.Name] = []float64{4, 10.5, 3}[d.IntN(3)]
		}
	}
	g.Count = int64(len(g.Segments))
	if d.IntN(10) == 0 {
		g.Count += 20_000
	}
	return map[string]runner.Grouping{plan.SegmentName(by): g}, map[runner.Window]runner.Usual{{By: plan.SegmentName(by), Batches: 7}: usual}
}

// asked is the same state as a notebook holds it.
func (d dice) asked(c plan.Check, f runner.Facts) map[string]any {
	values := [][]any{}
	for key, value := range f.Values {
		statement, column, _ := strings.Cut(key, ".")
		if f.NoValue[key] {
			values = append(values, []any{statement, column, nil})
		} else {
			values = append(values, []any{statement, column, value})
		}
	}
	lookups, decided, segments, usual := map[string]any{}, map[string]any{}, map[string]any{}, []any{}
	for name, l := range f.Unknown {
		lookups[name] = map[string]any{"unknown_rows": l.Unknown, "ambiguous_rows": l.Ambiguous, "unknown_example": l.UnknownExample, "ambiguous_example": l.AmbiguousExample}
	}
	for name, one := range f.Decided {
		var way any
		switch {
		case one.Skipped:
			way = "skipped"
		case one.Allowed:
			way = "warned"
		}
		decided[name] = []any{one.Value, one.Bound, one.OK, way}
	}
	for name, g := range f.Segments {
		var rows [][]any
		for _, s := range g.Segments {
			rows = append(rows, []any{s.Name, s.Rows, s.Judged, s.Dirt})
		}
		segments[name] = map[string]any{"count": g.Count, "segments": append([][]any{}, rows...)}
	}
	for at, u := range f.Usual {
		if u.Batches > 0 {
			usual = append(usual, map[string]any{"by": at.By, "window": at.Batches, "batches": u.Batches, "rows": u.Rows})
		}
	}
	text, _ := json.Marshal(c) //nolint:errchkjson // a check
	var check map[string]any
	_ = json.Unmarshal(text, &check)
	return map[string]any{
		"ask": "judge", "check": check, "input": f.Input, "reasons": f.Reasons, "batches": f.Batches, "median": f.Median, "values": values, "lookups": lookups, "decided": decided,
		"segments": segments, "usual": usual,
	}
}
