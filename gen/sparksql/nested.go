package sparksql

import (
	"fmt"
	"strings"
)

// maxNesting bounds the depth of a type: deeper ones are no table design, and
// each level nests an expression.
const maxNesting = 8

// ParseType reads a Spark type as physicalType writes it: a scalar, or ARRAY,
// MAP and STRUCT of types. Field names may stand in backticks; both `name: TYPE`
// and `name TYPE` are DDL (SqlBaseParser.g4, complexColType).
func ParseType(text string) (Type, error) {
	p := &typeParser{tokens: solid(text), text: text}
	t, err := p.parse(0)
	if err == nil && p.i < len(p.tokens) {
		err = fmt.Errorf("reading type %q: %q stands behind its end", text, p.tokens[p.i])
	}
	return t, err
}

// solid is the tokens of a type without blanks. What the scalars' own
// expressions read, such as DECIMAL(18,2), stays one token.
func solid(text string) []string {
	var out []string
	depth := 0
	for _, t := range Tokens(text) {
		switch {
		case t.Kind == Space:
			continue
		case t.Text == "(":
			depth++
		}
		if depth > 0 && len(out) > 0 {
			out[len(out)-1] += t.Text
		} else {
			out = append(out, t.Text)
		}
		if t.Text == ")" && depth > 0 {
			depth--
		}
	}
	return out
}

type typeParser struct {
	text   string
	tokens []string
	i      int
}

func (p *typeParser) next() string {
	if p.i == len(p.tokens) {
		return ""
	}
	p.i++
	return p.tokens[p.i-1]
}

func (p *typeParser) expect(want string) error {
	if got := p.next(); got != want {
		return fmt.Errorf("reading type %q: %q is needed where %q stands", p.text, want, got)
	}
	return nil
}

func (p *typeParser) parse(depth int) (Type, error) {
	if depth > maxNesting {
		return Type{}, fmt.Errorf("reading type %q: types nest deeper than %d levels", p.text, maxNesting)
	}
	word := p.next()
	kind := Kind(strings.ToUpper(word))
	if !(Type{Kind: kind}).Nested() {
		if depth == 0 && p.i == len(p.tokens) {
			word = p.text
		}
		return parseScalar(word)
	}
	if err := p.expect("<"); err != nil {
		return Type{}, err
	}
	t := Type{Kind: kind}
	var err error
	switch kind {
	case STRUCT:
		t.Fields, err = p.fields(depth)
	case MAP:
		var key Type
		if key, err = p.parse(depth + 1); err == nil {
			t.Key = &key
			err = p.expect(",")
		}
		if err == nil {
			t.Element, err = p.element(depth)
		}
	default:
		t.Element, err = p.element(depth)
	}
	if err == nil {
		err = p.expect(">")
	}
	return t, err
}

func (p *typeParser) element(depth int) (*Type, error) {
	t, err := p.parse(depth + 1)
	return &t, err
}

func (p *typeParser) fields(depth int) ([]Field, error) {
	var out []Field
	for {
		name := p.next()
		if strings.HasPrefix(name, "`") && len(name) > 2 {
			name = strings.ReplaceAll(name[1:len(name)-1], "``", "`")
		}
		if name == "" || name == ">" || name == "," {
			return nil, fmt.Errorf("reading type %q: a field of the STRUCT has no name", p.text)
		}
		if p.i < len(p.tokens) && p.tokens[p.i] == ":" {
			p.i++
		} else if p.i < len(p.tokens) && strings.HasPrefix(p.tokens[p.i], ":") { // read as a marker
			p.tokens[p.i] = p.tokens[p.i][1:]
		}
		t, err := p.parse(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, Field{name, t})
		if p.i == len(p.tokens) || p.tokens[p.i] != "," {
			return out, nil
		}
		p.i++
	}
}
