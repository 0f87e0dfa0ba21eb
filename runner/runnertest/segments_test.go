package runnertest_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// lines are the lines of one real day of flights, its header first.
func lines(t *testing.T, date string) []string {
	t.Helper()
	file, err := os.Open(aviation + "data/flights_" + date + ".csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// demanding marks what runs only with SLUICE_LONG=1: `go test` ends a package after
// ten minutes, and one Spark serves them all.
func demanding(t *testing.T) {
	t.Helper()
	if os.Getenv("SLUICE_LONG") != "1" {
		t.Skip("runs with SLUICE_LONG=1")
	}
}

// recorded are the segments that the audit log holds of a published batch.
func recorded(lake *runnertest.Lake, batch string) map[string]int64 {
	out := map[string]int64{}
	for _, r := range lake.Rows("SELECT segment, rows FROM ~ops.audit_log LATERAL VIEW explode(segments) AS segment, rows WHERE published AND batch_id = '" + batch + "'") {
		out[r.Text("segment")], _ = r.Number("rows")
	}
	return out
}

func checkOf(r runner.Report, rule string) runner.CheckResult {
	for _, c := range r.Checks {
		if c.Rule == rule {
			return c
		}
	}
	return runner.CheckResult{}
}

// Real days: three are published, then one whose LGA did not arrive, and one whose
// rejects are within the ceiling of the whole batch and above that of JFK.
func TestSegmentsOfFlights(t *testing.T) {
	t.Parallel()
	lake := runnertest.Spark(t)
	c, p := lake.Plan("testdata/segments/flights.odcs.yaml")
	olderLog(lake, p)
	for i := 1; i <= 3; i++ {
		date := fmt.Sprintf("2013-01-0%d", i)
		r := day(lake, c, p, date)
		if r.Result != runner.Published || checkOf(r, "rejects_by_origin").Result != "passed" {
			t.Fatalf("%s: %s, %v, checks %+v", date, r.Result, r.Failures, r.Checks)
		}
		want := "passed"
		if i == 1 {
			want = "skipped"
		}
		if got := checkOf(r, "volume_by_origin"); got.Result != want {
			t.Errorf("%s: volume by origin %+v, want %s", date, got, want)
		}
	}
	byOrigin := recorded(lake, "2013-01-03")
	maps.DeleteFunc(byOrigin, func(name string, _ int64) bool { return strings.Contains(name, "carrier") })
	if want := map[string]int64{"origin=EWR": 336, "origin=JFK": 318, "origin=LGA": 260}; !maps.Equal(byOrigin, want) {
		t.Errorf("recorded segments %v, want %v", byOrigin, want)
	}
	t.Run("an origin did not arrive", func(t *testing.T) {
		without := slices.DeleteFunc(lines(t, "2013-01-04"), func(line string) bool { return strings.Split(line, ",")[12] == "LGA" })
		lake.LandLines(c, "2013-01-04", without...)
		r := lake.Run(p, runner.Options{Batch: "2013-01-04"})
		refused(t, r, "volume_out_of_range: rule volume_by_origin: origin=LGA: 0 rows, usual 260,")
		if len(r.Failures) != 1 {
			t.Errorf("failures %v, want one", r.Failures)
		}
		if got := checkOf(r, "volume_by_carrier"); got.Result != "warned" || !strings.Contains(got.Value, "origin=LGA,carrier=DL: 0 rows, usual ") {
			t.Errorf("volume by origin and carrier: %+v", got)
		}
	})
	t.Run("an origin has too many rejects", func(t *testing.T) {
		r := day(lake, c, p, "2013-01-16")
		refused(t, r, "reject_ceiling: rule rejects_by_origin: origin=JFK: 6.32 % (18 of 285), allowed is at most 5 % of each segment")
		if got := checkOf(r, "rejects"); len(r.Failures) != 1 || got.Value != "2.66 % (24 of 901)" {
			t.Errorf("failures %v, whole batch %+v; want one, and the whole under its ceiling", r.Failures, got)
		}
	})
	t.Run("a few rows without an origin", func(t *testing.T) { noOrigin(t, lake, c, p) })
	t.Run("a replay and a recovered publish", func(t *testing.T) { recoveredSegments(t, lake, c, p) })
}

// olderLog makes the audit log as a version did that knew no segments.
func olderLog(lake *runnertest.Lake, p *plan.Plan) {
	lake.Do("CREATE SCHEMA ~ops")
	lake.Do(regexp.MustCompile("`segments` [^\n]*\n").ReplaceAllString(p.Step("ensure_audit_log").Statements[0].SQL, ""))
}

// noOrigin: rows that no origin can be blamed for are a share of the whole batch,
// and a typing mistake opens no segment of its own.
func noOrigin(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan) {
	demanding(t)
	changed := lines(t, "2013-01-05")
	for i, origin := range []string{"NA", "NA", "LGa"} {
		fields := strings.Split(changed[i+1], ",")
		fields[12] = origin
		changed[i+1] = strings.Join(fields, ",")
	}
	changed[4] += ",one field more"
	lake.LandLines(c, "2013-01-05", changed...)
	r := lake.Run(p, runner.Options{Batch: "2013-01-05"})
	if got := checkOf(r, "rejects_by_origin"); r.Result != runner.Published || got.Result != "passed" || !strings.Contains(got.Value, "origin=NULL: 0.56 % of the batch (4 of 720)") {
		t.Errorf("%s, %v: %+v", r.Result, r.Failures, got)
	}
	if got := recorded(lake, "2013-01-05"); got["origin=NULL"] != 4 || got["origin=LGa"] != 0 {
		t.Errorf("recorded segments %v, want 4 rows of origin=NULL and none of LGa", got)
	}
}

// recoveredSegments: the row of a publish that was killed before it was recorded
// has its segments too, or the next baseline would lack a batch.
func recoveredSegments(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan) {
	demanding(t)
	lake.Land(c, "2013-01-04", aviation+"data/flights_2013-01-04.csv.gz")
	func() {
		defer func() { _ = recover() }()
		lake.Run(p, runner.Options{Batch: "2013-01-04", NewRunID: func() string { return "lost" }, AfterStatement: func(s plan.Statement) error {
			if s.Name == "publish" {
				panic("killed after the MERGE")
			}
			return nil
		}})
	}()
	r := lake.Run(p, runner.Options{Batch: "2013-01-04"})
	if r.Result != runner.Published || len(r.Recovered) != 1 || checkOf(r, "volume_by_origin").Result != "passed" {
		t.Errorf("%s, recovered %v, %v", r.Result, r.Recovered, r.Failures)
	}
	for _, row := range lake.Rows("SELECT CAST(recovered AS STRING) AS recovered, segments['origin=LGA'] AS lga FROM ~ops.audit_log WHERE published AND batch_id = '2013-01-04'") {
		if row["lga"] != int64(258) {
			t.Errorf("recovered %s: %v rows of LGA, want 258", row.Text("recovered"), row["lga"])
		}
	}
}

// Values that look like something else are segments of their own, also on the
// way through the audit log and back, and with ANSI off.
func TestSegmentsOfAnyText(t *testing.T) {
	t.Parallel()
	lake := runnertest.Spark(t, plan.Setting{Key: "spark.sql.ansi.enabled", Value: "false"})
	c, p := lake.Plan("testdata/segments/regions.odcs.yaml")
	odd := []string{"NULL", "", "a=b", `"a,size=1"`, "50%", "%4EULL", "it's", `back\slash`, "\U0001FAE0", "größe", "a\u2028b", `"{""x"":1}"`}
	rows := []string{"id,region,size,changed_at"}
	for i, region := range odd {
		rows = append(rows, fmt.Sprintf("R%d,%s,%d,2026-03-01 09:00:00", i, region, i%2))
	}
	lake.LandLines(c, "b1", rows...)
	if r := lake.Run(p, runner.Options{Batch: "b1"}); r.Result != runner.Published || checkOf(r, "rejects_by_region").Value != "12 segments" {
		t.Fatalf("%s, %v, %+v", r.Result, r.Failures, r.Checks)
	}
	got := recorded(lake, "b1")
	for _, name := range []string{
		"region=%4EULL", "region=NULL", "region=a%3Db", "region=a%2Csize%3D1", "region=50%25", "region=%254EULL", "region=it's", `region=back\slash`,
		"region=größe", "region=a%E2%80%A8b", `region={"x":1}`,
	} {
		if got[name] != 1 {
			t.Errorf("segment %s has %d rows, want 1: %q", name, got[name], slices.Sorted(maps.Keys(got)))
		}
	}
	lake.LandLines(c, "b2", strings.Join(rows, "\n"))
	if r := lake.Run(p, runner.Options{Batch: "b2"}); r.Result != runner.Published || checkOf(r, "volume_by_region").Value != "12 segments, 12 judged" {
		t.Errorf("%s, %v, %+v", r.Result, r.Failures, checkOf(r, "volume_by_region"))
	}
	t.Run("too many segments", func(t *testing.T) { manySegments(t, lake, c, p) })
}

// manySegments: as many as can be judged are, and are recorded; one more is
// refused by the number.
func manySegments(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan) {
	demanding(t)
	rows := []string{"id,region,size,changed_at"}
	for i := range plan.MostSegments {
		rows = append(rows, fmt.Sprintf("M%d,Region number %d,1,2026-03-02 09:00:00", i, i))
	}
	lake.LandLines(c, "most", rows...)
	if r := lake.Run(p, runner.Options{Batch: "most"}); r.Result != runner.Published || checkOf(r, "rejects_by_region").Value != "10000 segments" {
		t.Errorf("%s, %v, %+v", r.Result, r.Failures, r.Checks)
	}
	if n := len(recorded(lake, "most")); n != plan.MostSegments {
		t.Errorf("%d segments are recorded, want %d", n, plan.MostSegments)
	}
	rows = append(rows, "M,One region more,1,2026-03-02 09:00:00")
	lake.LandLines(c, "more", rows...)
	r := lake.Run(p, runner.Options{Batch: "more"})
	refused(t, r, "reject_ceiling: rule rejects_by_region: region, size has 10001 segments, too many to judge, allowed is at most 10000 segments")
	refused(t, r, "volume_out_of_range: rule volume_by_region: region has 10001 segments")
}
