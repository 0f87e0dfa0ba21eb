package contracts

import (
	"regexp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
)

var (
	codePattern  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,127}$`)
	notCodeRunes = regexp.MustCompile(`[^a-z0-9_]`)
)

// rejectCodes are those that sluice gives rows by itself, and labels what it calls
// accepted ones. A contract that used one for a broken value would make the counts
// unreadable.
var (
	rejectCodes = []string{
		"malformed_row", "header_row", "duplicate_superseded", "ambiguous_duplicate", "late_superseded",
		"newest_rejected", "already_published", "batch_refused",
	}
	labels   = []string{"unchanged", "stale", "backfilled", "accepted"}
	ownCodes = slices.Concat(rejectCodes, labels)
)

// codeName makes a code of a text that may hold a column name.
func codeName(text string) string {
	return notCodeRunes.ReplaceAllString(strings.ToLower(text), "_")
}

var codePrefix = map[Option]string{
	Enum: "unknown_", Minimum: "minimum_", ExclusiveMinimum: "exclusive_minimum_", Maximum: "maximum_",
	ExclusiveMaximum: "exclusive_maximum_", MultipleOf: "multiple_of_", MinLength: "min_length_", MaxLength: "max_length_", Pattern: "pattern_",
	TextFormat: "format_", Dimensions: "dimensions_", MinItems: "min_items_", MaxItems: "max_items_", UniqueItems: "unique_items_",
	MinProperties: "min_properties_", MaxProperties: "max_properties_",
}

const missingPrefix, badPrefix = "missing_", "bad_"

// CodeForms are the reason codes of rows as a manual lists them: those that sluice gives
// by itself, and those of a column x where the contract does not rename them.
func CodeForms() []string {
	out := append(slices.Clone(rejectCodes), missingPrefix+"x", badPrefix+"x")
	for _, prefix := range codePrefix {
		out = append(out, prefix+"x")
	}
	slices.Sort(out)
	return out
}

// codes sets the reason codes for absent and unreadable values.
func (t *tableLoader) codes(p *odcs.Node, c *Column) {
	c.Codes.Missing = t.code(p, "missing", missingPrefix+c.stem)
	c.Codes.Unparseable = t.code(p, "unparseable", badPrefix+c.stem)
}

// code is the code of one rule of a property: renamed, else the default.
func (t *tableLoader) code(p *odcs.Node, rule, standard string) string {
	n := p.Custom("reasonCodes").Get(rule)
	code := n.Text()
	if n == nil {
		n, code = p, codeName(standard)
	}
	switch {
	case n == p && !t.published: // no row is ever rejected for it
	case !codePattern.MatchString(code):
		t.problem(n, "bad-code", "the reason code %q is not a lower-case word of up to 128 letters, digits and _; rename it by the property reasonCodes", code)
	case slices.Contains(ownCodes, code):
		t.problem(n, "reserved-code", "the reason code %q is one that sluice gives by itself; choose another", code)
	}
	return code
}

// RowCodes are the codes that rows of t can be rejected with, in the order in which
// they are given: its own, then those that need other rows.
func (t *Table) RowCodes() []string {
	out := []string{"malformed_row", "header_row"}
	for _, c := range t.Columns {
		out = append(out, c.codes()...)
	}
	for _, r := range t.RowRules {
		out = append(out, r.Code)
	}
	for _, r := range t.Relationships {
		if r.OnViolation == QuarantineRows {
			out = append(out, r.Code)
		}
	}
	out = append(out, "duplicate_superseded", "ambiguous_duplicate", "late_superseded", "batch_refused")
	if t.Dedup.HoldBackBroken {
		out = append(out, "newest_rejected")
	}
	if t.ReplacesPartition() {
		out = append(out, "already_published")
	}
	return out
}

// codes are those of a column and its members.
func (c *Column) codes() []string {
	var out []string
	if c.Required {
		out = append(out, c.Codes.Missing)
	}
	if c.Codes.Unparseable != "" {
		out = append(out, c.Codes.Unparseable)
	}
	for _, r := range c.Rules {
		out = append(out, r.Code)
	}
	for _, m := range c.Members {
		out = append(out, m.codes()...)
	}
	if c.Item != nil {
		out = append(out, c.Item.codes()...)
	}
	return out
}

// RefusalCodes are the codes that refuse a batch.
func RefusalCodes() []string {
	return []string{
		"missing_source_column", "empty_batch", "column_all_null", "reject_ceiling", "volume_out_of_range", "audit_failed", "batch_changed",
		"rows_not_conserved", "wrong_partition", "nothing_accepted", "partition_shrinks", "older_delivery",
	}
}

// FailureCodes are the codes by which a run fails although its batch is not at
// fault; what else the guard found stands beside them.
func FailureCodes() []string {
	return append([]string{"lookup_missing", "target_drift", "target_busy", "end_of_life"}, RefusalCodes()...)
}
