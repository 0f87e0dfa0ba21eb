package breaking

import (
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/contracts/odcs"
)

// consumersOf are the consumers that either version names: one who is taken off
// the list in the same change still reads the old table. The new version knows
// better how to reach them.
func consumersOf(old, new *odcs.Node) []contracts.Consumer {
	var out []contracts.Consumer
	places := map[string]int{}
	for _, root := range []*odcs.Node{old, new} {
		for _, one := range contracts.Consumers(root) {
			if i, known := places[one.Name]; known {
				if len(one.Columns) > 0 && len(out[i].Columns) > 0 { // what they list in either version they may read
					one.Columns = slices.Concat(out[i].Columns, one.Columns)
				} else {
					one.Columns = nil
				}
				out[i] = one
				continue
			}
			places[one.Name] = len(out)
			out = append(out, one)
		}
	}
	return out
}

// readers are the consumers whom an entry may hurt: of a column, those who list
// it or list nothing; of everything else, all.
func (c *comparison) readers(e *entry) []contracts.Consumer {
	var names []string
	for at := e.pair; at != nil; at = at.up {
		if at.kind == "property" && at.up.key == "properties" {
			names = append(names, spellings(at)...)
		}
	}
	if element := e.within("sla"); element != nil {
		_, column, _ := strings.Cut(element.either().at("element").word(), ".")
		if column != "" {
			names = append(names, column)
		}
	}
	return c.reading(names)
}

func (c *comparison) reading(names []string) []contracts.Consumer {
	var out []contracts.Consumer
	for _, one := range c.consumers {
		lists := func(name string) bool { return slices.Contains(one.Columns, name) }
		if len(names) == 0 || len(one.Columns) == 0 || slices.ContainsFunc(names, lists) {
			out = append(out, one)
		}
	}
	return out
}

// spellings are the ways in which a consumer may name a column: as the contract
// or the table has it, alone, with its table, or as a path into a nested one.
func spellings(column *pair) []string {
	var path []string
	table := ""
	for at := column; at != nil; at = at.up {
		switch {
		case at.kind == "property" && at.up.key == "properties":
			path = append([]string{at.key}, path...)
		case at.kind == "schema":
			table = at.key
		}
	}
	names := []string{strings.Join(path, ".")}
	for _, side := range []*element{column.old, column.new} {
		if stored := side.at("physicalName").word(); stored != "" {
			names = append(names, stored)
		}
	}
	for _, name := range slices.Clone(names) {
		names = append(names, table+"."+name)
	}
	return names
}
