package partition_test

import (
	"strings"
	"testing"

	"sluice/gen"
	"sluice/runner"
	"sluice/runner/runnertest"
)

const one, two = "2026-03-01", "2026-03-02"

// Days stand beside each other, and each run replaces one of them whole. One lake
// serves all: what a case leaves is what the next one finds.
func TestDays(t *testing.T) {
	runnertest.Once(t)
	t.Parallel()
	d := newDays(t)
	d.land("b1", one, "A,1", "B,1", "C,1")
	published(t, d.replace("b1", one), 3, 0)

	// A is there with the same content, B with other content; F ties with itself.
	d.land("b2", two, "A,1", "B,9", "D,1", "E,1", "F,1", "F,2")
	for _, deleted := range []int64{0, 2} { // and again: the same count
		r := d.replace("b2", two)
		published(t, r, 2, deleted)
		if r.Reasons["already_published"] != 1 || r.Reasons["ambiguous_duplicate"] != 3 {
			t.Errorf("reasons %v", r.Reasons)
		}
	}
	d.holds("01 A 1", "01 B 1", "01 C 1", "02 D 1", "02 E 1")
	if n := d.count("SELECT count(*) FROM ~quarantine.days"); n != 4 {
		t.Errorf("quarantine holds %d rows, want 4", n)
	}

	t.Run("rows of another day", func(t *testing.T) { refused(t, d.replace("b2", "2026-03-03"), "wrong_partition") })
	t.Run("nothing accepted", func(t *testing.T) {
		d.land("b3", two, "C,1")
		refused(t, d.replace("b3", two), "nothing_accepted")
		r := d.replace("b3", two, allow("nothing_accepted"))
		published(t, r, 0, 2)
		d.warned(r, "nothing_accepted")
		d.holds("01 A 1", "01 B 1", "01 C 1")
	})
	t.Run("rejects whose rival is gone", func(t *testing.T) { d.orphans(t) })
	t.Run("an older delivery", func(t *testing.T) { refused(t, d.replace("b1", one), "older_delivery") })
	d.stamped(t)
}

// orphans: when a day loses the keys for which another one's were rejected, the
// report says which batch publishes them.
func (d *days) orphans(t *testing.T) {
	d.land("b4", one, "C,1")
	refused(t, d.replace("b4", one), "partition_shrinks")
	rerun := func(o *runner.Options) {
		o.Rerun = func(batch, partition string) string { return "run " + batch + " over " + partition }
	}
	r := d.replace("b4", one, allow("partition_shrinks"), rerun)
	published(t, r, 1, 3)
	d.warned(r, "partition_shrinks")
	// b2 lost A and B; its two rows of F tie with each other. C, which b3 lost, is still there.
	if len(r.Repairs) != 1 || r.Repairs[0].Command != "run b2 over day="+two || r.Repairs[0].Rows != 2 || r.Warnings["orphaned_rejects"] != 2 {
		t.Errorf("repairs %+v, warnings %v; want b2 with 2 rows", r.Repairs, r.Warnings)
	}
	published(t, d.replace("b2", two), 4, 0)
	d.holds("01 C 1", "02 A 1", "02 B 9", "02 D 1", "02 E 1")
}

// stamped: each published day is one WRITE that names contract, batch and run, and
// no other commit carries the stamp; history takes none of them for a stray.
func (d *days) stamped(t *testing.T) {
	q, err := gen.History(d.contract, d.contract.Published()[0], 50)
	if err != nil {
		t.Fatal(err)
	}
	j, err := runner.ReadJournal(t.Context(), d.Session, q, runner.JournalOptions{Entries: 50, Quiet: true})
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, e := range j.Entries {
		stamp := e.Commit != nil && strings.HasPrefix(e.Commit.UserMetadata, "contract=1.0.0 id=partition-days batch="+e.Batch+" run=")
		switch {
		case e.Mark != "":
			t.Errorf("run %s of batch %s is marked %s: %s", e.Run, e.Batch, e.Mark, e.Why)
		case e.Published && (!stamp || e.Commit.Operation != "WRITE"):
			t.Errorf("run %s published by %+v", e.Run, e.Commit)
		case !e.Published && e.Commit != nil && e.Commit.UserMetadata != "":
			t.Errorf("%+v carries a stamp", e.Commit)
		case e.Published:
			runs++
		}
	}
	if runs != 6 {
		t.Errorf("history shows %d published runs, want 6", runs)
	}
}
