package runnertest_test

import (
	"maps"
	"os"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

const aviation = "../../contracts/aviation/"

// flights is a lake with both lookups published and the contract of flights.
func flights(t *testing.T) (*runnertest.Lake, *contracts.Contract, *plan.Plan) {
	lake := runnertest.Spark(t)
	for _, name := range []string{"airlines", "planes"} {
		c, p := lake.Plan(aviation + name + ".odcs.yaml")
		lake.Land(c, "2013", aviation+"data/"+name+".csv.gz")
		if r := lake.Run(p, runner.Options{Batch: "2013"}); r.Result != runner.Published {
			t.Fatalf("publishing %s: %s: %v", name, r.Result, r.Failures)
		}
	}
	c, p := lake.Plan(aviation + "flights.odcs.yaml")
	return lake, c, p
}

func day(lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan, date string) runner.Report {
	lake.Land(c, date, aviation+"data/flights_"+date+".csv.gz")
	return lake.Run(p, runner.Options{Batch: date})
}

// departures are real days: their accepted rows, and those without a tail number.
var departures = []struct {
	date               string
	accepted, rejected int64
}{{"2013-01-01", 842, 0}, {"2013-01-02", 941, 2}, {"2013-01-03", 912, 2}, {"2013-01-04", 913, 2}, {"2013-01-05", 719, 1}}

// Real departures: three days are published (SLUICE_LONG=1: five), another one has
// too many rows without a tail number, and a replay changes nothing.
func TestFlightsDays(t *testing.T) {
	t.Parallel()
	lake, c, p := flights(t)
	days := departures
	if os.Getenv("SLUICE_LONG") != "1" {
		days = days[:3]
	}
	var accepted, rejected int64
	for i, d := range days {
		lake.Land(c, d.date, aviation+"data/flights_"+d.date+".csv.gz")
		var r runner.Report
		if i == 1 {
			r = routine(t, lake, p, d.date)
		} else {
			r = lake.Run(p, runner.Options{Batch: d.date})
		}
		if r.Result != runner.Published || r.Reasons["missing_tailnum"] != d.rejected || r.Rows.Rejected != d.rejected || r.Rows.Accepted != d.accepted {
			t.Fatalf("%s: %s, rows %+v, reasons %v, failures %v; want %+v", d.date, r.Result, r.Rows, r.Reasons, r.Failures, d)
		}
		if i == 0 && r.Warnings["unknown_tailnum"] != 146 {
			t.Errorf("%s: warnings %v, want 146 rows of unknown planes", d.date, r.Warnings)
		}
		if r.Rows.Input != r.Rows.Accepted+r.Rows.Rejected {
			t.Errorf("%s: %+v does not add up", d.date, r.Rows)
		}
		accepted, rejected = accepted+d.accepted, rejected+d.rejected
	}
	refusedDay(t, lake, c, p, accepted, rejected+24)
	replayedDay(t, lake, p, rejected+24)
	stamped(t, lake, p)
}

func refusedDay(t *testing.T, lake *runnertest.Lake, c *contracts.Contract, p *plan.Plan, published, rejects int64) {
	r := day(lake, c, p, "2013-01-16")
	if r.Result != runner.Refused || len(r.Failures) != 1 || !strings.Contains(r.Failures[0], "reject_ceiling") || !strings.Contains(r.Failures[0], "24 of 901") {
		t.Errorf("day 16: %s, %v; want one reject_ceiling of 24 of 901", r.Result, r.Failures)
	}
	if n := lake.Number("SELECT count(*) FROM ~silver.flights"); n != published {
		t.Errorf("published rows after the refusal: %d, want %d", n, published)
	}
	if n := lake.Number("SELECT count(*) FROM ~quarantine.flights"); n != rejects {
		t.Errorf("quarantine: %d rows, want %d", n, rejects)
	}
}

func replayedDay(t *testing.T, lake *runnertest.Lake, p *plan.Plan, rejects int64) {
	version := versionOf(lake)
	logged := lake.Number("SELECT count(*) FROM ~ops.audit_log")
	r := lake.Run(p, runner.Options{Batch: "2013-01-03"})
	if r.Result != runner.Published || r.Target.Inserted+r.Target.Updated != 0 || r.Commit != nil {
		t.Errorf("replay of day 3: %s, %+v, commit %v; want nothing to do", r.Result, r.Target, r.Commit)
	}
	if n := versionOf(lake); n != version {
		t.Errorf("the replay committed version %d to the target", n)
	}
	if n := lake.Number("SELECT count(*) FROM ~quarantine.flights"); n != rejects {
		t.Errorf("quarantine after the replay: %d rows, want %d", n, rejects)
	}
	if n := lake.Number("SELECT count(*) FROM ~ops.audit_log"); n != logged+1 {
		t.Errorf("audit log after the replay: %d rows, want %d", n, logged+1)
	}
}

// versionOf is the newest version of the target.
func versionOf(lake *runnertest.Lake) int64 {
	n, _ := lake.Rows("DESCRIBE HISTORY ~silver.flights LIMIT 1")[0].Number("version")
	return n
}

// stamped: userMetadata on the MERGE commits and on no other, contract.version set once.
func stamped(t *testing.T, lake *runnertest.Lake, p *plan.Plan) {
	sets := 0
	for _, r := range lake.Rows("DESCRIBE HISTORY ~silver.flights LIMIT 100") {
		merge, text := r.Text("operation") == "MERGE", r.Text("userMetadata")
		if merge != strings.HasPrefix(text, "contract="+p.Version+" id="+p.Contract+" batch=2013-01-0") {
			t.Errorf("version %v: %s carries userMetadata %q", r["version"], r.Text("operation"), text)
		}
		if r.Text("operation") == "SET TBLPROPERTIES" {
			sets++
		}
	}
	if sets != 1 {
		t.Errorf("contract.version was set %d times, want once", sets)
	}
	for _, r := range lake.Rows("SHOW TBLPROPERTIES ~silver.flights") {
		if r.Text("key") == "contract.version" && r.Text("value") != p.Version {
			t.Errorf("contract.version is %q, want %q", r.Text("value"), p.Version)
		}
	}
}

// routine is a run of a day that is like every other: one commit a table at
// most, and no more statements than promised, two for each lookup among them and
// two for the rules by segment.
func routine(t *testing.T, lake *runnertest.Lake, p *plan.Plan, date string) runner.Report {
	tables := []string{"silver.flights", "staging.flights", "staging.flights_verdict", "quarantine.flights", "ops.audit_log"}
	before := versions(lake, tables)
	sent := lake.SQL.Load()
	r := lake.Run(p, runner.Options{Batch: date})
	if sent = lake.SQL.Load() - sent; sent > 20+2*2+2 {
		t.Errorf("%d statements were sent, at most 26 are promised", sent)
	}
	commits := map[string]int64{}
	for name, version := range versions(lake, tables) {
		commits[name] = version - before[name]
	}
	want := map[string]int64{"silver.flights": 1, "staging.flights": 1, "staging.flights_verdict": 0, "quarantine.flights": 1, "ops.audit_log": 1}
	if !maps.Equal(commits, want) {
		t.Errorf("commits %v, want %v", commits, want)
	}
	return r
}

func versions(lake *runnertest.Lake, tables []string) map[string]int64 {
	out := map[string]int64{}
	for _, name := range tables {
		out[name], _ = lake.Rows("DESCRIBE HISTORY ~" + name + " LIMIT 1")[0].Number("version")
	}
	return out
}
