package breaking

import (
	"fmt"
	"strings"

	"sluice/contracts/odcs"
)

// removal adds the entry of its own that a column deserves which goes before the
// date until which it was promised, or without any warning. After its end of
// life the window allows the removal, which stays MAJOR.
func (c *comparison) removal(e *entry, told Change) {
	gone := e.kind == "property" && (e.action == removed && e.rule == PropertyAddedOrRemoved || e.action == renamed)
	if !gone || e.old.at("semanticType").word() == "measure" {
		return
	}
	end := c.endOf(told.Path)
	change := Change{
		Rule: RemovedTooEarly, Path: told.Path, Direction: Loosens, Level: Loosens.level(c.opts.Perspective), Class: Major,
		Consumers: told.Consumers, Position: told.Position,
	}
	deprecated := e.old.at("deprecated").true() || e.old.custom("deprecated").true()
	switch {
	case end != "":
		change.What = fmt.Sprintf("the column %s goes before its end of life, %s", e.key, end)
		change.Hurt = "readers were promised it until then, and no version number takes that back"
		change.Do = "keep it until that day, or waive this with the consumers who agreed"
	case !deprecated && c.promisedEnd(told.Path) == "" && e.action == removed:
		change.What = fmt.Sprintf("the column %s was never deprecated", e.key)
		change.Hurt = "no run has warned anybody that it goes"
		change.Do = "put it back with deprecated: true and an endOfLife that leaves its consumers time, and remove it after that day"
	default:
		return
	}
	c.early = append(c.early, change)
}

// endOf is the end of life of a column if it lies ahead, else "". It counts on
// the day itself: a column lives through the day of its end.
func (c *comparison) endOf(path string) string {
	if end := c.promisedEnd(path); end >= c.opts.Today {
		return end
	}
	return ""
}

// promisedEnd is the end of life that the old version promised for the column,
// its table or the contract, the last of them.
func (c *comparison) promisedEnd(path string) string {
	table := c.tableOf(path)
	column := strings.ReplaceAll(strings.TrimPrefix(path, "schema."+table+".properties."), ".properties.", ".")
	var best string
	for _, level := range c.old.Root.Get("slaProperties").Items() {
		if level.Get("property").Text() != "endOfLife" || len(level.Get("value").Text()) < 10 {
			continue
		}
		for element := range strings.SplitSeq(elementText(level, c.old.Root), ",") {
			if element = strings.TrimSpace(element); element == table+"."+column {
				best = max(best, level.Get("value").Text()[:10])
			}
		}
	}
	return best
}

func elementText(level, root *odcs.Node) string {
	if element := level.Get("element"); element != nil {
		return element.Text()
	}
	return root.Get("slaDefaultElement").Text()
}
