package odcs

import (
	"slices"
	"strconv"
)

// Kind is the closed set of YAML values that a contract can hold.
type Kind string

// The kinds. Date is an unquoted date or time: YAML would make it a time value,
// the standard wants the text as written.
const (
	Null    Kind = "nothing"
	String  Kind = "text"
	Int     Kind = "a whole number"
	Float   Kind = "a number"
	Boolean Kind = "true or false"
	Date    Kind = "a date"
	List    Kind = "a list"
	Map     Kind = "a mapping"
)

// Node is a value with its place. All methods work on nil, which stands for a
// value that is absent, so that reading a chain of optional keys needs no ifs.
type Node struct {
	Kind   Kind
	Pos    Position
	Path   string // orders.amount.minimum
	Plain  bool   // a scalar without quotes, which YAML readers may take for another kind
	text   string // of a scalar, as written
	fields []Field
	items  []*Node
	lost   []string // what was written but dropped: keys of a mapping, members of a list
}

// Field is one key of a mapping.
type Field struct {
	Key   string
	Pos   Position // of the key
	Value *Node
}

// Get returns the value of a key, or nil.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for _, f := range n.fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// Fields returns the keys of a mapping in file order.
func (n *Node) Fields() []Field {
	if n == nil {
		return nil
	}
	return n.fields
}

// Items returns the members of a list in file order.
func (n *Node) Items() []*Node {
	if n == nil {
		return nil
	}
	return n.items
}

// Text returns a scalar as written, or "".
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	return n.text
}

// Texts returns the members of a list of scalars as written.
func (n *Node) Texts() []string {
	var out []string
	for _, item := range n.Items() {
		out = append(out, item.Text())
	}
	return out
}

// SetText replaces the text of a scalar, for the caller that resolves ${VAR}.
func (n *Node) SetText(text string) { n.text = text }

// True reports whether n is the boolean true.
func (n *Node) True() bool { return n != nil && n.Kind == Boolean && n.text == "true" }

// Int returns a whole number, or missing when n is absent.
func (n *Node) Int(missing int) int {
	if v, err := strconv.Atoi(n.Text()); err == nil {
		return v
	}
	return missing
}

// Custom returns the value of the customProperty with that name, or nil.
func (n *Node) Custom(name string) *Node {
	for _, item := range n.Get("customProperties").Items() {
		if item.Get("property").Text() == name {
			return item.Get("value")
		}
	}
	return nil
}

// Had reports whether the key was written, also when its value was no good: one
// mistake is one problem.
func (n *Node) Had(key string) bool {
	return n != nil && (n.Get(key) != nil || slices.Contains(n.lost, key))
}

// Shortened reports whether a list lost members whose shape was wrong.
func (n *Node) Shortened() bool { return n != nil && n.Kind == List && len(n.lost) > 0 }

// Lost reports whether anything of the value was dropped, at any depth: what it
// lacks has its own problem then.
func (n *Node) Lost() bool {
	if n == nil {
		return false
	}
	return len(n.lost) > 0 || slices.ContainsFunc(n.items, (*Node).Lost) ||
		slices.ContainsFunc(n.fields, func(f Field) bool { return f.Value.Lost() })
}

// HadCustom is Had for a customProperty.
func (n *Node) HadCustom(name string) bool {
	for _, item := range n.Get("customProperties").Items() {
		if item.Get("property").Text() == name {
			return true
		}
	}
	return false
}

// drop removes a key whose value broke its shape.
func (n *Node) drop(key string) {
	n.lost = append(n.lost, key)
	for i, f := range n.fields {
		if f.Key == key {
			n.fields = append(n.fields[:i:i], n.fields[i+1:]...)
			return
		}
	}
}
