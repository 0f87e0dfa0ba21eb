package docs

import (
	"fmt"
	"strings"

	"sluice/contracts"
)

func columns(t *contracts.Table) string {
	var rows [][]string
	for _, c := range t.Columns {
		must := "no"
		if c.Required {
			must = "yes"
		}
		rows = append(rows, []string{Code(c.Name), Code(c.Type.String()), must, meaning(t, c), source(c)})
	}
	return table([]string{"Column", "Type", "Required", "What it is", "From"}, rows)
}

// meaning is the author's description with what else a reader must know.
func meaning(t *contracts.Table, c *contracts.Column) string {
	var out []string
	if d := sentence(c.Description); d != "" {
		out = append(out, Text(d))
	}
	if c.KeyPosition > 0 {
		note := "Key."
		if len(t.Key) > 1 {
			note = fmt.Sprintf("Part %d of the key.", c.KeyPosition)
		}
		out = append(out, note)
	}
	for _, p := range t.Partition {
		if p == c.Name {
			out = append(out, "Partition.")
		}
	}
	for _, o := range t.Dedup.LatestBy {
		if o == c.Name {
			out = append(out, "The newest version of a key wins by it.")
		}
	}
	if what := limits(c); what != "" {
		out = append(out, strings.ToUpper(what[:1])+what[1:]+".")
	}
	if c.Replaces != "" {
		out = append(out, "Takes over from "+Code(c.Replaces)+".")
	}
	if c.Deprecated {
		out = append(out, "[Deprecated](#how-it-changes).")
	}
	if c.Classification != "" {
		out = append(out, "Classified as "+Text(c.Classification)+".")
	}
	if c.Metadata != "" {
		out = append(out, "Set when the batch is landed.")
	}
	return strings.Join(out, " ")
}

// source is where the value comes from.
func source(c *contracts.Column) string {
	if c.Expression != "" {
		return Code(c.Expression)
	}
	return Codes(c.Sources)
}
