package contracts

import (
	"slices"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// keyPair compares a foreign key column with the column that it refers to:
// values that the source spells alike must meet after their preparation.
func (t *tableLoader) keyPair(at *odcs.Node, column string, other referred) {
	own := t.nodes[strings.ToLower(column)]
	if own == nil {
		return
	}
	here, there := t.set.prepare(own, t.node), t.set.prepare(other.property, other.object)
	mine, theirs := here.kind, there.kind
	if mine.Kind != "" && theirs.Kind != "" && mine.String() != theirs.String() {
		t.problem(at, "relationship-type-differs", "%q is %s but refers to %q of type %s; give both one type", column, mine, storedName(other.property), theirs)
	}
	if !t.published {
		return
	}
	if difference := here.differs(there, other.object.Custom("publish") != nil); difference != "" {
		t.problem(at, "key-normalised-differently", "%q and %q, to which it refers, differ in %s, so equal source values can miss each other; prepare both in the same way", column, storedName(other.property), difference)
	}
}

// preparation is what becomes of a source value before it is compared, in a
// form in which equal preparations are equal texts.
type preparation struct {
	kind  sparksql.Type
	logic string
	nulls []string
	empty string
}

// prepare reads a property once, however many relationships lead to it.
func (s *Set) prepare(p, object *odcs.Node) preparation {
	if known, found := s.prepared[p]; found {
		return known
	}
	nulls := p.Custom("nullValues")
	if nulls == nil {
		nulls = object.Custom("nullValues")
	}
	texts := nulls.Texts()
	slices.Sort(texts)
	kind, _ := quietType(p)
	out := preparation{kind, normalForm(p.Get("transformLogic").Text()), slices.Compact(texts), p.Custom("emptyIs").Text()}
	s.prepared[p] = out
	return out
}

// differs names the difference, "" for none. Of a table that somebody else
// writes, only what its contract says is known.
func (p preparation) differs(other preparation, published bool) string {
	switch {
	case p.logic != other.logic && (published || other.logic != ""):
		return "transformLogic"
	case !slices.Equal(p.nulls, other.nulls) && (published || len(other.nulls) > 0):
		return "nullValues"
	case (p.empty == "value") != (other.empty == "value") && published:
		return "emptyIs"
	}
	return ""
}

// A longer expression is no nest of trim and upper, and is compared as it is.
const maxNormal = 100

// normalForm of an expression over one column: the column is ?, blanks and the
// case of words are gone, and so is trim where nothing is left to trim: sluice
// trims the source column before the expression sees it.
func normalForm(expression string) string {
	columns, err := expressionColumns(expression)
	if strings.TrimSpace(expression) == "" {
		return ""
	}
	tokens, other := closedTokens(expression, false)
	if err != nil || other != nil || len(tokens) > maxNormal {
		return strings.Join(strings.Fields(expression), " ")
	}
	var words []string
	for i, token := range tokens {
		function := token.Kind == sparksql.Word && i+1 < len(tokens) && tokens[i+1].Text == "("
		words = append(words, normalWord(token, columns, function))
	}
	return untrimmed(words)
}

func normalWord(token sparksql.Token, columns []string, function bool) string {
	name := token.Text
	if token.Kind == sparksql.Quoted {
		name = strings.ReplaceAll(name[1:len(name)-1], "``", "`")
	}
	for i, column := range columns {
		if token.Kind != sparksql.Literal && !function && strings.EqualFold(name, column) {
			return "?" + strings.Repeat("'", i)
		}
	}
	if token.Kind == sparksql.Word {
		return strings.ToUpper(name)
	}
	return name
}

// untrimmed drops trim( ) around a column and around upper or lower of one.
func untrimmed(words []string) string {
	text := strings.Join(words, " ")
	for before := ""; before != text; {
		before = text
		for _, inner := range []string{"?", "UPPER ( ? )", "LOWER ( ? )"} {
			text = strings.ReplaceAll(text, "TRIM ( "+inner+" )", inner)
		}
		for _, outer := range []string{"UPPER", "LOWER"} { // the outermost decides
			for _, inner := range []string{"UPPER", "LOWER"} {
				text = strings.ReplaceAll(text, outer+" ( "+inner+" ( ? ) )", outer+" ( ? )")
			}
		}
	}
	if text == "?" {
		return ""
	}
	return text
}
