package plan

import (
	"slices"

	"sluice/gen/sparksql"
)

// Is reports whether the expression that a table carries is the one of the
// constraint. Delta keeps a CHECK as its tokens with blanks between them: what
// was written as -5 comes back as - 5 (measured, 4.1 and 3.5). Blanks inside
// literals and names are part of them.
func (c Constraint) Is(expression string) bool {
	return slices.Equal(tokens(c.Expression), tokens(expression))
}

func tokens(sql string) []string {
	var out []string
	for _, t := range sparksql.Tokens(sql) {
		if t.Kind != sparksql.Space {
			out = append(out, t.Text)
		}
	}
	return out
}
