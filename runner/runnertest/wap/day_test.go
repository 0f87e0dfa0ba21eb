package wap_test

import (
	"testing"
)

// A day is published, replaced by itself, and the next one stands beside it.
func TestDays(t *testing.T) {
	s := newTill(t, 50)
	for _, n := range []int{0, 1} {
		s.deliver(n, "b"+day(n))
		if r := s.publish(n, "b"+day(n)); r.Target.Inserted != 210 || r.Target.Deleted != 0 || r.Commit == nil || r.Commit.Previous == 0 {
			t.Fatalf("day %d: %+v, %+v", n, r.Target, r.Commit)
		}
	}
	if r := s.publish(1, "b"+day(1)); r.Target.Inserted != 210 || r.Target.Deleted != 210 {
		t.Fatalf("the day again: %+v", r.Target)
	}
	if n := s.count("SELECT count(*) AS n FROM ~gold.fct_pos_line"); n != 420 {
		t.Errorf("%d rows are published, want 420", n)
	}
}
