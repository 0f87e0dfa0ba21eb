package wap_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/runner"
)

// Faults around the branch, one after another on one table. Each ends as a
// published day with exactly its rows, or as a refused one that main does not show.
func TestFaults(t *testing.T) {
	s := newTill(t, 40)
	other := s.again()
	t.Run("a table that was made without the property", s.withoutProperty)
	faults := []struct {
		name, after string
		do          func(n int)
		attempts    int
	}{
		{"main moves before the branch is made", "settle_scope", func(n int) { other.stray(day(100 + n)) }, 2},
		{"main moves while the branch is audited", "prove_rows", func(n int) { other.stray(day(100 + n)) }, 2},
		{"main moves before fast_forward", "publish_pin", func(n int) { other.stray(day(100 + n)) }, 2},
		{"a foreign commit on the branch between audit and check", "rule_invalid_line", func(n int) { other.foreign(day(n)) }, 2},
		{"a foreign commit on the branch between check and fast_forward", "publish_refs", func(n int) { other.foreign(day(n)) }, 1},
		{"the branch is dropped before it is proven", "branch_insert", func(int) { other.Do("ALTER TABLE ~gold.fct_pos_line DROP BRANCH audit") }, 2},
		{"the branch is dropped while it is audited", "prove_rows", func(int) { other.Do("ALTER TABLE ~gold.fct_pos_line DROP BRANCH audit") }, 2},
	}
	if testing.Short() {
		faults = faults[1:3]
	}
	for n, fault := range faults {
		n := n + 1
		t.Run(fault.name, func(t *testing.T) {
			s.deliver(n, "b"+day(n))
			o := s.options(n, "b"+day(n))
			o.AfterStatement = after(fault.after, func() { fault.do(n) })
			r := s.Run(s.plan, o)
			if r.Result != runner.Published || r.Attempt != fault.attempts {
				t.Fatalf("%s after %d attempts, want %d: %v; %v", r.Result, r.Attempt, fault.attempts, r.Failures, r.Notes)
			}
			s.hasDay(t, n)
			if tags := s.count("SELECT count(*) AS n FROM ~gold.fct_pos_line.refs WHERE type = 'TAG'"); tags != 0 {
				t.Errorf("%d tags are left", tags)
			}
		})
	}
	t.Run("a branch that is gone before the run", func(t *testing.T) {
		s.Do("ALTER TABLE ~gold.fct_pos_line DROP BRANCH audit")
		s.publish(1, "b"+day(1))
		s.hasDay(t, 1)
	})
	t.Run("a foreign commit on the branch before the write", s.sharedBranch)
	t.Run("a write that fails", s.failedWrite)
	t.Run("keys of another day", s.otherDay)
}

// stray is another writer's row on main, in a day of its own.
func (s *till) stray(of string) {
	s.Do("INSERT INTO ~gold.fct_pos_line VALUES (DATE '" + of + "', DATE '" + of + "', 'stray-" + of + "', 1, 'S1', 1, 1.00, 'AUD', TIMESTAMP '2026-01-01 00:00:00')")
}

// foreign is another client's row on the branch, in the day that a run writes.
func (s *till) foreign(of string) {
	s.Do("INSERT INTO ~gold.fct_pos_line.branch_audit VALUES (DATE '" + of + "', DATE '" + of + "', 'foreign-" + of + "', 1, 'S1', 1, 1.00, 'AUD', TIMESTAMP '2026-01-01 00:00:00')")
}

func (s *till) hasDay(t *testing.T, n int) {
	t.Helper()
	if rows := s.count("SELECT count(*) AS n FROM ~gold.fct_pos_line WHERE upload_date = DATE '" + day(n) + "'"); rows != s.rows() {
		t.Errorf("day %d has %d rows, want %d", n, rows, s.rows())
	}
}

func (s *till) withoutProperty(t *testing.T) {
	s.Do("CREATE TABLE ~gold.fct_pos_line (upload_date DATE NOT NULL, business_date DATE NOT NULL, basket_id STRING NOT NULL, line_no INT NOT NULL, store_id STRING NOT NULL, quantity INT NOT NULL, amount DECIMAL(18,2) NOT NULL, currency STRING NOT NULL, _loaded_at TIMESTAMP NOT NULL) USING ICEBERG PARTITIONED BY (upload_date)")
	s.deliver(0, "b"+day(0))
	r := s.publish(0, "b"+day(0))
	if !strings.Contains(strings.Join(r.Notes, "\n"), "write.wap.enabled") {
		t.Errorf("notes %v", r.Notes)
	}
	s.hasDay(t, 0)
}

// sharedBranch: where snapshots carry stamps, a head of ours on somebody else's
// snapshot starts a new attempt; where they do not, it could be a foreign head.
func (s *till) sharedBranch(t *testing.T) {
	const n = 20
	s.deliver(n, "b20")
	other := s.again()
	o := s.options(n, "b20")
	o.AfterStatement = after("branch", func() { other.foreign(day(n)) })
	r := s.Run(s.plan, o)
	want, attempt := runner.Published, 2
	if strings.HasPrefix(s.Version(), "3.") {
		want, attempt = runner.Refused, 1
	}
	if r.Result != want || r.Attempt != attempt {
		t.Errorf("%s after %d attempts: %v", r.Result, r.Attempt, r.Failures)
	}
	if want == runner.Published {
		s.hasDay(t, n)
	}
}

// failedWrite: whatever ends the write, the session is off the branch again.
func (s *till) failedWrite(t *testing.T) {
	before := s.heads()["main"]
	for _, name := range []string{"branch_delete", "branch_insert"} {
		o := s.options(1, "b"+day(1))
		o.AfterStatement = func(st plan.Statement) error {
			if st.Name == name {
				return errors.New("the write failed")
			}
			return nil
		}
		if r := s.Run(s.plan, o); r.Result != runner.Failed {
			t.Errorf("%s: %s", name, r.Result)
		}
		if got := s.Rows("SET spark.wap.branch")[0].Text("value"); got != "<undefined>" {
			t.Errorf("%s: the session is on branch %s", name, got)
		}
		s.hasDay(t, 1)
	}
	if now := s.heads()["main"]; now != before {
		t.Errorf("main moved from %d to %d", before, now)
	}
}

// otherDay: a day that brings keys of another one, and what becomes of them when
// that one loses them.
func (s *till) otherDay(t *testing.T) {
	const n = 30
	s.deliver(n, "b30")
	s.publish(n, "b30")
	s.deliver(n+1, "b31")
	s.borrowed(n+1, "0000003", "amount")
	s.borrowed(n+1, "0000004", "'9.99'")
	r := s.publishDirty(t, n+1, "b31")
	if r.Reasons["already_published"] != 1 || r.Reasons["ambiguous_duplicate"] != 1 || len(r.Repairs) != 0 {
		t.Errorf("%v, repairs %v", r.Reasons, r.Repairs)
	}
	s.deliverPart(n, "b30-corrected", 3, 3)
	s.Do("DELETE FROM ~silver.pos_basket WHERE basket_id = 'B" + day(n) + "-0000003'")
	r = s.publish(n, "b30-corrected")
	if len(r.Repairs) != 1 || r.Repairs[0].Batch != "b31" || r.Repairs[0].Rows != 1 || !strings.Contains(r.Repairs[0].Command, "--batch b31 --partition upload_date="+day(n+1)) {
		t.Fatalf("repairs %+v", r.Repairs)
	}
	if r = s.publishDirty(t, n+1, "b31"); r.Reasons["already_published"] != 0 || r.Target.Inserted != s.rows()+1 {
		t.Errorf("%v, %+v", r.Reasons, r.Target)
	}
	if r = s.publish(n, "b30-corrected"); len(r.Repairs) != 0 {
		t.Errorf("repairs %+v", r.Repairs)
	}
}

// borrowed puts the first line of a basket of the day before into a day's batch.
func (s *till) borrowed(n int, basket, amount string) {
	s.Do("INSERT INTO ~bronze.pos_line SELECT '" + day(n) + "', business_date, basket_id, line_no, store_id, quantity, " + amount +
		", currency, _source_file, _loaded_at, 'b31' FROM ~bronze.pos_line WHERE _batch_id = 'b30' AND line_no = '1' AND basket_id LIKE '%-" + basket + "'")
}

// publishDirty publishes a day of which more is rejected than the ceiling allows.
func (s *till) publishDirty(t *testing.T, n int, batch string) runner.Report {
	t.Helper()
	ceiling := s.plan.Step("judge").Checks
	for i := range ceiling {
		if ceiling[i].Kind == plan.CheckCeiling {
			defer func(was []string) { ceiling[i].Bounds = was }(ceiling[i].Bounds)
			ceiling[i].Bounds = []string{"5"}
		}
	}
	return s.publish(n, batch)
}
