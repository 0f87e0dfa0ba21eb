package contracts

import (
	"strconv"
	"strings"

	"sluice/contracts/odcs"
)

// Freshness is how old the newest value of a column may be when a run ends.
type Freshness struct {
	Column  string
	Seconds int64
	Text    string // as the contract says it: 36 h
}

// Ending is a table or column that is on its way out.
type Ending struct {
	Column    string // stored name, or the path of a member; "" = the table
	EndOfLife string // yyyy-MM-dd, "" when no date is given
	Fail      bool   // runs after the date fail; otherwise they warn
	Successor string // the column that replaces it
}

// secondsOf are the units of freshness; m is minutes (datacontract-cli 1.2.8).
var secondsOf = map[byte]float64{'s': 1, 'm': 60, 'h': 3600, 'd': 86_400, 'w': 7 * 86_400, 'q': 91 * 86_400, 'y': 365 * 86_400}

// Seconds is how long a service level that is a length of time says: a number
// with a unit, or an ISO 8601 duration. It is false for what is neither. A lone m
// is minutes, and months for retention (datacontract-cli 1.2.8).
func Seconds(property, value, unit string) (float64, bool) {
	number, err := strconv.ParseFloat(value, 64)
	unit = strings.ToLower(unit)
	if err != nil {
		d, err := parseDuration(value)
		return d.Seconds(), err == nil
	}
	if unit == "" {
		return 0, false
	}
	seconds := secondsOf[unit[0]]
	if strings.HasPrefix(unit, "mo") || unit == "m" && property == "retention" {
		seconds = 30 * 86_400
	}
	return number * seconds, seconds > 0
}

// Freshness returns the freshness levels of columns of t.
func (c *Contract) Freshness(t *Table) []Freshness {
	var out []Freshness
	for _, s := range c.SLA {
		column := t.Column(s.Column)
		if s.Property != "freshness" || s.Table != t || column == nil || !column.Type.Dated() {
			continue
		}
		seconds, known := Seconds(s.Property, s.Value, s.Unit)
		if !known {
			continue // reported by the loader
		}
		out = append(out, Freshness{column.Name, int64(seconds), s.Value + " " + s.Unit})
	}
	return out
}

// Endings returns what of t is deprecated or has an end of life, the table first.
func (c *Contract) Endings(t *Table) []Ending {
	var out []Ending
	if end, found := c.ending(t, ""); found || t.Deprecated || c.Status == "deprecated" || c.Status == "retired" {
		out = append(out, end)
	}
	for _, s := range c.SLA {
		if s.Table == t && s.Member != "" && s.Property == "endOfLife" && len(s.Value) >= 10 {
			out = append(out, Ending{Column: s.Member, EndOfLife: s.Value[:10], Fail: s.FailAfter})
		}
	}
	for _, column := range t.Columns {
		end, found := c.ending(t, column.Name)
		if !found && !column.Deprecated {
			continue
		}
		for _, other := range t.Columns {
			if other.Replaces == column.Name {
				end.Successor = other.Name
			}
		}
		out = append(out, end)
	}
	return out
}

// ending is the end of life of a table or one column. A level without element is
// about every table of the contract.
func (c *Contract) ending(t *Table, column string) (Ending, bool) {
	for _, s := range c.SLA {
		about := s.Table == t || s.Table == nil && column == ""
		if s.Property == "endOfLife" && about && s.Column == column && s.Member == "" && len(s.Value) >= 10 {
			return Ending{Column: column, EndOfLife: s.Value[:10], Fail: s.FailAfter}, true
		}
	}
	return Ending{Column: column}, false
}

// past warns of what has outlived its end of life. It lives through that day.
func (l *loader) past(value *odcs.Node, s SLA) {
	if s.Property != "endOfLife" || l.set.opts.Today == "" || !calendar(s.Value) || s.Value[:10] >= l.set.opts.Today {
		return
	}
	what := "the contract"
	switch {
	case s.Member != "":
		what = "column " + strconv.Quote(s.Member) + " of table " + strconv.Quote(s.Table.Name)
	case s.Column != "":
		what = "column " + strconv.Quote(s.Column) + " of table " + strconv.Quote(s.Table.Name)
	case s.Table != nil:
		what = "table " + strconv.Quote(s.Table.Name)
	}
	text := "its window is over; remove it with a higher major version, or agree on another day with its consumers"
	if s.FailAfter {
		text = "runs fail since then; remove it with a higher major version, or agree on another day with its consumers"
	}
	l.problem(value, "past-end-of-life", "the end of life of %s was %s: %s", what, s.Value[:10], text+l.whoReads(s))
}

// whoReads names the consumers who still list what has ended.
func (l *loader) whoReads(s SLA) string {
	var out []string
	for _, one := range l.contract.Consumers {
		if column := s.column(); s.Table == nil || column == nil || one.Reads(s.Table, column) {
			out = append(out, one.Name)
		}
	}
	if out == nil {
		return ""
	}
	return "; still listed by " + strings.Join(out, ", ")
}

// column is the stored column of a level, or nil.
func (s SLA) column() *Column {
	if s.Table == nil || s.Column == "" {
		return nil
	}
	return s.Table.Column(s.Column)
}

// unmeasured notes freshness levels on what has no time to measure.
func (l *loader) unmeasured(n *odcs.Node, s SLA) {
	if s.Property != "freshness" {
		return
	}
	if s.Table == nil || s.Column == "" {
		l.problem(n, "not-enforced", "freshness without a column cannot be measured; name the column of the change time: element: table.column")
		return
	}
	if s.Table.Publish.Mode == "" {
		l.problem(n, "not-enforced", "the table %q is not published here, so sluice does not measure its freshness", s.Table.Name)
		return
	}
	if c := s.Table.Column(s.Column); c != nil && !c.Type.Dated() {
		l.problem(n, "bad-sla-value", "freshness needs a date or moment, but %q is %s; name the column of the change time", s.Column, c.Type)
	}
}
