package contracts

import (
	"strings"
)

// whole reads what is about the document as a whole, when all tables are known.
func (l *loader) whole() {
	schema := l.doc.Root.Get("schema")
	if len(schema.Items()) == 0 && !schema.Shortened() && (schema != nil || !l.doc.Root.Had("schema")) {
		l.problem(schema, "missing-schema", "the contract describes no table; add schema with at least one object")
	}
	for _, n := range schema.Items() {
		if name := n.Get("name"); strings.Contains(name.Text(), ".") {
			l.problem(name, "dotted-name", "the name %q holds a dot, so %q cannot be referred to as object.property; write name: %s and physicalName: %s",
				name.Text(), name.Text(), name.Text()[strings.LastIndex(name.Text(), ".")+1:], name.Text())
		}
	}
	l.slas()
	l.unwatched()
}
