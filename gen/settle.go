package gen

import (
	"fmt"
	"slices"
	"strings"

	"sluice/contracts"
)

func (v *view) fillSettle() {
	t := v.table
	d := t.Dedup
	v.OrderColumn = ident(d.LatestBy[0])
	v.SourceOrder, v.TargetOrder = tuple("s", d.LatestBy), tuple("t", d.LatestBy)
	v.Keys, v.SourceKeys = idents(t.Key), prefixed("s", t.Key)
	origin := v.origin()
	v.DuplicateColumns = prefixed("s", union(t.Key, d.LatestBy, d.TieBreak, origin))
	v.CopyOrder = strings.Join(append([]string{"c.`_row_hash`"}, append(prefixed("c", origin), "c.`_row_number`")...), ", ")
	compare := make([]string, len(d.Compare))
	same := make([]string, len(d.Compare))
	for i, name := range d.Compare {
		c := t.Column(name)
		compare[i] = compared(c, "s")
		same[i] = compare[i] + " <=> " + compared(c, "t")
	}
	v.Content = "struct(" + strings.Join(compare, ", ") + ")"
	if len(d.Compare) == 0 {
		v.Content = "struct('')" // nothing to compare: two rows of one key and time are the same row
	}
	order := prefixed("c", d.LatestBy)
	for i := range order {
		order[i] += " DESC"
	}
	for _, c := range d.TieBreak {
		order = append(order, "c."+ident(c)+" DESC NULLS LAST")
	}
	v.VersionOrder = strings.Join(order, ", ")
	v.PeerColumns = strings.Join(prefixed("c", union(d.LatestBy, d.TieBreak)), ", ")
	v.CandidateKeys = strings.Join(prefixed("c", t.Key), ", ")
	v.CandidateSourceKeys = strings.Join(prefixed("s", t.Key), ", ")
	v.RepeatedJoin = on("c", "r", "=", t.Key, "    ")
	v.TargetJoin = on("t", "s", "=", t.Key, "    ")
	v.SameContent = "true"
	if len(d.Compare) > 0 {
		v.SameContent = strings.Join(same, "\n      AND ")
	}
	v.fillAdded(same)
	// Not the load time: landed again, the same row may have another.
	v.RawColumns = rawNames(v.hashed())
	v.HeldJoin = on("h", "c", "<=>", v.RawColumns, "  ")
	v.PublishedColumns = prefixed("s", union(t.Key, d.LatestBy, d.Compare, v.RawColumns))
	if v.Replaces { // nothing is compared with the row's own partition
		v.PublishedColumns = prefixed("s", union(t.Key, slices.DeleteFunc(slices.Clone(d.Compare), func(c string) bool { return has(t.Partition, c) })))
	}
	v.RawColumns = idents(v.RawColumns)
	for _, r := range t.Relationships {
		v.SettlesLookups = v.SettlesLookups || r.OnViolation == contracts.QuarantineRows
	}
	v.fillWarnings()
	v.fillHeldBack()
	for _, c := range t.Columns {
		v.Accepted = append(v.Accepted, "s."+ident(c.Name))
	}
}

// fillAdded: a migration can add only optional columns. Which of them it did add
// is known to the table alone, so that a run brings their names; without one the
// lists are constants that Spark folds away.
func (v *view) fillAdded(same []string) {
	v.SameButAdded, v.SameButFilled = slices.Clone(same), slices.Clone(same)
	for i, name := range v.table.Dedup.Compare {
		if c := v.table.Column(name); !c.Required {
			added := "(" + same[i] + " OR " + lit(c.Name) + " IN (:added_columns) AND "
			v.SameButAdded[i] = added + "t." + ident(c.Name) + " IS NULL)"
			v.SameButFilled[i] = added + "s." + ident(c.Name) + " IS NULL)"
		}
	}
	if v.Fills = fills(v.table); v.Fills {
		v.Labels += ", 'backfilled'"
	}
}

// fills reports whether a migration can have added a column whose content counts.
func fills(t *contracts.Table) bool {
	return !t.ReplacesPartition() && slices.ContainsFunc(t.Dedup.Compare, func(name string) bool { return !t.Column(name).Required })
}

// origin are the staging columns that say which file and line a row came from.
// Among copies with the same text they make the first line count.
func (v *view) origin() []string {
	var out []string
	for _, m := range v.evidence() {
		if m.name == "_source_file" || m.name == "_source_line" {
			out = append(out, m.bronze)
		}
	}
	return out
}

// fillWarnings: rejected rows can be placed among versions only if their key
// and change time could be read.
func (v *view) fillWarnings() {
	t := v.table
	codes := []string{lit("ambiguous_duplicate")}
	for _, r := range t.Relationships {
		if r.OnViolation == contracts.QuarantineRows {
			codes = append(codes, lit(r.Code))
		}
	}
	v.DirtyVerdicts = strings.Join(codes, ", ")
	var readable []string
	for _, c := range union(t.Key, t.Dedup.LatestBy) {
		readable = append(readable, "s."+ident(c)+" IS NOT NULL")
	}
	v.Readable = strings.Join(readable, "\n    AND ")
	v.TargetKeys, v.RejectedKeys = prefixed("t", t.Key), prefixed("r", t.Key)
	v.RejectedJoin = on("s", "r", "=", t.Key, "    ")
}

// fillHeldBack: a row that was held back has not been published. Where its batch
// comes again without the rejected version, behind a newer published one, it is
// still held back and no stale copy.
func (v *view) fillHeldBack() {
	v.HoldsBack = v.table.Dedup.HoldBackBroken
	held := []string{"late_superseded", "ambiguous_duplicate"}
	if v.HoldsBack {
		held = append(held, newestRejected)
	}
	v.HeldReasons = literals(held)
	v.SourceKey = tuple("s", v.table.Key)
}

func (v *view) fillMerge() {
	for _, c := range v.table.Columns {
		name := ident(c.Name)
		v.MergeColumns = append(v.MergeColumns, "s."+name)
		v.Columns = append(v.Columns, name)
		v.SourceValues = append(v.SourceValues, "s."+name)
		if !has(v.table.Key, c.Name) {
			v.Assignments = append(v.Assignments, name+" = s."+name)
		}
	}
}

func (v *view) fillAudit() {
	for _, c := range v.table.Columns {
		name := ident(c.Name)
		v.AuditInputs = append(v.AuditInputs, name)
		v.AuditCounts = append(v.AuditCounts, "count("+name+") AS "+ident("filled_"+c.Name))
	}
	for _, s := range v.hashed() {
		// xxhash64 passes over NULL, so a value that moved to its neighbour would go unseen
		v.HashInputs = append(v.HashInputs, "coalesce("+ident(contracts.RawName(s))+", '\\u0000')")
	}
	v.fillMissing()
}

// fillMissing repeats the preparation of required columns over the raw text in
// staging: did the source send any text for them? A typed source's values are
// counted as they are, for an expression over them cannot read their text.
func (v *view) fillMissing() {
	var done []string
	for _, c := range v.table.Columns {
		if !c.Required {
			continue
		}
		value := prepared(c, false)
		switch {
		case stamped(c):
			value = ident("filled_" + c.Name)
			v.MissingTrimmed = append(v.MissingTrimmed, "s."+ident(c.Name)+" AS "+value)
		case v.Typed:
			value = ident("filled_" + c.Name)
			v.MissingTrimmed = append(v.MissingTrimmed, "coalesce("+strings.Join(prefixed("s", rawNames(c.Sources)), ", ")+") AS "+value)
		default:
			for _, source := range c.Sources {
				if !has(done, source) {
					done = append(done, source)
					v.MissingTrimmed = append(v.MissingTrimmed, trim("s."+ident(contracts.RawName(source)))+" AS "+ident(source))
				}
			}
		}
		v.MissingCounts = append(v.MissingCounts, "count("+value+") AS "+ident("filled_"+c.Name))
	}
}

func rawNames(sources []string) []string {
	out := make([]string, len(sources))
	for i, s := range sources {
		out[i] = contracts.RawName(s)
	}
	return out
}

func (v *view) fillLookups() {
	earlier := false
	names := lookupNames(v.table)
	for _, r := range v.table.Relationships {
		var present, join []string
		for i, c := range r.Columns {
			present = append(present, "s."+ident(c)+" IS NOT NULL")
			join = append(join, "l."+ident(r.References[i])+" = s."+ident(c))
		}
		example := "CAST(s." + ident(r.Columns[0]) + " AS STRING)"
		if len(r.Columns) > 1 {
			var parts []string
			for _, c := range r.Columns {
				parts = append(parts, "CAST(s."+ident(c)+" AS STRING)")
			}
			example = "concat_ws(', ', " + strings.Join(parts, ", ") + ")"
		}
		v.lookups[names[r]] = lookupView{
			Why:   oneLine(fmt.Sprintf("Relationship %s: %s must be known in %s (NULL passes).", r.ID, strings.Join(r.Columns, ", "), r.Table)),
			Table: r.Table.SQL(), Code: r.Code, Present: strings.Join(present, "\n  AND "), Join: strings.Join(join, "\n    AND "),
			Example: example, KnownColumns: idents(r.References), Earlier: earlier,
		}
		earlier = earlier || r.OnViolation == contracts.QuarantineRows
	}
}
