package runner

import (
	"fmt"
	"strconv"
	"strings"
)

// freshTarget sets the numbers of a target that does not exist yet: ensure
// creates it with its constraints and, last, its version.
func (a *attempt) freshTarget() {
	a.base = -1
	a.numbers["version_absent"] = 1
	for _, c := range a.plan.Constraints {
		a.numbers["missing_constraint_"+c.Name] = 1
	}
}

// readPublished judges version and constraints of the target and notes its
// newest commit, the base of every verdict of this attempt.
func (a *attempt) readPublished(shown, commits []Row) error {
	have := properties(shown)
	a.compareVersion(have[versionProperty])
	a.compareConstraints(have, have[versionProperty] == "")
	a.addedColumns(have)
	history, err := history(commits)
	if err != nil {
		return err
	}
	a.commits, a.base = history, newest(history)
	return nil
}

// addedColumns are those that a migration added to a table with rows. A published
// NULL in them may only mean that nobody asked when its row was loaded.
func (a *attempt) addedColumns(have map[string]string) {
	added := []string{}
	for _, column := range a.plan.Columns {
		for key := range have {
			if name, found := strings.CutPrefix(key, "contract.added."); found && strings.EqualFold(name, column) {
				added = append(added, column)
			}
		}
	}
	a.values["added_columns"] = added
}

// compareVersion applies the rules of contract.version: equal runs; absent is
// set by ensure; a newer contract of the same major runs and raises it at the
// end; an older one runs while the table only has extra optional columns, and
// warns; everything else waits for a reviewed migration.
func (a *attempt) compareVersion(published string) {
	if published == "" {
		a.numbers["version_absent"] = 1
		a.driftOfColumns("")
		return
	}
	theirs, ok := parseVersion(published)
	ours, _ := parseVersion(a.plan.Version)
	switch {
	case !ok:
		a.finding("target_drift", false, "table %s: contract.version is %q, not MAJOR.MINOR.PATCH; correct the property", a.plan.Table, published)
	case theirs[0] != ours[0]:
		a.finding("target_drift", false, "table %s was written by contract %s, this is %s: another major needs sluice migrate", a.plan.Table, published, a.plan.Version)
	case less(theirs, ours):
		a.numbers["version_raised"] = 1
		a.driftOfColumns("")
	case less(ours, theirs):
		a.driftOfColumns(published)
		a.warning("writer_behind", 1)
		a.note(fmt.Sprintf("writer_behind: table %s was written by contract %s, this run brings %s; deploy the newer contract", a.plan.Table, published, a.plan.Version))
	default:
		a.driftOfColumns("")
	}
}

// driftOfColumns reports columns that the contract does not declare, unless a
// newer contract of the same major added them as optional ones, and required
// columns that the table lets be NULL.
func (a *attempt) driftOfColumns(newer string) {
	for _, c := range a.extraColumns {
		switch {
		case newer != "" && c.Nullable:
		default:
			a.finding("target_drift", false, "table %s has a column %q (%s) that contract %s does not declare; declare it or see sluice migrate", a.plan.Table, c.Name, c.Type, a.plan.Version)
		}
	}
	for _, name := range a.looseColumns {
		a.finding("target_drift", false, "table %s: column %q may be NULL, the contract requires it; see sluice migrate", a.plan.Table, name)
	}
}

func (a *attempt) compareConstraints(have map[string]string, unfinished bool) {
	wanted := map[string]bool{}
	for _, c := range a.plan.Constraints {
		key := "delta.constraints." + strings.ToLower(c.Name)
		wanted[key] = true
		switch got, there := have[key]; {
		case !there && unfinished:
			a.numbers["missing_constraint_"+c.Name] = 1
		case !there:
			a.finding("target_drift", false, "table %s lacks CHECK %s (%s); sluice migrate adds it", a.plan.Table, c.Name, c.Expression)
		case !c.Is(got):
			a.finding("target_drift", false, "table %s: CHECK %s is (%s), the contract says (%s); see sluice migrate", a.plan.Table, c.Name, got, c.Expression)
		}
	}
	for key, got := range have {
		if strings.HasPrefix(key, "delta.constraints.") && !wanted[key] {
			a.finding("target_drift", false, "table %s has a CHECK %s (%s) that the contract does not declare; drop or declare it", a.plan.Table, strings.TrimPrefix(key, "delta.constraints."), got)
		}
	}
}

func parseVersion(text string) ([3]int, bool) {
	var v [3]int
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

func less(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
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
