package contracts

import (
	"regexp"
	"strings"

	"sluice/gen/sparksql"
)

// Tables are the qualified tables that a sql rule reads beside {object}, each once.
func (r *Rule) Tables() []sparksql.Name {
	var out []sparksql.Name
	seen := map[string]bool{}
	for _, ref := range tableRefs(sparksql.Tokens(r.Query)) {
		if !seen[ref.name.SQL()] {
			seen[ref.name.SQL()] = true
			out = append(out, ref.name)
		}
	}
	return out
}

// moveTables gives the qualified tables of a query other schemas; the rest of its
// text stays as the author wrote it.
func moveTables(query string, place func(sparksql.Name) sparksql.Name) string {
	tokens := sparksql.Tokens(query)
	var out strings.Builder
	at := 0
	for _, ref := range tableRefs(tokens) {
		moved, part := place(ref.name), 0
		for ; at <= ref.last; at++ {
			text := tokens[at].Text
			if at >= ref.first && (tokens[at].Kind == sparksql.Word || tokens[at].Kind == sparksql.Quoted) {
				if moved[part] != ref.name[part] {
					text = quotedAs(tokens[at], moved[part])
				}
				part++
			}
			out.WriteString(text)
		}
	}
	for ; at < len(tokens); at++ {
		out.WriteString(tokens[at].Text)
	}
	return out.String()
}

var bareName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// quotedAs is a name with quotes, unless the author wrote the one before it without.
func quotedAs(before sparksql.Token, name string) string {
	if before.Kind == sparksql.Word && bareName.MatchString(name) {
		return name
	}
	return sparksql.Ident(name)
}

// tableRef is a name of two or three parts, and its tokens.
type tableRef struct {
	first, last int
	name        sparksql.Name
}

// The words that end a FROM clause at its own level of parentheses.
var afterFrom = map[string]bool{
	"WHERE": true, "GROUP": true, "HAVING": true, "ORDER": true, "SORT": true, "CLUSTER": true, "DISTRIBUTE": true, "LIMIT": true, "OFFSET": true,
	"WINDOW": true, "UNION": true, "EXCEPT": true, "MINUS": true, "INTERSECT": true, "SELECT": true,
}

// clause is one pair of parentheses: those of a function may hold a FROM that names
// no table, as in extract(year FROM o.day).
type clause struct{ query, from bool }

// tableRefs finds the names that stand where Spark expects a relation: behind FROM
// and JOIN, and behind the commas of a FROM clause.
func tableRefs(tokens []sparksql.Token) []tableRef {
	var out []tableRef
	levels := []clause{{query: true}}
	relation := false // the next word names one
	for i := 0; i < len(tokens); i++ {
		t, top := tokens[i], &levels[len(levels)-1]
		word := strings.ToUpper(t.Text)
		switch {
		case t.Kind == sparksql.Space || t.Kind == sparksql.Comment:
			continue
		case t.Text == "(":
			next := strings.ToUpper(following(tokens, i))
			levels = append(levels, clause{query: relation || next == "SELECT" || next == "WITH" || next == "("})
			if relation && next != "SELECT" && next != "WITH" && next != "VALUES" {
				levels[len(levels)-1].from = true // FROM (a JOIN b)
				continue
			}
		case t.Text == ")" && len(levels) > 1:
			levels = levels[:len(levels)-1]
		case top.query && t.Kind == sparksql.Word && (word == "FROM" || word == "JOIN"):
			top.from, relation = true, true
			continue
		case relation && t.Kind == sparksql.Word && word == "LATERAL":
			continue
		case relation && (t.Kind == sparksql.Word || t.Kind == sparksql.Quoted):
			if ref, ok := nameAt(tokens, i); ok {
				i = ref.last
				if len(ref.name) > 1 {
					out = append(out, ref)
				}
			}
		case t.Kind == sparksql.Word && afterFrom[word]:
			top.from = false
		case t.Text == "," && top.from:
			relation = true
			continue
		}
		relation = false
	}
	return out
}

// following is the next token that is neither blank nor comment.
func following(tokens []sparksql.Token, i int) string {
	for _, t := range tokens[i+1:] {
		if t.Kind != sparksql.Space && t.Kind != sparksql.Comment {
			return t.Text
		}
	}
	return ""
}

// nameAt reads a dotted name; one that is called, such as range(3), is no table.
func nameAt(tokens []sparksql.Token, i int) (tableRef, bool) {
	ref := tableRef{first: i, last: i}
	text := tokens[i].Text
	for i+2 < len(tokens) && tokens[i+1].Text == "." && (tokens[i+2].Kind == sparksql.Word || tokens[i+2].Kind == sparksql.Quoted) {
		i += 2
		text += "." + tokens[i].Text
		ref.last = i
	}
	name, err := sparksql.ParseName(text)
	ref.name = name
	return ref, err == nil && following(tokens, i) != "("
}
