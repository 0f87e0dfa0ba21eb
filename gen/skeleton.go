package gen

import (
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

const (
	userMetadata = "spark.databricks.delta.commitInfo.userMetadata"
	// Where a cluster overwrites dynamically, an INSERT OVERWRITE of no row
	// leaves the partition as it was (measured, Delta 4.3.1): a batch that has no
	// reject any more would keep its old ones.
	overwriteMode = "spark.sql.sources.partitionOverwriteMode"
	// Iceberg copies it into the summary of each snapshot that a write makes, on
	// its runtimes for Spark 4 alone, and not where a DELETE only drops files
	// (apache/iceberg#14545, #15060).
	snapshotStamp = "spark.sql.iceberg.snapshot-property.userMetadata"
)

// Skeleton is the plan without its SQL: the order of steps, their settings,
// checks and conditions. It covers every publish mode.
func Skeleton(c *contracts.Contract, t *contracts.Table) []plan.Step {
	s := skeleton{contract: c, table: t, wap: t.Publish.Mode == contracts.WAP}
	s.guard()
	s.ensure()
	s.stage()
	s.settle()
	s.judge()
	if s.wap {
		s.branch()
	} else {
		s.publish()
	}
	s.record()
	return s.steps
}

type skeleton struct {
	contract *contracts.Contract
	table    *contracts.Table
	wap      bool
	steps    []plan.Step
}

// add appends a step; a statement name with a leading ! is run for its effect, @ is analysed.
func (s *skeleton) add(kind plan.Kind, name, why, skip string, statements ...string) *plan.Step {
	step := plan.Step{Name: name, Kind: kind, Why: why, SkipIfZero: skip, OnFailure: plan.FailRun, Statements: []plan.Statement{}}
	for _, st := range statements {
		use := plan.Query
		switch st[0] {
		case '!':
			use = plan.Exec
		case '@':
			use = plan.Describe
		}
		step.Statements = append(step.Statements, plan.Statement{Name: strings.TrimLeft(st, "!@"), Use: use})
	}
	s.steps = append(s.steps, step)
	return &s.steps[len(s.steps)-1]
}

func (s *skeleton) guard() {
	s.add(plan.Guard, "guard_columns", "the columns of every table that the run reads or writes", "", "@guard_columns")
	if s.wap {
		s.add(plan.Guard, "guard_published", "version and heads of the published table", "target_exists", "!guard_refresh", "guard_properties", "guard_refs")
	} else {
		s.add(plan.Guard, "guard_published", "version, constraints and newest commit of the published table", "target_exists", "guard_properties", "guard_history")
	}
	s.add(plan.Guard, "guard_log", "what earlier runs recorded: the baseline, and this batch", "audit_log_exists", "guard_log")
	if len(windows(s.table)) > 0 {
		s.add(plan.Guard, "guard_segments", "the usual rows of each segment", "segments_logged", "guard_segments")
	}
}

func (s *skeleton) ensure() {
	s.add(plan.Ensure, "ensure_schemas", "the schemas of our tables, on a first run", "missing_tables", s.schemaStatements()...)
	s.add(plan.Ensure, "ensure_target", "the published table, on a first run", "missing_target", "!ensure_target")
	if s.contract.Server.Format == contracts.Delta {
		for _, c := range constraints(s.table) {
			s.add(plan.Ensure, "ensure_constraint_"+c.Name, "a CHECK that no writer can go around", "missing_constraint_"+c.Name, "!ensure_constraint_"+c.Name)
		}
	}
	for _, t := range []struct{ alias, why string }{
		{"staging", "where rows wait for their verdict"},
		{"verdict", "verdicts that need other rows"},
		{"quarantine", "where rejects are kept with their reasons"},
		{"audit_log", "one row for each run"},
	} {
		s.add(plan.Ensure, "ensure_"+t.alias, t.why, "missing_"+t.alias, "!ensure_"+t.alias)
	}
	for _, alias := range []string{"staging", "quarantine", "audit_log"} {
		s.add(plan.Ensure, "ensure_"+alias+"_columns", "columns that the contract or this version added", "new_"+alias+"_columns", "!ensure_"+alias+"_columns")
	}
	if s.wap {
		s.add(plan.Ensure, "ensure_wap", "write.wap.enabled, on a table that was made without it", "wap_disabled", "!ensure_wap")
		s.add(plan.Ensure, "ensure_main", "an empty first snapshot of a table that has none", "main_absent", "!ensure_main", "!ensure_refresh", "ensure_refs")
	}
	s.add(plan.Ensure, "ensure_version", "contract.version, last: it says that the table is complete", "version_absent", "!ensure_version")
	if !s.wap {
		s.add(plan.Ensure, "ensure_history", "the newest commit after creation", "version_absent", "ensure_history")
	}
}

// writes is the number that decides if a run writes to the published table: a
// merge in which no row changes anything has nothing to do, a partition is
// always replaced.
func (s *skeleton) writes() string {
	if s.table.ReplacesPartition() {
		return ""
	}
	return "changing_rows"
}

func (s *skeleton) schemaStatements() []string {
	names, _ := schemaNames(s.table)
	for i := range names {
		names[i] = "!" + names[i]
	}
	return names
}

func (s *skeleton) stage() {
	s.add(plan.Stage, "stage", "every row of the batch, typed, with the codes of the rules that it breaks", "", "stage_input", "!stage")
	s.add(plan.Audit, "audit", "one pass over the staged rows: codes, values by column, fingerprint", "", "audit")
	s.add(plan.Audit, "audit_missing", "is a required column without any text?", "columns_without_value", "audit_missing")
}

func (s *skeleton) settle() {
	lookups := lookupNames(s.table)
	for _, r := range s.table.Relationships {
		if r.OnViolation == contracts.QuarantineRows {
			s.add(plan.Settle, "settle_"+lookups[r], "rows whose key the lookup does not have", "", "!settle_"+lookups[r])
		}
	}
	next := "two"
	if s.table.Dedup.HoldBackBroken {
		next = "three"
	}
	s.add(plan.Settle, "settle_scope", "what the next "+next+" statements have to look at", "", "settle_scope")
	s.add(plan.Settle, "settle_duplicates", "older versions and ties of one key within the batch", "repeated_keys", "!settle_duplicates")
	if s.table.Dedup.HoldBackBroken {
		s.add(plan.Settle, "settle_held_back", "versions whose newer one is rejected", "held_back_keys", "!settle_held_back")
	}
	if s.table.ReplacesPartition() {
		s.add(plan.Settle, "settle_published", "keys that another partition already published", "batch_keys", "!settle_published")
	} else {
		s.add(plan.Settle, "settle_published", "late, unchanged and conflicting rows against the published table", "reachable_keys", "!settle_published")
	}
	s.add(plan.Settle, "settle_counts", "the verdicts, counted where they are stored", "", "settle_counts")
	s.add(plan.Settle, "settle_warnings", "rejected versions beside what readers see", "dirty_rows", "settle_warnings")
	if len(s.table.Relationships) > 0 {
		s.add(plan.Settle, "settle_lookups", "accepted rows whose key a lookup does not have, or has twice", "", lookupStatements(s.table)...).Checks = lookupChecks(s.contract, s.table)
	}
}

func (s *skeleton) judge() {
	step := s.add(plan.Quarantine, "quarantine", "the batch's rejects replace the ones of its earlier runs", "quarantine_rows", "!quarantine")
	if s.contract.Server.Format == contracts.Delta {
		step.Settings = []plan.Setting{{Key: overwriteMode, Value: "static"}}
	}
	s.add(plan.Quarantine, "quarantine_counts", "quarantine holds exactly the rejected rows", "quarantine_rows", "quarantine_counts")
	if len(groupings(s.table)) > 0 {
		s.add(plan.Judge, "judge_segments", "rows and rejects of each segment", "", "segments")
	}
	var names []string
	if !s.wap {
		names = ruleStatements(s.contract, s.table, false)
	}
	s.add(plan.Judge, "judge", "the rules over the whole batch", "", names...).Checks = append(partitionChecks(s.contract, s.table), ruleChecks(s.contract, s.table, s.wap)...)
	s.add(plan.Quarantine, "quarantine_refused", "accepted rows of a refused batch are evidence too", "refused", "!quarantine_refused")
}

func (s *skeleton) publish() {
	s.add(plan.Publish, "publish_check", "has another writer changed the table since?", s.writes(), "publish_history")
	why := "the rows that change something, stamped with contract, batch and run"
	if s.table.ReplacesPartition() {
		why = "the partition, replaced in one commit that is stamped with contract, batch and run"
	}
	step := s.add(plan.Publish, "publish", why, s.writes(), "!publish")
	step.OnFailure = plan.FailPublish
	step.Settings = []plan.Setting{{Key: userMetadata, Value: stamp(s.contract)}}
	if s.table.ReplacesPartition() {
		step.Settings = append(step.Settings, plan.Setting{Key: overwriteMode, Value: "static"})
	}
}

// branch is write-audit-publish: nothing reaches main before it is proven.
func (s *skeleton) branch() {
	s.add(plan.Branch, "branch", "a fresh branch at main's head", s.writes(), "!branch")
	write := []string{"!branch_delete", "!branch_insert"}
	if !s.table.ReplacesPartition() {
		write = []string{"!branch_merge"}
	}
	step := s.add(plan.Write, "write", "the accepted rows, on the branch alone", s.writes(), write...)
	step.Settings = []plan.Setting{{Key: "spark.wap.branch", Value: s.table.Publish.Branch}, {Key: snapshotStamp, Value: stamp(s.contract)}}
	prove := []string{"!prove_refresh", "prove_chain", "prove_rows", "prove_keys"}
	if s.table.ReplacesPartition() {
		prove = append(prove, "prove_partitions")
	}
	prove = append(prove, ruleStatements(s.contract, s.table, false)...)
	s.add(plan.Prove, "prove", "the branch holds exactly this batch beside what main has", s.writes(), prove...).Checks = append(proofs(s.table), candidateChecks(s.table)...)
	s.add(plan.Publish, "publish_check", "is the branch still what was proven, and main where it was?", s.writes(), "!publish_refresh", "publish_refs")
	step = s.add(plan.Publish, "publish", "main moves to exactly the proven snapshot", s.writes(), "!publish_pin", "fast_forward")
	step.OnFailure = plan.FailPublish
}

func (s *skeleton) record() {
	proof := []string{"publish_proof"}
	if s.wap {
		proof = []string{"!proof_refresh", "publish_proof"}
	}
	s.add(plan.Record, "publish_proof", "the commit of this run, with its own row counts", s.writes(), proof...).OnFailure = plan.FailRecorded
	if !s.wap && !s.table.ReplacesPartition() {
		moved := []string{"!settle_moved"}
		if fills(s.table) {
			moved = []string{"!settle_moved_again", "!settle_moved"}
		}
		s.add(plan.Settle, "settle_moved", "rows that the MERGE did not change, when another writer came just before it", "moved", moved...).OnFailure = plan.FailRecorded
	}
	if checks := targetChecks(s.contract, s.table); len(checks) > 0 {
		s.add(plan.Judge, "judge_target", "rules over the published table, and how fresh it is; they report", "", ruleStatements(s.contract, s.table, true)...).Checks = checks
	}
	if s.table.ReplacesPartition() {
		s.add(plan.Judge, "orphans", "rows that other batches lost to a key that is no longer published", "orphans_possible", "orphans")
	}
	s.add(plan.Record, "record_version", "a newer contract raises contract.version", "version_raised", "!record_version").OnFailure = plan.FailRecorded
	if s.wap {
		s.add(plan.Record, "record_commit", "who wrote main's head, where snapshots carry no stamp", "unstamped", "!record_commit").OnFailure = plan.FailRecorded
	}
	s.add(plan.Record, "record", "one audit-log row", "", "!record").OnFailure = plan.FailRecorded
	if s.wap {
		s.add(plan.Record, "record_unpin", "the tag of this run has done its work", "pinned", "!record_unpin").OnFailure = plan.FailRecorded
	}
}

// stamp is the userMetadata of the publishing commit, contract first.
func stamp(c *contracts.Contract) string {
	return "contract=" + c.Version.String() + " id=" + oneLine(c.ID) + " batch=:batch_id run=:run_id"
}
