package cli

import (
	"strings"
	"testing"

	"sluice/runner"
)

func TestHistory(t *testing.T) {
	answer := func(sql string) ([]runner.Row, error) {
		if strings.Contains(sql, "DESCRIBE HISTORY") {
			return []runner.Row{
				{"version": int64(3), "operation": "UPDATE", "timestamp": int64(1767225600_000000)},
				{"version": int64(2), "operation": "MERGE", "timestamp": int64(1767222000_000000), "userMetadata": "contract=2.1.0 id=c batch=b1 run=r1"},
				{"version": int64(1), "operation": "SET TBLPROPERTIES", "timestamp": int64(1767222000_000000)},
			}, nil
		}
		return []runner.Row{{
			"batch_id": "b1", "run_id": "r1", "contract_version": "2.1.0", "ended_at": int64(1767222001_000000), "input_rows": int64(10), "accepted_rows": int64(9),
			"rejected_rows": int64(1), "refused_rows": int64(0), "published": true, "commit_version": int64(2),
		}, {
			"batch_id": "b0", "run_id": "r0", "contract_version": "2.1.0", "ended_at": int64(1767218400_000000), "input_rows": int64(10), "accepted_rows": int64(1),
			"rejected_rows": int64(9), "refused_rows": int64(0), "published": false, "failures": "reject_ceiling: 90 % of the rows",
		}}, nil
	}
	const text = `when                 batch  contract  rows  rejected  published  commit
2026-01-01 00:00:00                                              3 UPDATE  stray
2025-12-31 23:00:01  b1     2.1.0     10    1         yes        2 MERGE
2025-12-31 22:00:00  b0     2.1.0     10    9         no                   reject_ceiling

marked
  stray  3 UPDATE  no run of sluice wrote this
`
	b := newBench()
	b.session.Answer = answer
	if code := b.main("history", orders); code != 0 || b.out.String() != text || !strings.Contains(b.err.String(), "1 commit that no run of sluice wrote") {
		t.Errorf("exit code %d:\n%s%s", code, &b.out, &b.err)
	}
	b = newBench()
	b.session.Answer = answer
	if code := b.main("history", orders, "--json", "--limit", "1"); code != 0 || !strings.Contains(b.out.String(), `"mark": "stray"`) || strings.Contains(b.out.String(), "b1") {
		t.Errorf("exit code %d:\n%s%s", code, &b.out, &b.err)
	}
	for _, limit := range []string{"0", "251"} {
		b = newBench()
		if code := b.main("history", orders, "--limit", limit); code != 2 {
			t.Errorf("--limit %s: exit code %d", limit, code)
		}
	}
}
