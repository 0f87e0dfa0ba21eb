package gen

import (
	"fmt"

	"sluice/contracts"
	"sluice/gen/plan"
)

// scripted fills in what a printed script has in place of the markers of a run that
// goes as planned: its first attempt, on a table that no migration is at work on.
// What only a run can know (the hash of its batch, the version of its commit) is
// recorded as unknown.
func scripted(t *contracts.Table, params []plan.Param) {
	staged := fmt.Sprintf("FROM %s WHERE `_run_id` = :run_id", t.Staging.SQL())
	held := fmt.Sprintf("FROM %s WHERE `_batch_id` = :batch_id", t.Quarantine.SQL())
	expressions := map[string]string{
		"added_columns": "''", "batch_hash": "NULL", "batch_columns": "''", "partition": "NULL",
		"started_at": "current_timestamp()", "attempt": "1",
		"input_rows":    "(SELECT count(*) " + staged + ")",
		"accepted_rows": "(SELECT count(*) " + staged + ") - (SELECT count(*) " + held + ")",
		"rejected_rows": "(SELECT count(*) " + held + ")",
		"refused_rows":  "0", "commit_version": "NULL", "snapshot_id": "NULL",
		"reasons": "(SELECT to_json(map_from_entries(collect_list(struct(`reason`, `rows`)))) FROM (SELECT `_reject_reason` AS `reason`, count(*) AS `rows` " + held + " GROUP BY `_reject_reason`))",
		"filled":  "'{}'", "segments": "'{}'", "target_counts": "'{}'", "step_seconds": "'{}'", "checks": "'[]'", "failures": "'[]'",
		"passed": "true", "published": "true", "recovered": "false",
	}
	if len(t.Key) > 0 {
		first := ident(t.Key[0])
		expressions["key_low"] = fmt.Sprintf("(SELECT CAST(min(%s) AS STRING) %s)", first, staged)
		expressions["key_high"] = fmt.Sprintf("(SELECT CAST(max(%s) AS STRING) %s)", first, staged)
	}
	if t.Publish.Mode == contracts.WAP { // main's head says it; the version of a Delta commit can be read by no query
		expressions["snapshot_id"] = fmt.Sprintf("(SELECT `snapshot_id` FROM %s.`refs` WHERE `name` = 'main')", t.Target.SQL())
	}
	for i := range params {
		params[i].Script = plan.Expression(expressions[params[i].Name])
	}
}

// script is what a printed script has in place of a statement, "" for the same. A
// branch begins at main's head as it is, and main moves to the branch: which
// snapshot these are no script can know, and what pins one is left out.
func (v *view) script(statement string) (string, error) {
	switch statement {
	case "publish_pin":
		return plan.LeftOut, nil
	case "branch", "fast_forward":
		data := *v
		data.Scripted = true
		return data.render(statement)
	default:
		return "", nil
	}
}
