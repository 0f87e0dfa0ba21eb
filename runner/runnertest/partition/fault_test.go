package partition_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
)

// Kills and other writers around the one commit of a replaced day.
func TestFaults(t *testing.T) {
	t.Parallel()
	d := newDays(t)
	d.land("b1", one, "A,1", "B,1")
	// An error after the statement was sent: the history shows that it was done.
	r := d.replace("b1", one, after("publish", func() error { return errors.New("the connection is gone") }))
	published(t, r, 2, 0)
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "the WRITE reported an error") || !strings.Contains(notes, "carries this run") {
		t.Errorf("notes %q", r.Notes)
	}
	t.Run("a kill between commit and record", func(t *testing.T) { d.killed(t) })
	t.Run("another writer between check and commit", func(t *testing.T) { d.late(t) })
}

// killed: the day is published, nothing recorded it; the same command records it
// and replaces the day by itself.
func (d *days) killed(t *testing.T) {
	d.land("b2", one, "A,2", "B,2", "C,2")
	lost := func(o *runner.Options) { o.NewRunID = func() string { return "lost" } }
	func() {
		defer func() { _ = recover() }()
		d.replace("b2", one, lost, after("publish", func() error { panic("killed after the commit") }))
	}()
	d.holds("01 A 2", "01 B 2", "01 C 2")
	r := d.replace("b2", one)
	published(t, r, 3, 3)
	if len(r.Recovered) != 1 || r.Recovered[0] != "lost" {
		t.Errorf("recovered %v", r.Recovered)
	}
	row := d.Rows("SELECT input_rows, accepted_rows, partition, CAST(published AS STRING) AS published, CAST(target_counts AS STRING) AS counts FROM ~ops.audit_log WHERE run_id = 'lost'")
	if len(row) != 1 || row[0]["accepted_rows"] != int64(3) || row[0].Text("published") != "true" || row[0].Text("partition") != "day="+one {
		t.Fatalf("the recovered row is %v", row)
	}
	if counts := row[0].Text("counts"); !strings.Contains(counts, "inserted -> 3") || !strings.Contains(counts, "deleted -> 2") {
		t.Errorf("the recovered row counts %s", counts)
	}
}

// insert is another writer's commit to another day.
func (d *days) insert(id string) error {
	other := d.Open(plan.SessionSettings(true))
	return other.Exec(d.t.Context(), d.Names("INSERT INTO ~silver.days VALUES (DATE '"+two+"', '"+id+"', 7, TIMESTAMP '2026-03-02 09:00:00Z')"))
}

// late: nobody looks any more before the commit. The run says that a person must
// look, and the same command puts it right.
func (d *days) late(t *testing.T) {
	d.land("b3", one, "A,4", "B,4", "Y,4")
	r := d.replace("b3", one, after("publish_history", func() error { return d.insert("Y") }))
	if r.Result != runner.Unknown || r.Commit == nil || !strings.Contains(strings.Join(r.Failures, "\n"), "run the same command again") {
		t.Errorf("%s, commit %v: %v", r.Result, r.Commit, r.Failures)
	}
	d.holds("01 A 4", "01 B 4", "01 Y 4", "02 Y 7")
	again := d.replace("b3", one)
	published(t, again, 2, 3)
	if again.Reasons["ambiguous_duplicate"] != 1 {
		t.Errorf("reasons %v", again.Reasons)
	}
	d.holds("01 A 4", "01 B 4", "02 Y 7")
}
