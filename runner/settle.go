package runner

import (
	"context"
	"maps"
	"slices"
	"strings"

	"sluice/gen/plan"
)

// heldBack is the step of plans that publish no older version in place of a
// rejected one.
const heldBack = "settle_held_back"

// settle decides the verdicts that need other rows, then judges what must hold
// before quarantine is touched: the batch is there, it is the batch that was
// published under this id, and every row is in exactly one place.
func (a *attempt) settle(ctx context.Context) error {
	a.judgeBatch()
	if a.refused() {
		return nil
	}
	if err := a.settleRows(ctx); err != nil {
		return err
	}
	if err := a.settleScope(ctx); err != nil {
		return err
	}
	for _, name := range []string{"settle_duplicates", heldBack, "settle_published"} {
		if _, err := a.step(ctx, name); err != nil {
			return err
		}
	}
	if err := a.settleCounts(ctx); err != nil {
		return err
	}
	if err := a.settleWarnings(ctx); err != nil {
		return err
	}
	return a.settleLookups(ctx)
}

// settleRows gives the verdicts that look at one row and a lookup.
func (a *attempt) settleRows(ctx context.Context) error {
	for i := range a.plan.Steps {
		if s := &a.plan.Steps[i]; s.Kind == plan.Settle && strings.HasPrefix(s.Name, "settle_lookup_") {
			if _, err := a.step(ctx, s.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// settleWarnings counts rejects that readers should know of. It costs a look at
// the table, so only rows with a code that the feed is to blame for ask for it.
func (a *attempt) settleWarnings(ctx context.Context) error {
	for code, n := range a.report.Reasons {
		if code != "malformed_row" && code != "header_row" && !slices.Contains(a.plan.NotDirt, code) {
			a.numbers["dirty_rows"] += n
		}
	}
	out, err := a.step(ctx, "settle_warnings")
	if err != nil || out == nil {
		return err
	}
	row, err := single(out, "settle_warnings")
	if err != nil {
		return err
	}
	for _, name := range []string{warnNewestRejected, warnButPublished} {
		n, err := row.Number(name)
		if err != nil {
			return err
		}
		if n > 0 {
			a.warning(name, n)
		}
	}
	return nil
}

// judgeBatch judges the batch itself. Its refusals leave quarantine as it was.
func (a *attempt) judgeBatch() {
	if a.staged.Rows != a.facts.Input {
		a.refuse("rows_not_conserved: %d rows were read from the source, %d were staged; the source changed while it was read, run again", a.facts.Input, a.staged.Rows)
	}
	if judge := a.plan.Step("judge"); judge != nil {
		for _, c := range judge.Checks {
			if r := Judge(c, a.facts); c.Code == "empty_batch" && r.Result == "failed" {
				a.report.Checks = append(a.report.Checks, r)
				a.refuse("empty_batch: batch %s has %d rows, %s are required (rule %s)", a.options.Batch, a.facts.Input, r.Bound, c.Rule)
			}
		}
	}
	a.wrongPartition()
	switch {
	case a.publications == 0 || a.publishedHash == "" || a.publishedHash == a.staged.Hash:
	case a.publishedColumns != a.sourceColumns():
		a.note("batch_changed is not judged: the contract now reads other source columns than when this batch was first published")
	case a.options.AcceptChanged:
		a.warning(warnChanged, 1)
	default:
		a.refuse("batch_changed: batch %s was published with other content; land it under a new batch id, or run with --accept-changed", a.options.Batch)
	}
}

func (a *attempt) settleScope(ctx context.Context) error {
	out, err := a.step(ctx, "settle_scope")
	if err != nil {
		return err
	}
	row, err := single(out, "settle_scope")
	if err != nil {
		return err
	}
	names := []string{"repeated_keys", "quarantined"}
	if a.plan.Replaces() {
		if err := a.scopePartition(row); err != nil {
			return err
		}
	} else {
		names = append(names, "reachable_keys")
		a.keyBounds(row) // NULL where the plan does not ask for them
	}
	if a.plan.Step(heldBack) != nil {
		names = append(names, "held_back_keys")
	}
	for _, name := range names {
		if a.numbers[name], err = row.Number(name); err != nil {
			return err
		}
	}
	return nil
}

// IsAccepting reports whether a verdict that needed other rows leaves its row accepted.
func IsAccepting(reason string) bool { return labels[reason] || reason == backfilled }

// labels are verdicts on accepted rows that change nothing.
var labels = map[string]bool{"unchanged": true, "stale": true}

// backfilled is the verdict of an accepted row that only fills columns which a
// migration added: it changes the table, and is counted apart from updates.
const backfilled = "backfilled"

func (a *attempt) settleCounts(ctx context.Context) error {
	out, err := a.step(ctx, "settle_counts")
	if err != nil {
		return err
	}
	if err := a.readVerdicts(out["settle_counts"]); err != nil {
		return err
	}
	if n := a.verdicts["published_key_twice"]; n > 0 {
		a.refuse("rows_not_conserved: %d rows meet a key that table %s holds more than once; remove its duplicates first", n, a.plan.Table)
	}
	total, labelled := int64(0), int64(0)
	for reason, n := range a.verdicts {
		if reason == backfilled {
			continue
		}
		total += n
		if labels[reason] {
			labelled += n
		}
	}
	a.numbers["changing_rows"] = a.staged.Accepted - total
	if a.numbers["changing_rows"] < 0 {
		a.refuse("rows_not_conserved: %d rows were staged without a code, yet %d have a verdict", a.staged.Accepted, total)
	}
	a.report.Reasons = a.reasons()
	a.report.Rows.Accepted = a.numbers["changing_rows"] + labelled
	a.report.Rows.Rejected = sum(a.report.Reasons)
	a.report.Target.Unchanged, a.report.Target.Stale = a.verdicts["unchanged"], a.verdicts["stale"]
	a.numbers["quarantine_rows"] = a.report.Rows.Rejected + a.numbers["quarantined"]
	return nil
}

func (a *attempt) readVerdicts(rows []Row) error {
	clear(a.verdicts) // what a later look does not find is none any more
	for _, r := range rows {
		n, err := r.Number("rows")
		if err != nil {
			return err
		}
		twice, err := r.Number("rows_with_two")
		if err != nil {
			return err
		}
		if twice > 0 && r.Text("reason") != "published_key_twice" {
			a.refuse("rows_not_conserved: %d rows have a second verdict beside %q", twice, r.Text("reason"))
		}
		a.verdicts[r.Text("reason")] = n
	}
	return nil
}

// reasons are all rejects by first code: row rules from staging, the rest from verdicts.
func (a *attempt) reasons() map[string]int64 {
	out := maps.Clone(a.staged.Reasons)
	for reason, n := range a.verdicts {
		if !IsAccepting(reason) {
			out[reason] += n
		}
	}
	return out
}

func (a *attempt) settleLookups(ctx context.Context) error {
	out, err := a.step(ctx, "settle_lookups")
	if err != nil || out == nil {
		return err
	}
	if err := a.readLookups(out); err != nil {
		return err
	}
	for _, c := range a.plan.Step("settle_lookups").Checks {
		if r := Judge(c, a.facts); c.Kind == plan.CheckLookupOnce && r.Result == "failed" {
			a.report.Checks = append(a.report.Checks, r)
			a.refuse("rows_not_conserved: relationship %s: the lookup holds a key of this batch more than once (%s); remove its duplicates first", c.Rule, r.Value)
		}
	}
	return nil
}

func (a *attempt) readLookups(out results) error {
	for _, name := range slices.Sorted(maps.Keys(out)) {
		r, err := single(out, name)
		if err != nil {
			return err
		}
		l := Lookup{UnknownExample: r.Text("unknown_example"), AmbiguousExample: r.Text("ambiguous_example")}
		if l.Unknown, err = r.Number("unknown_rows"); err != nil {
			return err
		}
		if l.Ambiguous, err = r.Number("ambiguous_rows"); err != nil {
			return err
		}
		a.facts.Unknown[name] = l
	}
	return nil
}

func sum(m map[string]int64) int64 {
	total := int64(0)
	for _, n := range m {
		total += n
	}
	return total
}
