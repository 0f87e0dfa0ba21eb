package breaking

import (
	"fmt"
	"strings"

	"sluice/contracts/odcs"
)

// change is the entry as people read it.
func (c *comparison) change(e *entry) Change {
	out := Change{
		Rule: e.rule, Path: e.path(), Direction: e.direction, Level: e.direction.level(c.opts.Perspective),
		Class: c.class(e), What: what(e), Part: c.part(e), Position: e.either().node.Pos,
	}
	if out.Class.worse(Patch) {
		out.Consumers = c.readers(e)
		out.Hurt, out.Do = hurt(e, out.Class), c.remedy(e, out)
	}
	c.removal(e, out)
	return out
}

// part reports whether another entry already tells of this one: what stands in
// an element that came or went, and the shell of a value that is graded itself.
func (c *comparison) part(e *entry) bool {
	if e.rule != MetadataOrUnknownChange {
		return false
	}
	if c.shells[e.pair] {
		return true
	}
	for at := e.up; at != nil; at = at.up {
		if other := c.graded[at]; other != nil && other.action == e.action && other.rule == MetadataOrUnknownChange {
			return true
		}
	}
	return false
}

// index finds entries by their place, for part.
func (c *comparison) index() {
	c.graded, c.shells = map[*pair]*entry{}, map[*pair]bool{}
	for _, e := range c.entries {
		c.graded[e.pair] = e
		if e.rule != MetadataOrUnknownChange {
			c.shells[e.up] = true
		}
	}
}

// what says in a sentence what became of the element.
func what(e *entry) string {
	subject := subject(e)
	switch {
	case e.action == renamed:
		return fmt.Sprintf("the column %s is now called %s", e.key, newName(e))
	case e.key == "deprecated" && e.up != nil && nouns[e.up.kind] != "" && e.old.true() != e.new.true():
		return "the " + nouns[e.up.kind] + " " + e.up.key + belonging(e.up.up) + map[bool]string{true: " is deprecated now", false: " is deprecated no more"}[e.new.true()]
	case e.action == updated:
		return fmt.Sprintf("%s changed from %s to %s", subject, shown(e.old), shown(e.new))
	case e.either().branch() || e.kind != "":
		return subject + map[action]string{added: " is new", removed: " is gone"}[e.action]
	case e.action == added:
		return fmt.Sprintf("%s was added: %s", subject, shown(e.new))
	default:
		return fmt.Sprintf("%s was removed; it was %s", subject, shown(e.old))
	}
}

func newName(e *entry) string {
	for _, p := range e.up.new.parts {
		if p.value == e.new {
			return p.key
		}
	}
	return ""
}

// Nouns of the elements that have a name.
var nouns = map[string]string{
	"schema": "table", "property": "column", "quality": "quality rule", "relationship": "relationship", "server": "server", "sla": "service level",
	"custom": "customProperty", "enum": "value",
}

// subject names the element and what it belongs to: minimum of the column amount.
func subject(e *entry) string {
	if noun := nouns[e.kind]; noun != "" && e.key != "" {
		return "the " + noun + " " + e.key + belonging(e.up)
	}
	if e.up != nil && e.up.kind == "enum" && e.key == "value" {
		return "the value " + e.up.key + belonging(e.up.up)
	}
	own := e.key
	at := e.up
	for at != nil && nouns[at.kind] == "" && at.kind != "contract" {
		if at.key != "" && at.kind != "list" && at.kind != "options" {
			own = strings.TrimSuffix(at.key+" "+own, " ")
		}
		at = at.up
	}
	if at == nil || at.kind == "contract" {
		if own == "slaProperties" {
			own = "list of service levels"
		}
		return "the " + own + " of the contract"
	}
	return own + " of the " + nouns[at.kind] + " " + at.key + belonging(at.up)
}

// belonging names the column or table around an element.
func belonging(p *pair) string {
	for ; p != nil; p = p.up {
		if noun := nouns[p.kind]; noun != "" && p.key != "" {
			return " of the " + noun + " " + p.key + belonging(p.up)
		}
	}
	return ""
}

const maxValue = 80

// shown is a value in a sentence.
func shown(e *element) string {
	switch {
	case e == nil:
		return "nothing"
	case e.list():
		return short("[" + strings.Join(e.words(), ", ") + "]")
	case e.branch():
		return "other values"
	case e.is(odcs.String):
		return fmt.Sprintf("%q", short(e.word()))
	default:
		return short(e.word())
	}
}

func short(text string) string {
	runes := []rune(text)
	if len(runes) <= maxValue {
		return text
	}
	return string(runes[:maxValue-1]) + "…"
}
