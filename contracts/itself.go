package contracts

import (
	"regexp"
	"slices"
	"strings"

	"sluice/gen/sparksql"
)

// comparesItself finds sql rules that can only pass. In mode wap a session, or a
// cluster, that is set to the audit branch (spark.wap.branch) reads it by the plain
// name of the published table too; ours name both sides.
func (t *tableLoader) comparesItself() {
	for _, n := range t.node.Get("quality").Items() {
		query := n.Get("query")
		if n.Get("type").Text() != "sql" || query == nil {
			continue
		}
		words := queryWords(query.Text())
		switch {
		case len(words) > maxWords:
		case t.table.Publish.Mode == WAP && namesTable(words, t.table.Target):
			t.problem(query, "rule-compares-itself", "%s names the published table %s, which a session on the audit branch reads as {object}; write ${PUBLISHED_TABLE} for what readers see", ruleName(n), t.table.Target)
		case exceptItself(words) || antiJoinsItself(words):
			other := "the published table " + t.table.Target.String()
			if t.table.Publish.Mode == WAP {
				other = "${PUBLISHED_TABLE}"
			}
			t.problem(query, "rule-compares-itself", "%s compares {object} with itself and so always passes; compare it with %s or another table", ruleName(n), other)
		}
	}
}

// A query is looked at again for each of its set operators, so that one of a
// hostile length is not looked at, nor more operators than a person writes.
const (
	maxWords     = 2000
	maxOperators = 10
	maxInlined   = 16
)

const (
	objectWord    = "{OBJECT}"
	publishedWord = "{PUBLISHED}"
)

var (
	objectMark    = regexp.MustCompile(`\$?\{(model|table|object)\}`)
	publishedMark = regexp.MustCompile(`\$\{PUBLISHED_TABLE(:-[^}]*)?\}`)
)

// queryWords is the query without blanks and comments, names in upper case and
// without their backticks, the batch and the published table as one word each.
func queryWords(query string) []string {
	query = publishedMark.ReplaceAllString(query, "`"+publishedWord+"`")
	query = objectMark.ReplaceAllString(query, "`"+objectWord+"`")
	var out []string
	for _, token := range sparksql.Tokens(query) {
		switch token.Kind {
		case sparksql.Space, sparksql.Comment:
		case sparksql.Quoted:
			out = append(out, strings.ToUpper(strings.Trim(token.Text, "`")))
		case sparksql.Word:
			out = append(out, strings.ToUpper(token.Text))
		case sparksql.Literal, sparksql.Marker, sparksql.Other:
			out = append(out, token.Text)
		}
	}
	return out
}

// namesTable reports whether the query reads the table by its name, whole or
// without the catalog, which the session sets.
func namesTable(words []string, name sparksql.Name) bool {
	for i, word := range words {
		if word != "FROM" && word != "JOIN" && word != "," {
			continue
		}
		parts := relation(words[i+1:])
		if len(parts) < 2 || len(parts) > len(name) { // one part may be a query of WITH
			continue
		}
		tail := name[len(name)-len(parts):]
		if slices.EqualFunc(parts, tail, strings.EqualFold) {
			return true
		}
	}
	return false
}

// relation is the parts of the name that words begin with.
func relation(words []string) []string {
	var out []string
	for i := 0; i < len(words); i += 2 {
		out = append(out, words[i])
		if i+1 >= len(words) || words[i+1] != "." {
			break
		}
	}
	return out
}

// exceptItself finds EXCEPT or MINUS between two equal queries of the batch.
func exceptItself(words []string) bool {
	named, operators := withQueries(words), 0
	for i, word := range words {
		if word != "EXCEPT" && word != "MINUS" {
			continue
		}
		if operators++; operators > maxOperators {
			break
		}
		left, right := side(words[:i], -1), side(words[i+1:], 1)
		if len(right) > 0 && (right[0] == "ALL" || right[0] == "DISTINCT") {
			right = right[1:]
		}
		one, other := inlined(left, named), inlined(right, named)
		if one == other && strings.Contains(one, objectWord) {
			return true
		}
	}
	return false
}

// side is the query that ends (direction -1) or begins (1) beside a set
// operator, up to the bracket around it, another operator, or the end.
func side(words []string, direction int) []string {
	i, depth := 0, 0
	if direction < 0 {
		i = len(words) - 1
	}
	for ; i >= 0 && i < len(words); i += direction {
		switch words[i] {
		case "(":
			depth += direction
		case ")":
			depth -= direction
		case "UNION", "EXCEPT", "MINUS", "INTERSECT":
			if depth == 0 {
				return between(words, i, direction)
			}
		}
		if depth < 0 {
			return between(words, i, direction)
		}
	}
	if direction < 0 {
		return mainQuery(words)
	}
	return words
}

func between(words []string, stop, direction int) []string {
	if direction < 0 {
		return words[stop+1:]
	}
	return words[:stop]
}

// withQueries are the bodies of the queries that WITH names.
func withQueries(words []string) map[string]string {
	out := map[string]string{}
	for i := 0; i+3 < len(words) && len(out) < maxInlined; i++ {
		if words[i+1] == "AS" && words[i+2] == "(" && i > 0 && (words[i-1] == "WITH" || words[i-1] == "," || words[i-1] == "RECURSIVE") {
			out[words[i]] = strings.Join(side(words[i+3:], 1), " ")
		}
	}
	return out
}

// mainQuery cuts off a leading WITH: what follows its last bracket.
func mainQuery(words []string) []string {
	if len(words) == 0 || words[0] != "WITH" {
		return words
	}
	depth := 0
	for i, word := range words {
		switch word {
		case "(":
			depth++
		case ")":
			depth--
			if depth == 0 && i+1 < len(words) && words[i+1] != "," && words[i+1] != "AS" {
				return words[i+1:]
			}
		}
	}
	return words
}

// inlined is the text of a query with the names of WITH replaced by their bodies.
func inlined(words []string, named map[string]string) string {
	for len(words) > 1 && words[0] == "(" && words[len(words)-1] == ")" {
		words = words[1 : len(words)-1]
	}
	out, inlined := slices.Clone(words), 0
	for i := 1; i < len(out) && inlined < maxInlined; i++ {
		if body, found := named[out[i]]; found && (out[i-1] == "FROM" || out[i-1] == "JOIN") {
			out[i] = "( " + body + " )"
			inlined++
		}
	}
	return strings.Join(out, " ")
}

var sameColumns = regexp.MustCompile(`^(?:(?:\S+ \. )?(\S+) (?:=|= =|< = >) (?:\S+ \. )?(\S+))(?: AND |$)`)

// antiJoinsItself finds FROM {object} a ANTI JOIN {object} b on equal columns:
// every row finds itself.
func antiJoinsItself(words []string) bool {
	for i := 0; i+2 < len(words); i++ {
		if words[i] != "ANTI" || words[i+1] != "JOIN" || words[i+2] != objectWord {
			continue
		}
		from := len(words[:i]) - 1
		for from >= 0 && words[from] != "FROM" {
			from--
		}
		if from < 0 || words[from+1] != objectWord || slices.Contains(words[from:i], "JOIN") {
			continue
		}
		if onSameColumns(words[i+3:]) {
			return true
		}
	}
	return false
}

func onSameColumns(words []string) bool {
	words = side(words, 1)
	if slices.Contains(words, "USING") {
		return true
	}
	on := slices.Index(words, "ON")
	if on < 0 {
		return false
	}
	if end := slices.IndexFunc(words, func(w string) bool { return w == "WHERE" || w == "GROUP" || w == "HAVING" }); end > on {
		words = words[:end]
	}
	for text := strings.Join(words[on+1:], " "); text != ""; {
		m := sameColumns.FindStringSubmatch(text)
		if m == nil || m[1] != m[2] {
			return false
		}
		text = text[len(m[0]):]
	}
	return true
}
