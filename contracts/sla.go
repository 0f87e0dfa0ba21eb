package contracts

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/contracts/odcs"
)

// SLA is one service level on one element.
type SLA struct {
	Property  string // freshness, retention, endOfLife, …: the names are free
	Value     string // as written
	Unit      string // as written
	Table     *Table `json:"-"` // nil when the level is about the contract as a whole; a table prints itself elsewhere
	Column    string // stored name; "" when the element is a table
	Member    string `json:",omitempty"` // address.city, when the element is a part of a nested column
	Scheduler string
	Schedule  string
	FailAfter bool // afterEndOfLife: fail
	Position  Position
}

// The service levels that are lengths of time.
var spans = []string{"freshness", "retention", "latency", "frequency", "timeToDetect", "timeToNotify", "timeToRepair"}

// The service levels that are dates.
var milestones = []string{"generalAvailability", "endOfSupport", "endOfLife"}

// timeUnits are the units of a length of time, lower case. M alone is minutes,
// and months for retention (datacontract-cli 1.2.8).
var timeUnits = strings.Fields(`s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days
	w week weeks mo month months q quarter quarters y yr yrs year years`)

// maxLevels bounds the elements that are looked up.
const maxLevels = 1000

// slas reads the service levels, one for each element that they name.
func (l *loader) slas() {
	root := l.doc.Root
	if list := root.Get("slaProperties"); len(list.Items()) > maxLevels {
		l.problem(list, "too-large", "the contract has %d service levels; it may have %d", len(list.Items()), maxLevels)
		return
	}
	for _, n := range root.Get("slaProperties").Items() {
		l.expand(n)
		l.slaValue(n)
		element := n.Get("element")
		if element == nil {
			element = root.Get("slaDefaultElement")
		}
		one := SLA{
			Property: n.Get("property").Text(), Value: n.Get("value").Text(), Unit: n.Get("unit").Text(),
			Scheduler: n.Get("scheduler").Text(), Schedule: n.Get("schedule").Text(),
			FailAfter: n.Custom("afterEndOfLife").Text() == "fail", Position: n.Pos,
		}
		if element == nil {
			l.unmeasured(n, one)
			l.past(n.Get("value"), one)
			l.contract.SLA = append(l.contract.SLA, one)
			continue
		}
		for _, part := range strings.SplitN(element.Text(), ",", 10) { // rare, but the standard has it
			var found bool
			if one.Table, one.Column, one.Member, found = l.element(element, strings.TrimSpace(part)); found {
				l.unmeasured(n, one)
				l.past(n.Get("value"), one)
				l.contract.SLA = append(l.contract.SLA, one)
			}
		}
	}
}

// element resolves object, object.property or the fully qualified form. A name
// of an object may hold dots, so the longest one that fits is taken.
func (l *loader) element(at *odcs.Node, text string) (table *Table, column, member string, found bool) {
	table, rest := l.elementTable(text)
	if table == nil {
		l.problem(at, "unknown-element", "the element %q is no object.property of this contract%s", text, odcs.Suggest(text, l.elements()))
		return nil, "", "", false
	}
	if rest == "" {
		return table, "", "", true
	}
	property := reference{column: rest, full: strings.Contains(text, "/")}.property(l.set.places[table])
	if property == nil { // a part of a nested column
		outer, _, _ := strings.Cut(rest, ".")
		property = nested(l.set.places[table], rest)
		if property != nil {
			property = reference{column: outer}.property(l.set.places[table])
			member = rest
		}
	}
	if property == nil {
		l.problem(at, "unknown-element", "the element %q: the table %q has no column %q%s", text, table.Name, rest, odcs.Suggest(rest, childNames(l.set.places[table].Get("properties"))))
		return nil, "", "", false
	}
	return table, storedName(property), member, true
}

// elementTable finds the object of an element, and what is left of the text.
func (l *loader) elementTable(text string) (*Table, string) {
	if ref, err := parseReference(text); err == nil && ref.full && ref.file == "" {
		for _, t := range l.contract.Tables {
			if l.set.places[t] == ref.object(l.doc) {
				return t, ref.column
			}
		}
		return nil, ""
	}
	var table *Table
	var rest string
	for _, t := range l.contract.Tables {
		after, found := strings.CutPrefix(text, t.Name)
		if !found || after != "" && after[0] != '.' || table != nil && len(t.Name) <= len(table.Name) {
			continue
		}
		table, rest = t, strings.TrimPrefix(after, ".")
	}
	return table, rest
}

// nested walks the properties of object columns: address.city.
func nested(object *odcs.Node, path string) *odcs.Node {
	for name := range strings.SplitSeq(path, ".") {
		object = reference{column: name}.property(object)
	}
	return object
}

// elements are the texts that an element may have, for a suggestion.
func (l *loader) elements() []string {
	var out []string
	for _, t := range l.contract.Tables {
		out = append(out, t.Name)
		for _, name := range childNames(l.set.places[t].Get("properties")) {
			out = append(out, t.Name+"."+name)
		}
	}
	return out
}

// slaValue checks what the properties with a known meaning promise.
func (l *loader) slaValue(n *odcs.Node) {
	property, value := n.Get("property").Text(), n.Get("value")
	switch {
	case value == nil:
	case slices.Contains(milestones, property):
		if !calendar(value.Text()) {
			l.problem(value, "bad-sla-value", "%s is a date, not %q; write yyyy-MM-dd", property, value.Text())
		}
	case slices.Contains(spans, property):
		l.span(n, property, value)
	}
}

// span checks a length of time. Freshness and retention are compared with data,
// so they need a number; others may name their value in words.
func (l *loader) span(n *odcs.Node, property string, value *odcs.Node) {
	number, err := strconv.ParseFloat(value.Text(), 64)
	measured := property == "freshness" || property == "retention"
	if duration.MatchString(value.Text()) && property != "freshness" && n.Get("unit") == nil {
		return // P7Y says its own unit
	}
	if measured && (err != nil || number <= 0 || !decimalText.MatchString(value.Text())) {
		l.problem(value, "bad-sla-value", "%s is a positive number with a unit, not %q", property, value.Text())
		return
	}
	unit := n.Get("unit")
	switch {
	case unit == nil && measured && !n.Had("unit"):
		l.problem(n, "unknown-unit", "%s %s has no unit; write for example unit: h", property, value.Text())
	case unit != nil && !slices.Contains(timeUnits, strings.ToLower(unit.Text())):
		l.problem(unit, "unknown-unit", "the unit %q is no length of time; use s, min, h, d, w, mo or y", unit.Text())
	}
}

var calendarText = regexp.MustCompile(`^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$`)

// calendar reports whether a text is a day of the calendar, with or without a time.
func calendar(text string) bool {
	if !calendarText.MatchString(text) {
		return false
	}
	if _, err := time.Parse(time.DateOnly, text[:10]); err != nil {
		return false
	}
	if len(text) == 10 {
		return true
	}
	_, err := time.Parse("15:04", text[11:16])
	return err == nil
}
