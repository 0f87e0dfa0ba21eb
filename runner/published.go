package runner

import (
	"fmt"
	"strings"

	"sluice/gen/plan"
)

// freshTarget sets the numbers of a target that does not exist yet: ensure
// creates it with its constraints and, last, its version.
func (a *attempt) freshTarget() {
	a.base = -1
	a.numbers["version_absent"] = 1
	if a.plan.Branch != "" {
		a.numbers["main_absent"] = 1
	}
	for _, c := range a.plan.Constraints {
		a.numbers["missing_constraint_"+c.Name] = 1
	}
}

// readPublished judges version, columns and constraints of the target and notes
// its newest commit, the base of every verdict of this attempt.
func (a *attempt) readPublished(out results) error {
	a.target.Properties = propertiesOf(out["guard_properties"])
	a.compareTarget(plan.Stand(a.plan.Version, a.target.Properties[plan.VersionProperty]))
	a.addedColumns(a.target.Properties)
	if a.plan.Branch != "" {
		if a.target.Properties["write.wap.enabled"] != "true" {
			a.numbers["wap_disabled"] = 1
			a.note("table " + a.plan.Table + " had no write.wap.enabled; it is set now, without it a branch would be ignored")
		}
		return a.guardHeads(out["guard_refs"])
	}
	history, err := history(out["guard_history"])
	if err != nil {
		return err
	}
	a.commits, a.base = history, newest(history)
	return nil
}

func propertiesOf(rows []Row) map[string]string {
	out := map[string]string{}
	for _, r := range rows {
		out[r.Text("key")] = r.Text("value")
	}
	return out
}

// compareTarget reports each difference between the target and the contract, but
// for what ensure finishes (a table without a version is one whose creation did
// not end) and for the optional columns that a newer contract added.
func (a *attempt) compareTarget(standing plan.Standing) {
	a.compareVersion(standing)
	for _, d := range plan.Compare(*a.plan.TableOf(plan.TargetTable), a.plan.Constraints, a.target) {
		switch {
		case d.Kind == plan.MissingCheck && standing == plan.NoVersion:
			a.numbers["missing_constraint_"+d.Check.Name] = 1
		case d.Kind == plan.UndeclaredColumn && d.Have.Nullable && standing == plan.TableAhead:
		case standing.Older():
			a.finding("target_drift", false, "%s; a newer contract wrote it, so deploy that one", d.Text(a.plan.Table))
		default:
			a.drift("%s", d.Text(a.plan.Table))
		}
	}
}

// addedColumns are those that a migration added to a table with rows. A published
// NULL in them may only mean that nobody asked when its row was loaded.
func (a *attempt) addedColumns(have map[string]string) {
	added := []string{}
	for _, column := range a.plan.Columns {
		for key := range have {
			if name, found := strings.CutPrefix(key, plan.AddedProperty); found && strings.EqualFold(name, column) {
				added = append(added, column)
			}
		}
	}
	a.added, a.values["added_columns"] = added, added
}

// compareVersion applies the rules of contract.version: equal runs; absent is
// set by ensure; a newer contract of the same major runs and raises it at the
// end; an older one runs while the table only has extra optional columns, and
// warns; everything else waits for a reviewed migration.
func (a *attempt) compareVersion(standing plan.Standing) {
	published := a.target.Properties[plan.VersionProperty]
	switch standing {
	case plan.SameVersion:
	case plan.NoVersion:
		a.numbers["version_absent"] = 1
	case plan.ContractAhead:
		a.numbers["version_raised"] = 1
	case plan.TableAhead:
		a.warning(warnBehind, 1)
		a.note(fmt.Sprintf("writer_behind: table %s was written by contract %s, this run brings %s; deploy the newer contract", a.plan.Table, published, a.plan.Version))
	case plan.MajorAhead:
		a.drift("table %s was written by contract %s, this is %s: another major needs a migration", a.plan.Table, published, a.plan.Version)
	case plan.MajorBehind:
		a.finding("target_drift", false, "table %s was written by contract %s, this is %s: deploy the newer contract; sluice migrate never takes a table back to an older major", a.plan.Table, published, a.plan.Version)
	case plan.BadVersion:
		a.drift("table %s: %s is %q, not MAJOR.MINOR.PATCH", a.plan.Table, plan.VersionProperty, published)
	}
}

// readLog takes what earlier runs of the table recorded. Without an audit log
// there was no earlier run.
func (a *attempt) readLog(rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	r := rows[0]
	var err error
	if a.publications, err = r.Number("publications"); err != nil {
		return err
	}
	if a.facts.Batches, err = r.Number("baseline_batches"); err != nil {
		return err
	}
	if a.plan.Replaces() {
		if a.waiting, err = r.Number("waiting_batches"); err != nil {
			return err
		}
	}
	a.facts.Median, _ = r["median_rows"].(float64)
	a.publishedHash, a.publishedColumns = r.Text("published_hash"), r.Text("published_columns")
	for _, column := range strings.Split(r.Text("valued_columns"), ",") {
		a.valuedColumns[column] = true
	}
	for _, run := range strings.Fields(r.Text("recorded_runs")) {
		a.recorded[run] = true
	}
	return nil
}
