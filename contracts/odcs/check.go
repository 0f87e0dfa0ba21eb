package odcs

import (
	"fmt"
	"strings"
)

// checker walks the tree along the table of shapes, reports what differs and
// drops it.
type checker struct {
	report  *Report
	release Release
}

// value reports whether n has the shape; place is the key under which n stands.
func (c *checker) value(n *Node, s *shape, place string) bool {
	switch s.kind {
	case "object":
		return c.object(n, objects[s.object], place)
	case "list":
		return c.list(n, s, place)
	case "either":
		return c.either(n, s, place)
	case "map":
		return n.Kind == Map || c.wrong(n, place, "a mapping")
	case "row", "counts", "tables":
		return c.data(n, s.kind, place)
	case "any":
		return true
	default:
		return c.scalar(n, s, place)
	}
}

// either takes the alternative that fits the kind of the value, so that the
// message is about that one.
func (c *checker) either(n *Node, s *shape, place string) bool {
	for _, alternative := range s.either {
		fits := map[string]bool{
			"object": n.Kind == Map, "map": n.Kind == Map, "list": n.Kind == List, "int": n.Kind == Int,
			"text": n.Kind != Map && n.Kind != List && n.Kind != Int,
		}[alternative.kind]
		if fits {
			return c.value(n, alternative, place)
		}
	}
	return c.value(n, s.either[0], place)
}

func (c *checker) list(n *Node, s *shape, place string) bool {
	if n.Kind != List {
		return c.wrong(n, place, "a list"+map[string]string{"row": " of rows"}[s.element.kind])
	}
	switch s.element.kind {
	case "row":
		place = "a row of " + place
	case "list":
		place = "each entry of " + place
	}
	kept := n.items[:0]
	for _, item := range n.items {
		if c.value(item, s.element, place) {
			kept = append(kept, item)
		} else {
			n.lost = append(n.lost, item.Path)
		}
	}
	n.items = kept
	return true
}

func (c *checker) object(n *Node, o *object, place string) bool {
	if n.Kind != Map {
		return c.wrong(n, place, "a mapping")
	}
	parts := []*object{o}
	if o.by != "" {
		if variant := objects[o.name+"/"+c.variant(n, o)]; variant != nil {
			parts = append(parts, variant)
		}
	}
	var kept []Field
	for _, f := range n.fields {
		if k := c.key(f, parts); k == nil || c.flag(n, f, k) || !c.value(f.Value, k.shape, f.Key) {
			n.lost = append(n.lost, f.Key)
			continue
		}
		kept = append(kept, f)
	}
	n.fields = kept
	c.required(n, parts)
	c.special(n, o)
	return true
}

// inclusive is the bound that a flag of 3.0 sharpens.
var inclusive = map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}

// flag reports the boolean form of an exclusive bound where the release has the
// bound itself: read as a number, true would become a bound of 1.
func (c *checker) flag(n *Node, f Field, k *key) bool {
	other := inclusive[f.Key]
	if other == "" || f.Value.Kind != Boolean || k.shape.kind == "bool" {
		return false
	}
	want, advice := "a number", "remove it"
	if k.shape.kind == "text" {
		want = "text"
	}
	if bound := n.Get(other); bound != nil && f.Value.True() {
		advice = fmt.Sprintf("write %s: %s and drop %s", f.Key, bound.Text(), other)
	}
	return !c.refuse(f.Value, "wrong-type", "%s is %s since v3.1; %s", f.Key, want, advice)
}

// variant is the value of the key that selects further keys. A quality rule
// without type is a library rule.
func (c *checker) variant(n *Node, o *object) string {
	text := n.Get(o.by).Text()
	if o.name == "quality" && n.Get("type") == nil {
		return "library"
	}
	return text
}

func (c *checker) key(f Field, parts []*object) *key {
	var names []string
	var other *key
	for _, o := range parts {
		found, elsewhere := o.find(f.Key, c.release)
		if found != nil {
			return found
		}
		if elsewhere != nil {
			other = elsewhere
		}
		for _, k := range o.keys {
			names = append(names, k.name)
		}
	}
	at := &Node{Pos: f.Pos, Path: f.Value.Path}
	switch {
	case other != nil && other.since > c.release:
		at.Report(c.report, "newer-key", "the key %q is new in %s; raise apiVersion to use it", f.Key, other.since)
	case other != nil:
		at.Report(c.report, "older-key", "the key %q ended with %s", f.Key, other.until)
	case parts[0].by != "" && len(parts) == 1:
		// The key that selects the others is at fault and has its own message.
	default:
		at.Report(c.report, "unknown-key", "the key %q has no meaning here%s", f.Key, instead(f.Key, parts[0], names))
	}
	return nil
}

func (c *checker) required(n *Node, parts []*object) {
	for _, o := range parts {
		for _, k := range o.keys {
			if !k.required || c.release < k.since || c.release > k.until {
				continue
			}
			if value := n.Get(k.name); !n.Had(k.name) {
				n.Report(c.report, "missing-key", "the key %q is missing", k.name)
			} else if value != nil && k.shape.kind == "text" && strings.TrimSpace(value.text) == "" {
				value.Report(c.report, "missing-key", "the key %q is empty; write a value", k.name)
				n.drop(k.name)
			}
		}
	}
}

// special are the shapes that depend on more than one key.
func (c *checker) special(n *Node, o *object) {
	switch o.name {
	case "property", "item":
		c.options(n)
		c.needed(n)
	case "quality":
		c.implementation(n)
	case "server":
		c.server(n)
	}
	if place := customs[o.name]; place != nil || n.Get("customProperties") != nil {
		c.custom(n, o.name)
	}
}

func (c *checker) server(n *Node) {
	kind := n.Get("type")
	if since := serverSince[kind.Text()]; since > c.release {
		kind.Report(c.report, "newer-key", "the server type %q is new in %s; raise apiVersion to use it", kind.Text(), since)
	}
	if location := n.Get("location"); kind.Text() == "sftp" && location != nil && !strings.HasPrefix(location.Text(), "sftp://") && !strings.HasPrefix(location.Text(), "${") {
		location.Report(c.report, "unknown-value", "the location of an sftp server starts with sftp://, not %q", location.Text())
	}
}

func (c *checker) options(n *Node) {
	options := n.Get("logicalTypeOptions")
	if options == nil {
		return
	}
	c.object(options, objects["options/"+n.Get("logicalType").Text()], "logicalTypeOptions")
}

// needs are the keys without which a logicalType says nothing.
var needs = map[string]string{"map": "map", "vector": "logicalTypeOptions"}

func (c *checker) needed(n *Node) {
	kind := n.Get("logicalType").Text()
	if key := needs[kind]; key != "" && !n.Had(key) {
		n.Report(c.report, "missing-key", "logicalType %s needs the key %q", kind, key)
	}
}

// implementation looks inside rules of our own engine only.
func (c *checker) implementation(n *Node) {
	implementation := n.Get("implementation")
	if n.Get("engine").Text() != "sluice" || implementation == nil {
		return
	}
	if !c.object(implementation, objects["implementation"], "implementation") {
		n.drop("implementation")
	}
}

// custom checks the customProperties that are ours: those of vendor sluice, and
// those of our names without vendor, since 3.0 and 3.1 know no vendor.
func (c *checker) custom(n *Node, place string) {
	own := customs[place]
	if own == nil {
		own = &object{}
	}
	seen := map[string]bool{}
	for _, item := range n.Get("customProperties").Items() {
		name, vendor := item.Get("property"), item.Get("vendor")
		found, _ := own.find(name.Text(), c.release)
		if c.repeated(name, vendor, found, seen) {
			continue
		}
		switch {
		case name == nil || vendor != nil && vendor.Text() != "sluice":
			if name != nil && found != nil {
				item.drop("property") // somebody else's property of the same name
			}
			continue
		case found == nil && vendor != nil:
			name.Report(c.report, "unknown-property", "sluice knows no property %q on a %s%s", name.Text(), place, Suggest(name.Text(), own.names()))
			continue
		case found == nil:
			continue
		}
		if value := item.Get("value"); value != nil && !c.value(value, found.shape, name.Text()) {
			item.drop("value")
		}
	}
}

// repeated reports a property that stands in the list already. One of ours is
// the same with and without its vendor.
func (c *checker) repeated(name, vendor *Node, own *key, seen map[string]bool) bool {
	if name == nil {
		return false
	}
	of := vendor.Text()
	if own != nil && of == "" {
		of = "sluice"
	}
	id := of + "\x00" + name.Text()
	if seen[id] {
		name.Report(c.report, "duplicate-property", "the property %q is given twice; keep one", name.Text())
		return true
	}
	seen[id] = true
	return false
}

func (o *object) names() []string {
	var out []string
	for _, k := range o.keys {
		out = append(out, k.name)
	}
	return out
}
