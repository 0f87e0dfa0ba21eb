package odcs

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// converter copies yaml nodes into ours. Aliases become copies, within a budget
// that stops both a bomb and an alias that contains itself.
type converter struct {
	file     string
	report   *Report
	aliases  int // how many aliases enclose the current node
	expanded int
	stopped  bool
}

func (c *converter) at(n *yaml.Node) Position {
	return Position{File: c.file, Line: n.Line, Column: n.Column}
}

func (c *converter) problem(n *yaml.Node, path, id, text string) {
	c.report.Add(Problem{Position: c.at(n), ID: id, Path: path, Text: text})
}

// value converts n; nil means that it was reported.
func (c *converter) value(n *yaml.Node, path string, depth int) *Node {
	if c.stopped {
		return nil
	}
	if c.aliases > 0 {
		c.expanded++
	}
	if depth > maxDepth || c.expanded > maxExpanded {
		c.stopped = true
		if c.aliases > 0 {
			c.problem(n, path, "alias-too-large", "the aliases of this file expand without end; write the values out")
		} else {
			c.problem(n, path, "too-deep", "values nest deeper than "+strconv.Itoa(maxDepth)+" levels")
		}
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		c.aliases++
		defer func() { c.aliases-- }()
		return c.value(n.Alias, path, depth+1)
	case yaml.MappingNode:
		return c.mapping(n, path, depth)
	case yaml.SequenceNode:
		out := &Node{Kind: List, Pos: c.at(n), Path: path}
		for i, item := range n.Content {
			if v := c.value(item, itemPath(path, item, i), depth+1); v != nil {
				out.items = append(out.items, v)
			}
		}
		return out
	default:
		return c.scalar(n, path)
	}
}

var scalarKinds = map[string]Kind{
	"!!null": Null, "!!str": String, "!!int": Int, "!!float": Float, "!!bool": Boolean, "!!timestamp": Date,
}

func (c *converter) scalar(n *yaml.Node, path string) *Node {
	kind, ok := scalarKinds[n.ShortTag()]
	if !ok {
		c.problem(n, path, "unknown-tag", "the YAML tag "+strconv.Quote(n.Tag)+" has no meaning in a contract; remove it")
		return nil
	}
	text := n.Value
	if kind == Boolean && text != "false" { // True and TRUE are the same
		text = strconv.FormatBool(text[0] == 't' || text[0] == 'T')
	}
	return &Node{Kind: kind, Pos: c.at(n), Path: path, Plain: n.Style == 0, text: text}
}

func (c *converter) mapping(n *yaml.Node, path string, depth int) *Node {
	out := &Node{Kind: Map, Pos: c.at(n), Path: path}
	seen := map[string]int{}
	var merged []*Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" {
			merged = append(merged, c.merge(value, path, depth)...)
			continue
		}
		if key.Kind != yaml.ScalarNode {
			c.problem(key, path, "bad-key", "a key of a contract is plain text")
			continue
		}
		if line, twice := seen[key.Value]; twice {
			c.problem(key, join(path, key.Value), "duplicate-key", "the key "+strconv.Quote(key.Value)+" was given on line "+strconv.Itoa(line)+" already; keep one")
			continue
		}
		seen[key.Value] = key.Line
		if v := c.value(value, keyPath(path, key.Value), depth+1); v != nil {
			out.fields = append(out.fields, Field{key.Value, c.at(key), v})
		} else {
			out.lost = append(out.lost, key.Value)
		}
	}
	for _, m := range merged {
		for _, f := range m.fields {
			if _, own := seen[f.Key]; !own {
				seen[f.Key] = f.Pos.Line
				out.fields = append(out.fields, f)
			}
		}
	}
	return out
}

// merge reads the value of a YAML merge key (<<): a mapping or a list of them.
func (c *converter) merge(value *yaml.Node, path string, depth int) []*Node {
	v := c.value(value, path, depth+1)
	switch {
	case v == nil:
		return nil
	case v.Kind == Map:
		return []*Node{v}
	case v.Kind == List && !slices.ContainsFunc(v.items, func(item *Node) bool { return item.Kind != Map }):
		return v.items
	}
	c.problem(value, path, "bad-merge", "<< takes a mapping or a list of mappings")
	return nil
}

// keyPath leaves the containers out: orders.amount, not schema.orders.properties.amount.
func keyPath(path, key string) string {
	if key == "schema" && path == "" || key == "properties" {
		return path
	}
	return join(path, key)
}

// itemPath names a member of a list by what its author calls it.
func itemPath(path string, item *yaml.Node, index int) string {
	if item.Kind == yaml.AliasNode {
		item = item.Alias
	}
	for _, want := range []string{"name", "property", "server", "id"} {
		for i := 0; item.Kind == yaml.MappingNode && i+1 < len(item.Content); i += 2 {
			if item.Content[i].Value == want && item.Content[i+1].Kind == yaml.ScalarNode {
				return join(path, item.Content[i+1].Value)
			}
		}
	}
	return join(path, strconv.Itoa(index+1))
}

// maxName is how much of a name a path repeats: every node below has it, so that
// a name of a megabyte would be copied thousands of times.
const maxName = 200

func join(path, name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
