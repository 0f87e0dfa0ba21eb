package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

// Reason is a code that a row or a batch of a table can get, and what it says to
// a person. The text holds names and values of the contract as they are.
type Reason struct {
	Code  string
	Means string
}

// RowReasons are the codes by which rows of a table are rejected, each once, in
// the order in which the statements give them.
func RowReasons(t *contracts.Table) []Reason {
	r := reasons{at: map[string]int{}}
	if t.Source.Malformed != "" {
		r.add("malformed_row", "the line has another number of fields than its header")
	}
	header := "the header stands among the rows"
	if t.IgnoreHeader {
		header += "; outside of the reject ceiling"
	}
	r.add("header_row", header)
	for _, c := range t.Columns {
		if c.Required {
			r.add(c.Codes.Missing, c.Name+" has no value")
		}
		if casts(c) {
			r.add(c.Codes.Unparseable, unreadable(t, c))
		}
		r.promises(c, c.Name)
	}
	for _, rule := range t.RowRules {
		r.add(rule.Code, fmt.Sprintf("the rule %s is false: %s", rule.ID, rule.Expression))
	}
	for _, rel := range t.Relationships {
		if rel.OnViolation == contracts.QuarantineRows {
			r.add(rel.Code, fmt.Sprintf("%s is in no row of %s", strings.Join(rel.Columns, ", "), rel.Table))
		}
	}
	r.betweenRows(t)
	return r.list
}

// reasons collects codes. A code of several rules says all that it can mean.
type reasons struct {
	list []Reason
	at   map[string]int
}

func (r *reasons) add(code, means string) {
	i, known := r.at[code]
	if !known {
		r.at[code] = len(r.list)
		r.list = append(r.list, Reason{code, means})
		return
	}
	if !strings.Contains(r.list[i].Means, means) {
		r.list[i].Means += "; or " + means
	}
}

// promises are the options of a column, then those of its members.
func (r *reasons) promises(c *contracts.Column, path string) {
	for _, rule := range c.Rules {
		r.add(rule.Code, path+" "+phrases(c, rule).broken)
	}
	members := c.Members
	if c.Item != nil {
		members = []*contracts.Column{c.Item}
	}
	for _, m := range members {
		inner := path + "." + m.Name
		if m == c.Item {
			inner = "an item of " + path
		}
		if m.Required {
			r.add(m.Codes.Missing, inner+" has no value")
		}
		r.promises(m, inner)
	}
}

// betweenRows are the codes that need other rows.
func (r *reasons) betweenRows(t *contracts.Table) {
	order := strings.Join(t.Dedup.LatestBy, ", ")
	r.add("duplicate_superseded", "an older version by "+order+" of a key that the batch has twice, or a second identical copy")
	r.add("ambiguous_duplicate", "another version of the key has the same "+order+" and other content, in the batch or in the table: nobody guesses, none is published")
	if t.ReplacesPartition() { // older rows of the partition itself are replaced with it
		r.add("already_published", "another partition has the row already, with the same content")
	} else {
		r.add("late_superseded", "the table has a newer version by "+order)
	}
	if t.Dedup.HoldBackBroken {
		r.add(newestRejected, "a newer version of the key in the batch was rejected, so this one waits for its repair")
	}
	r.add("batch_refused", "nothing is wrong with the row, but its batch was refused by its volume or an audit")
}

func unreadable(t *contracts.Table, c *contracts.Column) string {
	switch {
	case c.Lenient:
		return fmt.Sprintf("the value of %s cannot be cast to %s", c.Name, c.Type)
	case t.Source.Typed:
		return fmt.Sprintf("the value of %s is no %s", c.Name, valueOf(c))
	default:
		return fmt.Sprintf("the text of %s is not exactly a value: %s", c.Name, valueOf(c))
	}
}

// valueOf is what a text must be for the column to take it.
func valueOf(c *contracts.Column) string {
	switch {
	case c.Clock:
		return "a time of day HH:mm:ss"
	case c.Type.Kind == sparksql.BINARY && c.Hex:
		return "bytes in hexadecimal digits"
	case c.Type.Kind == sparksql.BINARY:
		return "bytes in base64"
	case c.Type.Nested():
		return "JSON of " + c.Type.String()
	}
	out := c.Type.String()
	if c.Type.Dated() && len(c.Formats) > 0 {
		out += ", in ISO form or as " + strings.Join(c.Formats, " or ")
	}
	switch c.Zone {
	case contracts.ZoneRequired:
		out += ", with a zone"
	case contracts.ZoneRefused:
		out += ", without a zone"
	case contracts.ZoneAllowed:
	}
	return out
}

// BatchReasons are the codes by which a batch of a table is refused or fails.
func BatchReasons(c *contracts.Contract, t *contracts.Table) []Reason {
	out := []Reason{
		{"missing_source_column", "the source lacks a column that the contract reads"},
		{"column_all_null", "a required column has no value in any row"},
	}
	if RefusesEmpty(t) {
		out = append(out, Reason{"empty_batch", "there is no row"})
	}
	out = append(out, ratios(t)...)
	if t.ReplacesPartition() {
		out = append(out, []Reason{
			{"wrong_partition", "rows belong to another partition than the one that the run names"},
			{"nothing_accepted", "the partition would be left empty"},
			{"partition_shrinks", "the partition would have under half of its rows"},
			{"older_delivery", "the batch is older than what the partition holds"},
		}...)
	}
	out = append(out, []Reason{
		{"audit_failed", auditFailed(t)},
		{"batch_changed", "the batch was published under this id with other content"},
		{"rows_not_conserved", "rows in and rows out do not add up, or a key stands twice where it must not"},
		{"target_drift", "the table is not as the contract says; the run fails and the batch is not at fault"},
		{"target_busy", "another writer kept changing the table; the run fails and the batch is not at fault"},
	}...)
	if len(t.Relationships) > 0 {
		out = append(out, Reason{"lookup_missing", "a table that the contract refers to is not there; the run fails and the batch is not at fault"})
	}
	for _, e := range c.Endings(t) {
		if e.Fail {
			return append(out, Reason{"end_of_life", "the contract says that the table or a column has ended; the run fails"})
		}
	}
	return out
}

// ratios are the codes of the rules that weigh a batch by its size.
func ratios(t *contracts.Table) []Reason {
	var out []Reason
	for _, r := range t.Rules {
		switch {
		case r.OnTarget || r.Warn:
		case r.Kind == contracts.RejectRatio:
			out = append(out, Reason{"reject_ceiling", "more rows are rejected than the rule " + r.ID + " allows"})
		case r.Kind == contracts.VolumeRatio:
			out = append(out, Reason{"volume_out_of_range", "the batch is smaller or larger than the rule " + r.ID + " takes for usual"})
		}
	}
	return out
}

func auditFailed(t *contracts.Table) string {
	if t.Dedup.FailOnTie {
		return "a rule over the rows of the batch, or a relationship, does not hold, or versions of a key tie"
	}
	return "a rule over the rows of the batch, or a relationship, does not hold"
}

// RefusesEmpty reports whether a batch without a row is refused as such: unless
// the contract lets it pass or only warns of it.
func RefusesEmpty(t *contracts.Table) bool {
	if !emptyJudged(t) {
		return true
	}
	for _, r := range t.Rules {
		if r.Kind == contracts.RowCount && !r.OnTarget && !r.Warn && refusesEmpty(r.Compare) {
			return true
		}
	}
	return false
}
