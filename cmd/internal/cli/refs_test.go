package cli

import (
	"strings"
	"testing"

	"sluice/runner"
)

const lines = "../../../contracts/retail/pos_line.odcs.yaml"

func TestRefs(t *testing.T) {
	answer := func(sql string) ([]runner.Row, error) {
		switch {
		case strings.Contains(sql, "SHOW TBLPROPERTIES"):
			return []runner.Row{{"key": "contract.commit", "value": "snapshot=8 contract=1.2.0 id=c batch=b8 run=r8"}}, nil
		case !strings.Contains(sql, ".`refs` AS r"):
			return nil, nil
		}
		row := func(name, kind string, id int64, rows any) runner.Row {
			return runner.Row{"name": name, "type": kind, "snapshot_id": id, "committed_at": int64(1767225600_000000), "operation": "append", "records": rows, "on_main": id < 9}
		}
		return []runner.Row{row("main", "BRANCH", 8, int64(420)), row("audit", "BRANCH", 9, nil), row("sluice/b7/r7", "TAG", 7, int64(210))}, nil
	}
	const text = `name          type    snapshot  committed at         rows       contract  batch  says
main          branch  8         2026-01-01 00:00:00  420        1.2.0     b8     property  what readers see
audit         branch  9         2026-01-01 00:00:00  not known                             not published: refused, stopped or going on; the next run replaces it; no stamp, audit row or property names its run
sluice/b7/r7  tag     7         2026-01-01 00:00:00  210                  b7     tag       of a run that was killed: published, not recorded; run batch b7 again, which records it
`
	b := newBench()
	b.session.Answer = answer
	if code := b.main("refs", lines); code != 0 || b.out.String() != text {
		t.Errorf("exit code %d:\n%s%s", code, &b.out, &b.err)
	}
	b = newBench()
	b.session.Answer = answer
	if code := b.main("refs", lines, "--json"); code != 0 || !strings.Contains(b.out.String(), `"snapshot": "8"`) || !strings.Contains(b.out.String(), `"source": "tag"`) {
		t.Errorf("exit code %d:\n%s%s", code, &b.out, &b.err)
	}
	b = newBench()
	if code := b.main("refs", orders); code != 2 || !strings.Contains(b.err.String(), "only Iceberg tables have branches and tags, and this one is delta; sluice history shows its commits") {
		t.Errorf("a Delta table: exit code %d: %s", code, &b.err)
	}
}

func TestHistoryOfSnapshots(t *testing.T) {
	b := newBench()
	b.session.Answer = func(sql string) ([]runner.Row, error) {
		switch {
		case strings.Contains(sql, ".`snapshots` AS s"):
			return []runner.Row{
				{"snapshot_id": int64(31), "parent_id": int64(30), "committed_at": int64(1767225600_000000), "operation": "overwrite", "changes_rows": true, "is_main": true},
				{"snapshot_id": int64(30), "parent_id": int64(29), "committed_at": int64(1767222000_000000), "operation": "append", "changes_rows": true},
			}, nil
		case strings.Contains(sql, "`snapshot_id` AS STRING) IN ('31', '30')"):
			return []runner.Row{{
				"batch_id": "b1", "run_id": "r1", "contract_version": "1.3.0", "ended_at": int64(1767222001_000000), "input_rows": int64(10), "accepted_rows": int64(9),
				"rejected_rows": int64(1), "refused_rows": int64(0), "published": true, "snapshot_id": int64(30),
			}}, nil
		default:
			return nil, nil
		}
	}
	const text = `when                 batch  contract  rows  rejected  published  commit
2026-01-01 00:00:00                                              31 overwrite  stray
2025-12-31 23:00:01  b1     1.3.0     10    1         yes        30 append

marked
  stray  31 overwrite  no run of sluice wrote this

snapshots before 30 were expired or not read
`
	if code := b.main("history", lines); code != 0 || b.out.String() != text || !strings.Contains(b.err.String(), "1 commit that no run of sluice wrote") {
		t.Errorf("exit code %d:\n%s%s", code, &b.out, &b.err)
	}
	b.out.Reset()
	if code := b.main("reader", lines, "--major", "1", "--verbose"); code != 1 || !strings.Contains(b.out.String(), "30    1.3.0     b1     r1") {
		t.Errorf("the reader's view: exit code %d:\n%s%s", code, &b.out, &b.err)
	}
}
