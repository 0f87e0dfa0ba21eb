package runner_test

import (
	"fmt"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
)

var (
	ceilingBy = plan.Check{Kind: plan.CheckCeiling, Bounds: []string{"5"}, Severity: "error", By: []string{"origin"}}
	volumeBy  = plan.Check{Kind: plan.CheckVolume, Bounds: []string{"0.5", "2"}, Severity: "error", By: []string{"origin"}, Window: 14, AtLeast: 10}
)

// origins are facts with these segments and these usual rows.
func origins(usual map[string]float64, segments ...runner.Segment) runner.Facts {
	f := runner.Facts{Segments: map[string]runner.Grouping{"origin": {Count: int64(len(segments)), Segments: segments}}}
	for _, s := range segments {
		f.Input, f.Judged, f.Dirt = f.Input+s.Rows, f.Judged+s.Judged, f.Dirt+s.Dirt
	}
	if usual != nil {
		f.Usual = map[runner.Window]runner.Usual{{By: "origin", Batches: 14}: {Batches: 3, Rows: usual}}
	}
	return f
}

func rowsOf(name string, rows int64) runner.Segment {
	return runner.Segment{Name: "origin=" + name, Rows: rows, Judged: rows}
}

func dirty(name string, judged, dirt int64) runner.Segment {
	return runner.Segment{Name: "origin=" + name, Rows: judged, Judged: judged, Dirt: dirt}
}

func TestJudgeSegments(t *testing.T) {
	usual := map[string]float64{"origin=LGA": 270, "origin=EWR": 300, "origin=TEB": 9}
	var many []runner.Segment
	for i := range 8 {
		many = append(many, dirty(fmt.Sprintf("A%d", i), 100, int64(10+i)))
	}
	crowd := origins(usual, rowsOf("LGA", 270))
	crowd.Segments["origin"] = runner.Grouping{Count: plan.MostSegments + 1, Segments: crowd.Segments["origin"].Segments}
	firstCrowd := crowd
	firstCrowd.Usual = nil
	for name, c := range map[string]struct {
		check  plan.Check
		facts  runner.Facts
		result string
		value  string
	}{
		"one over the ceiling, the total under it": {ceilingBy, origins(nil, dirty("LGA", 25, 3), dirty("EWR", 975, 0)), "failed", "origin=LGA: 12.00 % (3 of 25)"},
		"at the ceiling":                       {ceilingBy, origins(nil, dirty("LGA", 100, 5)), "passed", "1 segment, the worst origin=LGA: 5.00 % (5 of 100)"},
		"nothing to judge in a segment":        {ceilingBy, origins(nil, runner.Segment{Name: "origin=LGA", Rows: 7}), "passed", "1 segment"},
		"no row at all":                        {ceilingBy, origins(nil), "passed", "0 segments"},
		"all of a segment":                     {ceilingBy, origins(nil, dirty("LGA", 2, 2), dirty("EWR", 998, 0)), "failed", "origin=LGA: 100.00 % (2 of 2)"},
		"few rows without a value":             {ceilingBy, origins(nil, dirty("NULL", 2, 2), dirty("EWR", 998, 0)), "passed", "2 segments, the worst origin=NULL: 0.20 % of the batch (2 of 1000)"},
		"many rows without a value":            {ceilingBy, origins(nil, dirty("NULL", 300, 300), dirty("EWR", 700, 0)), "failed", "origin=NULL: 30.00 % of the batch (300 of 1000)"},
		"a NULL that may be accepted":          {ceilingBy, origins(nil, dirty("NULL", 10, 2), dirty("EWR", 990, 0)), "failed", "origin=NULL: 20.00 % (2 of 10)"},
		"the text NULL is a value":             {ceilingBy, origins(nil, dirty("%4EULL", 2, 2), dirty("EWR", 998, 0)), "failed", "origin=%4EULL: 100.00 % (2 of 2)"},
		"the worst five are named":             {ceilingBy, origins(nil, many...), "failed", "origin=A7: 17.00 % (17 of 100); origin=A6: 16.00 % (16 of 100); origin=A5: 15.00 % (15 of 100); origin=A4: 14.00 % (14 of 100); origin=A3: 13.00 % (13 of 100); and 3 more"},
		"as usual":                             {volumeBy, origins(usual, rowsOf("LGA", 135), rowsOf("EWR", 600)), "passed", "2 segments, 2 judged"},
		"a missing segment":                    {volumeBy, origins(usual, rowsOf("EWR", 300)), "failed", "origin=LGA: 0 rows, usual 270"},
		"too few and too many":                 {volumeBy, origins(usual, rowsOf("LGA", 134), rowsOf("EWR", 601)), "failed", "origin=EWR: 601 rows, usual 300; origin=LGA: 134 rows, usual 270"},
		"a small one is noise":                 {volumeBy, origins(usual, rowsOf("LGA", 270), rowsOf("EWR", 300), rowsOf("TEB", 90)), "passed", "3 segments, 2 judged"},
		"a new one passes":                     {volumeBy, origins(usual, rowsOf("LGA", 270), rowsOf("EWR", 300), rowsOf("SWF", 90)), "passed", "3 segments, 2 judged"},
		"fewer without a value are no fault":   {volumeBy, origins(map[string]float64{"origin=NULL": 50}, rowsOf("LGA", 1)), "passed", "1 segment, 1 judged"},
		"more without a value are":             {volumeBy, origins(map[string]float64{"origin=NULL": 50}, rowsOf("NULL", 101)), "failed", "origin=NULL: 101 rows, usual 50"},
		"no batch counted segments":            {volumeBy, origins(nil, rowsOf("LGA", 270)), "skipped", "270"},
		"too many segments for a ceiling":      {ceilingBy, crowd, "failed", "origin has 10001 segments, too many to judge"},
		"too many segments for a volume":       {volumeBy, crowd, "failed", "origin has 10001 segments, too many to judge"},
		"too many segments in the first batch": {volumeBy, firstCrowd, "failed", "origin has 10001 segments, too many to judge"},
	} {
		if got := runner.Judge(c.check, c.facts); got.Result != c.result || got.Value != c.value {
			t.Errorf("%s: %s, %q against %q; want %s, %q", name, got.Result, got.Value, got.Bound, c.result, c.value)
		}
	}
}

// Rows without a value are summed over the other columns, among which they would
// be thin everywhere.
func TestRowsWithoutAValueAreSummed(t *testing.T) {
	check := ceilingBy
	check.By = []string{"origin", "carrier"}
	f := runner.Facts{Judged: 1000}
	g := runner.Grouping{Count: 31}
	for i := range 30 {
		g.Segments = append(g.Segments, dirty(fmt.Sprintf("NULL,carrier=C%d", i), 10, 10))
	}
	g.Segments = append(g.Segments, dirty("LGA,carrier=UA", 700, 0))
	f.Segments = map[string]runner.Grouping{"origin,carrier": g}
	if got := runner.Judge(check, f); got.Result != "failed" || got.Value != "30 segments without a value: 30.00 % of the batch (300 of 1000)" {
		t.Errorf("%s: %s", got.Result, got.Value)
	}
}

func TestALongSegmentIsCut(t *testing.T) {
	got := runner.Judge(ceilingBy, origins(nil, dirty(strings.Repeat("ö", 5000), 10, 10)))
	if n := len([]rune(got.Value)); n > 200 || !strings.Contains(got.Value, "ö…: 100.00 % (10 of 10)") {
		t.Errorf("%d characters: %s", n, got.Value)
	}
}

// A run asks for the baseline of segments only when the log has a column for
// them, names new segments, and records what it counted.
func TestRunBySegment(t *testing.T) {
	p := small()
	p.Groupings = [][]string{{"origin"}}
	check := volumeBy
	check.Code, check.Rule = "volume_out_of_range", "by_origin"
	p.Step("judge").Checks = append(p.Step("judge").Checks, check)
	p.Steps = append(p.Steps,
		plan.Step{Name: "guard_segments", Kind: plan.Guard, SkipIfZero: "segments_logged", Statements: []plan.Statement{{Name: "guard_segments", Use: plan.Query, SQL: "guard_segments"}}},
		plan.Step{Name: "judge_segments", Kind: plan.Judge, Statements: []plan.Statement{{Name: "segments", Use: plan.Query, SQL: "segments"}}})
	p.Params = []plan.Param{{Name: "segments", Type: plan.JSONParam}}
	p.Step("record").Statements[0].SQL = "record :segments"
	p.Tables[1].Columns = []plan.Column{{Name: "segments", Type: "MAP<STRING,BIGINT>", Nullable: true}}

	s := newServer()
	s.Tables = []runner.Column{{Name: "target"}, {Name: "audit_log", Fields: []runner.Column{{Name: "segments", Type: "MAP<STRING,BIGINT>"}}}}
	s.answers["guard_segments"] = rows(runner.Row{"segment_by": "origin", "window": int64(14), "segment": "origin=LGA", "baseline_batches": int64(3), "median_rows": 4.0})
	s.answers["segments"] = rows(
		runner.Row{"grouping": int64(0), "by_origin": "SWF, NY", "rows": int64(10), "judged_rows": int64(10), "dirt_rows": int64(0), "segments": int64(2)},
		runner.Row{"grouping": int64(0), "by_origin": nil, "rows": int64(1), "judged_rows": int64(1), "dirt_rows": int64(0), "segments": int64(2)})
	r, err := runner.Run(t.Context(), s, p, options())
	if err != nil || r.Result != runner.Published || !strings.Contains(strings.Join(r.Notes, "\n"), "no usual number of rows yet for origin=SWF%2C NY (10 rows)") {
		t.Errorf("%v: %s, %v, notes %v", err, r.Result, r.Failures, r.Notes)
	}
	if want := `record '{"origin=NULL":1,"origin=SWF%2C NY":10}'`; !s.Called(want) {
		t.Errorf("calls %q, want %s", s.Calls(), want)
	}

	s.Tables[1].Fields = nil
	if _, err := runner.Run(t.Context(), s, p, options()); err != nil || strings.Count(strings.Join(s.Calls(), "\n"), "guard_segments") != 1 {
		t.Errorf("%v: the baseline was asked of a log without the column: %v", err, s.Calls())
	}
}
