package breaking

import (
	"slices"

	"sluice/contracts"
	"sluice/contracts/odcs"
)

// rules compares two lists of quality rules. Which rule of the one is which of
// the other is found in turns, the surest first: by id, by name, by being equal,
// by what is checked, and at last by place among those without a name.
func (c *comparison) rules(p *pair) {
	partner := map[int]int{} // place in the new list by place in the old one
	taken := map[int]bool{}
	for _, fits := range []func(a, b *element) bool{sameID, sameName, same, sameCheck, bothNameless} {
		for j, b := range p.new.parts {
			if taken[j] {
				continue
			}
			for i, a := range p.old.parts {
				if _, done := partner[i]; !done && fits(a.value, b.value) {
					partner[i], taken[j] = j, true
					break
				}
			}
		}
	}
	for i, a := range p.old.parts {
		j, found := partner[i]
		if !found {
			c.whole(p.only(a.key, a.value, removed), removed)
			continue
		}
		b := p.new.parts[j]
		key := b.key
		if b.value.name == "" && (a.value.name != "" || nameless(p.old, partner)) {
			key = a.key
		}
		both := &pair{up: p, key: key, kind: "quality", old: a.value, new: b.value}
		c.compare(both)
		c.ruleName(both)
	}
	for j, b := range p.new.parts {
		if !taken[j] {
			c.whole(p.only(b.key, b.value, added), added)
		}
	}
}

// nameless reports whether the old list has rules without name and partner: then
// places are counted there, so that no two rules share one.
func nameless(list *element, partner map[int]int) bool {
	for i, p := range list.parts {
		if _, found := partner[i]; !found && p.value.name == "" {
			return true
		}
	}
	return false
}

// ruleName adds what became of the name, which is no part of the elements.
func (c *comparison) ruleName(p *pair) {
	was, is := ruleNameNode(p.old), ruleNameNode(p.new)
	switch {
	case was == nil && is == nil || was != nil && is != nil && was.word() == is.word():
	case was == nil:
		c.add(p.only("name", is, added), added)
	case is == nil:
		c.add(p.only("name", was, removed), removed)
	default:
		c.add(&pair{up: p, key: "name", old: was, new: is}, updated)
	}
}

func ruleNameNode(rule *element) *element {
	if n := rule.node.Get("name"); n != nil {
		return &element{node: n}
	}
	return nil
}

func sameID(a, b *element) bool {
	return a.at("id") != nil && b.at("id") != nil && a.at("id").word() == b.at("id").word()
}

func sameName(a, b *element) bool { return a.name != "" && a.name == b.name }

func bothNameless(a, b *element) bool { return a.name == "" && b.name == "" }

func sameCheck(a, b *element) bool {
	return !slices.ContainsFunc([]string{"type", "metric", "rule", "query", "engine", "implementation"}, func(key string) bool {
		return !same(a.at(key), b.at(key))
	})
}

// metricOf is the library metric of a rule; up to ODCS 3.0 the key was rule.
func metricOf(rule *element) string {
	if metric := rule.at("metric"); metric != nil {
		return metric.word()
	}
	return rule.at("rule").word()
}

// guards reports whether a rule can fail a check of datacontract-cli: one that
// only warns, compares with nothing, or is written for another engine cannot.
func guards(rule *element, ofColumn bool) bool {
	if rule == nil || contracts.Warns(rule.at("severity").word()) {
		return false
	}
	if rule.at("type").word() == "custom" && rule.at("engine").word() == "datacontract-cli" {
		return true
	}
	t, _ := thresholdOf(rule)
	switch {
	case t == nil:
		return false
	case rule.at("type").word() == "sql":
		return rule.at("query") != nil
	}
	return runs(rule, metricOf(rule), ofColumn)
}

// runs reports whether a library metric means something where it stands.
func runs(rule *element, metric string, ofColumn bool) bool {
	ofRows := slices.Contains([]string{"nullValues", "missingValues", "invalidValues"}, metric)
	switch {
	case percent(rule) && !ofRows:
		return false
	case metric == "invalidValues" && rule.at("arguments").at("validValues") == nil && rule.at("arguments").at("pattern") == nil && rule.at("validValues") == nil:
		return false
	case metric == "duplicateValues":
		return true
	case metric == "rowCount":
		return !ofColumn
	default:
		return ofRows && ofColumn
	}
}

// What decides whether a rule guards anything.
var deciding = slices.Concat([]string{"severity", "type", "engine", "implementation", "metric", "rule", "query", "arguments", "validValues", "unit"}, operators)

// Words of a rule, which no check reads.
var ruleWords = []string{
	"id", "name", "description", "dimension", "businessImpact", "method", "schedule", "scheduler",
	"severity", "tags", "customProperties", "authoritativeDefinitions",
}

// qualityDirection judges an entry in the quality rule in.
func qualityDirection(e *entry, in *pair) Direction {
	ofColumn := in.within("property") != nil
	was, is := guards(in.old, ofColumn), guards(in.new, ofColumn)
	key := e.below(in)
	switch {
	case !was && !is:
		return Untested
	case e.pair == in:
		return e.presence()
	case was != is && key != carrier(in, deciding...):
		return Untested
	case was != is && is:
		return Tightens
	case was != is:
		return Loosens
	}
	return ruleDirection(e, in, key)
}

// ruleDirection judges a key of a rule that guards in both versions.
func ruleDirection(e *entry, in *pair, key string) Direction {
	library := in.new.at("type").word() != "sql" && in.new.at("type").word() != "custom"
	metric := metricOf(in.new)
	switch {
	case (key == "arguments" || key == "validValues") && library && metric != "":
		return argumentDirection(e, in, metric)
	case slices.Contains(operators, key):
		return operatorDirection(in, key, library)
	case key == "metric" || key == "rule":
		return metricDirection(in)
	case key == "unit" && percent(in.old) == percent(in.new), slices.Contains(ruleWords, key):
		return Untested
	}
	return Undetermined
}

// operatorDirection compares the sets of values that pass: whole numbers where
// rows are counted. Percent against rows has no common measure.
func operatorDirection(in *pair, key string, library bool) Direction {
	was, fine := thresholdOf(in.old)
	is, well := thresholdOf(in.new)
	switch {
	case key != carrier(in, operators...):
		return Untested
	case !fine || !well || percent(in.old) != percent(in.new):
		return Undetermined
	}
	return between(was, is, library && !percent(in.new))
}

// metricDirection: missingValues counts the nulls of nullValues, and the texts
// that its markers name.
func metricDirection(in *pair) Direction {
	was, is := metricOf(in.old), metricOf(in.new)
	if was == is {
		return Untested
	}
	marked := in.new
	if was == "missingValues" {
		marked = in.old
	}
	if was+is != "nullValuesmissingValues" && was+is != "missingValuesnullValues" {
		return Undetermined
	}
	if markers(marked) == 0 {
		return Untested
	}
	return counting(in.new, is == "missingValues")
}

func markers(rule *element) int {
	count := 0
	if list := rule.at("arguments").at("missingValues"); list != nil {
		for _, item := range list.items {
			if !item.is(odcs.Null) {
				count++
			}
		}
	}
	return count
}
