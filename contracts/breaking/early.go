package breaking

import (
	"fmt"
	"slices"
	"strings"

	"sluice/contracts/odcs"
)

// removal adds the entry of its own that a column or table deserves which goes
// before the date until which it was promised, or without any warning. After its
// end of life the window allows the removal, which stays MAJOR.
func (c *comparison) removal(e *entry, told Change) {
	gone := e.kind == "property" && (e.action == removed && e.rule == PropertyAddedOrRemoved || e.action == renamed) ||
		e.kind == "schema" && e.action == removed && !c.renamedTable(e)
	if !gone || e.old.at("semanticType").word() == "measure" {
		return
	}
	what := map[string]string{"property": "the column ", "schema": "the table "}[e.kind] + e.key
	end := c.endOf(told.Path)
	change := c.tooEarly(told.Path, what, end)
	change.Consumers, change.Position = told.Consumers, told.Position
	switch {
	case end != "":
	case !c.deprecated(e) && c.promisedEnd(told.Path) == "" && e.action == removed:
		change.What = what + " was never deprecated"
		change.Hurt = "no run has warned anybody that it goes"
		change.Do = "put it back with deprecated: true and an endOfLife that leaves its consumers time, and remove it after that day"
	default:
		return
	}
	c.early = append(c.early, change)
}

// tooEarly is the entry about what goes while its end of life lies ahead.
func (c *comparison) tooEarly(path, what, end string) Change {
	return Change{
		Rule: RemovedTooEarly, Path: path, Direction: Loosens, Level: Loosens.level(c.opts.Perspective), Class: Major,
		What: fmt.Sprintf("%s goes before its end of life, %s", what, end),
		Hurt: "readers were promised it until then, and no version number takes that back",
		Do:   "keep it until that day, or waive this with the consumers who agreed",
	}
}

// goneTables are such entries about the tables of a contract whose file is gone.
func (c *comparison) goneTables() []Change {
	var out []Change
	for _, table := range c.old.Root.Get("schema").Items() {
		path := "schema." + table.Get("name").Text()
		if end := c.endOf(path); end != "" {
			change := c.tooEarly(path, "the table "+table.Get("name").Text(), end)
			change.Consumers, change.Position = c.consumers, table.Pos
			out = append(out, change)
		}
	}
	return out
}

func (c *comparison) deprecated(e *entry) bool {
	if e.old.at("deprecated").true() || e.old.custom("deprecated").true() {
		return true
	}
	status := c.old.Root.Get("status").Text()
	return e.kind == "schema" && (status == "deprecated" || status == "retired")
}

// renamedTable reports whether a table only has another logical name: what is
// stored is still there.
func (c *comparison) renamedTable(e *entry) bool {
	place := stored(c.old, e.key)
	return slices.ContainsFunc(c.new.Root.Get("schema").Items(), func(n *odcs.Node) bool {
		return stored(c.new, n.Get("name").Text()) == place
	})
}

// endOf is the end of life of a column or table if it lies ahead, else "". It
// counts on the day itself: a column lives through the day of its end.
func (c *comparison) endOf(path string) string {
	if end := c.promisedEnd(path); end >= c.opts.Today {
		return end
	}
	return ""
}

// promisedEnd is the end of life that the old version promised for a column, or
// for a table, of which a level without an element speaks as well; the last of
// several.
func (c *comparison) promisedEnd(path string) string {
	return promisedEnd(c.old, c.tableOf(path), path)
}

func promisedEnd(doc *odcs.Document, table, path string) string {
	element := table + "." + strings.ReplaceAll(strings.TrimPrefix(path, "schema."+table+".properties."), ".properties.", ".")
	whole := path == "schema."+table
	if whole {
		element = table
	}
	var best string
	for _, level := range doc.Root.Get("slaProperties").Items() {
		if level.Get("property").Text() != "endOfLife" || len(level.Get("value").Text()) < 10 {
			continue
		}
		for about := range strings.SplitSeq(elementText(level, doc.Root), ",") {
			if about = strings.TrimSpace(about); about == element || about == "" && whole {
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
