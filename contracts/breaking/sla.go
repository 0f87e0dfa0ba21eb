package breaking

import (
	"slices"
	"strings"

	"sluice/contracts"
)

// levelName is the name of a service level: its key, without the element that
// tells several of one name apart.
func levelName(in *pair) string {
	name, _, _ := strings.Cut(in.key, "[")
	return name
}

// freshnessDirection: freshness is a promise only where it has a value and names
// a column of a table that the contract has.
func (c *comparison) freshnessDirection(e *entry, in *pair) Direction {
	was, is := measured(in.old, c.oldTree), measured(in.new, c.newTree)
	key := e.below(in)
	switch {
	case !was && !is:
		return Untested
	case was != is && is:
		return Tightens
	case was != is:
		return Loosens
	case key == "element":
		return Both
	case key == "value" || key == "unit":
		return spanDirection(in)
	}
	return Untested
}

func measured(level, contract *element) bool {
	table, column, dotted := strings.Cut(level.at("element").word(), ".")
	return level.at("value") != nil && dotted && !strings.Contains(column, ".") && contract.at("schema").at(table) != nil
}

// spanDirection compares two lengths of time; the shorter one promises more.
func spanDirection(in *pair) Direction {
	was, fine := span(in.old)
	is, well := span(in.new)
	switch {
	case !fine || !well:
		return Undetermined
	case is < was:
		return Tightens
	case is > was:
		return Loosens
	default:
		return Untested
	}
}

// span reads a length of time, of days where no unit is written, as
// datacontract-cli does.
func span(level *element) (float64, bool) {
	unit := level.at("unit").word()
	if unit == "" {
		unit = "d"
	}
	return contracts.Seconds(level.at("property").word(), level.at("value").word(), unit)
}

// levelClass is the class of a change of a service level. Freshness follows its
// direction, but where datacontract-cli does not look.
func levelClass(e *entry, in *pair) (Class, bool) {
	name := levelName(in)
	if e.rule == FreshnessChanged {
		return "", false
	}
	if key := e.below(in); e.pair != in && !slices.Contains([]string{"value", "valueExt", "unit", "element"}, key) {
		return Patch, true
	}
	switch name {
	case "retention":
		return retentionClass(in), true
	case "endOfLife", "endOfSupport":
		return endClass(e, in), true
	}
	return Notice, true
}

// retentionClass: history that is kept shorter is gone for its readers.
func retentionClass(in *pair) Class {
	switch {
	case in.old == nil:
		return Patch
	case in.new == nil:
		return Major
	}
	switch spanDirection(in) {
	case Tightens:
		return Major
	case Undetermined:
		return Notice
	case Loosens:
		return Patch
	}
	if in.old.at("element").word() != in.new.at("element").word() {
		return Notice
	}
	return Patch
}

// endClass: an end that comes nearer takes time from readers that they were
// promised; a later one gives some, a first one starts the clock.
func endClass(e *entry, in *pair) Class {
	was, is := day(in.old), day(in.new)
	switch {
	case was == "" || is == "":
		return Notice
	case is < was:
		return Major
	case is > was:
		return Minor
	}
	return Notice
}

// day is the date of a service level.
func day(level *element) string {
	text := level.at("value").word()
	if len(text) < 10 {
		return ""
	}
	return text[:10]
}
