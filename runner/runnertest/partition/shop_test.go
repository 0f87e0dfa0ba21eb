// Package partition_test replaces partitions of Delta tables, each in one commit.
package partition_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// days is a lake with a small table of which a run replaces one day.
type days struct {
	*runnertest.Lake
	t        *testing.T
	contract *contracts.Contract
	plan     *plan.Plan
}

func newDays(t *testing.T) *days {
	lake := runnertest.Spark(t)
	c, p := lake.Plan("testdata/days.odcs.yaml")
	return &days{lake, t, c, p}
}

// land lands rows of a day, "id,amount" each, as a batch.
func (d *days) land(batch, day string, rows ...string) {
	d.t.Helper()
	lines := []string{"day,id,amount"}
	for _, r := range rows {
		lines = append(lines, day+","+r)
	}
	path := filepath.Join(d.t.TempDir(), batch+".csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		d.t.Fatal(err)
	}
	d.Land(d.contract, batch, path)
}

// replace runs a batch over a day; further options are those of more.
func (d *days) replace(batch, day string, more ...func(*runner.Options)) runner.Report {
	d.t.Helper()
	o := runner.Options{Batch: batch, Partition: map[string]string{"day": day}}
	for _, change := range more {
		change(&o)
	}
	return d.Run(d.plan, o)
}

func allow(code string) func(*runner.Options) {
	return func(o *runner.Options) { o.Allow = []string{code} }
}

// after runs do once, behind the statement of that name.
func after(name string, do func() error) func(*runner.Options) {
	done := false
	return func(o *runner.Options) {
		o.AfterStatement = func(s plan.Statement) error {
			if s.Name != name || done {
				return nil
			}
			done = true
			return do()
		}
	}
}

// holds compares the published rows, "day id amount" each, in their order.
func (d *days) holds(want ...string) {
	d.t.Helper()
	got := d.Rows("SELECT concat_ws(', ', sort_array(collect_list(concat(substr(day, 9), ' ', id, ' ', amount)))) AS rows FROM ~silver.days")[0].Text("rows")
	if got != strings.Join(want, ", ") {
		d.t.Errorf("published are %q, want %q", got, strings.Join(want, ", "))
	}
}

func (d *days) count(sql string) int64 {
	d.t.Helper()
	n, err := d.Rows("SELECT CAST((" + sql + ") AS BIGINT) AS n")[0].Number("n")
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

// published checks what a run replaced by what.
func published(t *testing.T, r runner.Report, inserted, deleted int64) {
	t.Helper()
	if r.Result != runner.Published || r.Target.Inserted != inserted || r.Target.Deleted != deleted || r.Commit == nil {
		t.Errorf("%s, %+v, commit %v, %v; want %d rows in place of %d", r.Result, r.Target, r.Commit, r.Failures, inserted, deleted)
	}
}

// refused checks the code of a refusal, and that it is the only one.
func refused(t *testing.T, r runner.Report, code string) {
	t.Helper()
	if r.Result != runner.Refused || len(r.Failures) != 1 || !strings.HasPrefix(r.Failures[0], code+":") || r.Commit != nil {
		t.Errorf("%s: %v; want refused with %s alone", r.Result, r.Failures, code)
	}
}

// warned checks that a check which was let pass is recorded as such.
func (d *days) warned(r runner.Report, code string) {
	d.t.Helper()
	found := ""
	for _, c := range r.Checks {
		if c.Code == code {
			found = c.Result
		}
	}
	if found != "warned" {
		d.t.Errorf("%s is %q in the report, want warned", code, found)
	}
	logged := d.Rows("SELECT element_at(filter(checks, c -> c.code = '" + code + "'), 1).result AS result FROM ~ops.audit_log WHERE run_id = '" + r.Run + "'")
	if len(logged) != 1 || logged[0].Text("result") != "warned" {
		d.t.Errorf("the audit log has %v of %s, want warned", logged, code)
	}
}
