package contracts

import (
	"slices"
	"strings"
)

// Find returns the column that a consumer calls by that name: as the table or
// the contract has it, alone or behind the table's name. A path into a nested
// column names the whole column, for that is what is stored.
func (t *Table) Find(name string) *Column {
	name = strings.TrimPrefix(name, t.Name+".")
	for _, stored := range []bool{true, false} { // what the table calls a column goes before what the contract does
		for _, c := range t.Columns {
			own := c.Logical
			if stored {
				own = c.Name
			}
			if name == own || c.Type.Nested() && strings.HasPrefix(name, own+".") {
				return c
			}
		}
	}
	return nil
}

// Consumer returns the consumer with that name, or nil.
func (c *Contract) Consumer(name string) *Consumer {
	for i := range c.Consumers {
		if c.Consumers[i].Name == name {
			return &c.Consumers[i]
		}
	}
	return nil
}

// Reads reports whether a consumer lists column, or lists nothing and so may
// read all of it.
func (c Consumer) Reads(t *Table, column *Column) bool {
	return len(c.Columns) == 0 || slices.ContainsFunc(c.Columns, func(name string) bool { return t.Find(name) == column })
}

// Readers are the consumers of a column of t; of all of t where column is nil.
func (c *Contract) Readers(t *Table, column *Column) []Consumer {
	var out []Consumer
	for _, one := range c.Consumers {
		if column == nil || one.Reads(t, column) {
			out = append(out, one)
		}
	}
	return out
}

// Select returns the columns of t by the names that a reader gives them, each
// once, and the names that t does not have. No names are all columns.
func (t *Table) Select(names []string) (columns []*Column, unknown []string) {
	if len(names) == 0 {
		return t.Columns, nil
	}
	for _, name := range names {
		switch c := t.Find(name); {
		case c == nil:
			unknown = append(unknown, name)
		case !slices.Contains(columns, c):
			columns = append(columns, c)
		}
	}
	return columns, unknown
}
