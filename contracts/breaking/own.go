package breaking

import (
	"slices"

	"sluice/contracts"
)

// What sluice enforces and datacontract-cli does not: rules of its own engine,
// options that the CLI passes over, and its customProperties.

// wholeRuleClass is the class of a quality rule that came or went.
func (c *comparison) wholeRuleClass(e *entry) (Class, bool) {
	rule := e.either()
	if rule.at("type").word() != "custom" || contracts.Warns(rule.at("severity").word()) || e.direction != Untested {
		return "", false
	}
	if e.action == removed {
		return Major, true // of any engine: somebody relied on it
	}
	return Notice, true
}

// ruleClass is the class of an entry in a quality rule.
func (c *comparison) ruleClass(e *entry, in *pair) (Class, bool) {
	if in.old == nil || in.new == nil || e.direction != Untested && e.direction != Undetermined {
		return "", false
	}
	key := e.below(in)
	custom := e.within("custom")
	switch {
	case custom != nil && custom.ours():
		return Notice, true
	case key == "arguments" && e.direction == Undetermined:
		return validValuesClass(in)
	case in.new.at("type").word() != "custom" || in.old.at("type").word() != "custom":
		return "", false
	case key == "severity":
		return severityClass(in)
	case contracts.Warns(in.old.at("severity").word()) && contracts.Warns(in.new.at("severity").word()):
		return Patch, true
	case key == "engine":
		return Major, true
	case key == "implementation":
		return implementationClass(e, in), true
	}
	return "", false
}

// validValuesClass: the CLI does not compare replaced members of the list; a new
// one is one that readers have never seen.
func validValuesClass(in *pair) (Class, bool) {
	was, is := in.old.at("arguments").at("validValues"), in.new.at("arguments").at("validValues")
	if was == nil || is == nil || metricOf(in.old) != metricOf(in.new) {
		return "", false
	}
	if _, came := unequal(was.items, is.items); len(came) > 0 {
		return Major, true
	}
	return "", false
}

func severityClass(in *pair) (Class, bool) {
	was, is := contracts.Warns(in.old.at("severity").word()), contracts.Warns(in.new.at("severity").word())
	switch {
	case is && !was:
		return Major, true // it no longer blocks
	case was && !is:
		return Notice, true
	}
	return Patch, true
}

// Bounds of sluice's own rules: 1 where a higher value lets fewer batches pass.
var ownBounds = map[string]int{"rejectRatio.maxPercent": -1, "volumeRatio.min": 1, "volumeRatio.max": -1}

// implementationClass compares rules of sluice's engine. Of others, and of
// expressions, nobody here can tell which way they moved.
func implementationClass(e *entry, in *pair) Class {
	old, new := in.old.at("implementation"), in.new.at("implementation")
	if in.new.at("engine").word() != "sluice" || old == nil || new == nil {
		return Notice
	}
	check := new.at("check").word()
	sign, bounded := ownBounds[check+"."+e.key]
	switch {
	case e.key == "check":
		return Major
	case !bounded || e.up == nil || e.up.key != "implementation":
		return Notice
	case e.action == removed:
		return Major
	case e.action == updated && limitDirection(e, sign) == Loosens:
		return Major
	}
	return Notice
}

// optionClass is the class of an option that the CLI calls metadata.
func optionClass(e *entry) (Class, bool) {
	column := e.within("property")
	switch e.key {
	case "defaultTimezone":
		if zone(e.old) == zone(e.new) {
			return Patch, true
		}
		return Major, true // every instant shifts
	case "multipleOf":
		return multipleClass(e), true
	case "minProperties":
		return limitClass(e, 1), true
	case "maxProperties":
		return limitClass(e, -1), true
	case "format":
		if column.either().at("logicalType").word() == "string" && e.action == removed {
			return Major, true
		}
		return Notice, true // other rows parse now, or are quarantined
	case "timezone":
		return Notice, true
	}
	if e.up.up != nil && e.up.key == "required" && e.up.up.kind == "options" && e.action == removed {
		return Major, true // a member of an object may be missing now
	}
	if e.within("options") != nil && e.key != "options" && e.rule == MetadataOrUnknownChange {
		return Notice, e.pair.kind != "options"
	}
	return "", false
}

// zone is the time zone of texts without one; the default has two usual names.
func zone(side *element) string {
	name := side.word()
	if slices.Contains([]string{"", "Etc/UTC"}, name) {
		return "UTC"
	}
	return name
}

func limitClass(e *entry, sign int) Class {
	switch limitDirection(e, sign) {
	case Loosens:
		return Major
	case Untested:
		return Patch
	}
	return Notice
}

// multipleClass: what is a multiple of 10 is one of 5, but not the other way round.
func multipleClass(e *entry) Class {
	if e.action != updated {
		return limitClass(e, 1)
	}
	was, fine := rational(e.old.word())
	is, well := rational(e.new.word())
	if !fine || !well || was.Sign() == 0 || is.Sign() == 0 {
		return Notice
	}
	switch ratio := is.Quo(is, was); {
	case ratio.IsInt() && ratio.Num().IsInt64() && ratio.Num().Int64() == 1:
		return Patch
	case ratio.IsInt():
		return Notice
	}
	return Major
}

// The customProperties of sluice whose values change what is published, and how.
var ownProperties = []string{
	"source", "dedup", "publish", "quarantine", "staging", "keepFor", "nullValues", "reasonCodes", "acceptFormats",
	"sourceColumns", "cast", "emptyIs", "constraint", "replaces", "owner", "scope", "afterEndOfLife", "onViolation",
}

// ours reports whether a customProperty is one of sluice.
func (p *pair) ours() bool {
	vendor := p.either().at("vendor").word()
	return (vendor == "" || vendor == "sluice") && slices.Contains(ownProperties, p.key)
}

func customClass(e *entry, in *pair) (Class, bool) {
	if e.owner().kind == "server" || in.within("server") != nil {
		return Patch, true
	}
	if in.key == "deprecated" && in.within("property") != nil {
		if e.pair == in || e.key == "value" {
			return deprecatedClass(&entry{pair: &pair{old: in.old.at("value"), new: in.new.at("value")}})
		}
		return Patch, true
	}
	key := e.below(in)
	if in.ours() && key != "description" && key != "id" && key != "vendor" {
		return Notice, true
	}
	return Patch, true
}
