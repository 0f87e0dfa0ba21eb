package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

// phrase says a rule in words, as what follows the name of its column.
type phrase struct{ kept, broken string }

// words of the options that compare with a bound.
var words = map[contracts.Option]phrase{
	contracts.Minimum:          {"is at least %s", "is below %s"},
	contracts.ExclusiveMinimum: {"is above %s", "is not above %s"},
	contracts.Maximum:          {"is at most %s", "is above %s"},
	contracts.ExclusiveMaximum: {"is below %s", "is not below %s"},
	contracts.MultipleOf:       {"is a multiple of %s", "is no multiple of %s"},
	contracts.MinLength:        {"has a length of at least %s", "is shorter than %s"},
	contracts.MaxLength:        {"has a length of at most %s", "is longer than %s"},
	contracts.Pattern:          {"matches %s", "does not match %s"},
	contracts.TextFormat:       {"has the format %s", "has not the format %s"},
	contracts.Dimensions:       {"has %s dimensions", "has not %s dimensions"},
	contracts.MinItems:         {"has at least %s items", "has fewer than %s items"},
	contracts.MaxItems:         {"has at most %s items", "has more than %s items"},
	contracts.MinProperties:    {"has at least %s members", "has fewer than %s members"},
	contracts.MaxProperties:    {"has at most %s members", "has more than %s members"},
}

func phrases(c *contracts.Column, r contracts.ColumnRule) phrase {
	switch r.Option {
	case contracts.Enum:
		list := strings.Join(r.Values, ", ")
		return phrase{"is one of " + list, "is none of " + list}
	case contracts.UniqueItems:
		return phrase{"has no item twice", "has an item twice"}
	default:
		bound := r.Bound
		if c.Type.Kind == sparksql.TIMESTAMP {
			bound += " UTC"
		}
		w := words[r.Option]
		return phrase{fmt.Sprintf(w.kept, bound), fmt.Sprintf(w.broken, bound)}
	}
}

// Allows says what a rule of a column allows, as what follows the column's name:
// "is one of AUD, NZD".
func Allows(c *contracts.Column, r contracts.ColumnRule) string { return phrases(c, r).kept }
