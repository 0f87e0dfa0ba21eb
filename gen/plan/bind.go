package plan

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sluice/gen/sparksql"
)

// ParamType is the closed set of marker types.
type ParamType string

// The marker types and what Bind makes of a value.
const (
	TextParam    ParamType = "text"    // string -> a literal, nil -> NULL
	IntegerParam ParamType = "integer" // int64 -> digits, nil -> NULL
	BooleanParam ParamType = "boolean" // bool
	JSONParam    ParamType = "json"    // any -> a literal that holds its JSON
	ColumnsParam ParamType = "columns" // []Column -> `name` TYPE, …
	NameParam    ParamType = "name"    // string -> a quoted identifier
	TextsParam   ParamType = "texts"   // []string -> literals, … for IN; none -> '', which is no name and no id
)

// Param declares a marker.
type Param struct {
	Name string    `json:"name"`
	Type ParamType `json:"type"`
	Why  string    `json:"why"` // what fills it
	// Script reads in a printed script what a run would fill in; "" where only the
	// result of an earlier statement says it.
	Script Expression `json:"-"`
}

// Values are the values of markers by name.
type Values map[string]any

var batchID = regexp.MustCompile(`^[A-Za-z0-9._:+-]{1,128}$`)

// CheckBatchID refuses an id that does not match [A-Za-z0-9._:+-]{1,128}.
func CheckBatchID(id string) error {
	if !batchID.MatchString(id) {
		return fmt.Errorf("reading batch id %q: use 1 to 128 of the characters A-Z a-z 0-9 . _ : + -", id)
	}
	return nil
}

// Bind replaces the markers of sql that have a value and returns the text and
// the names of the markers that it left. It reads past string literals, quoted
// identifiers and comments, so that no value and no author's text is taken for
// a marker.
func (p *Plan) Bind(sql string, values Values) (string, []string, error) {
	types := map[string]ParamType{}
	for _, param := range p.Params {
		types[param.Name] = param.Type
	}
	var out strings.Builder
	var left []string
	for _, tok := range sparksql.Tokens(sql) {
		if tok.Kind != sparksql.Marker {
			out.WriteString(tok.Text)
			continue
		}
		name := tok.Text[1:]
		typ, declared := types[name]
		value, given := values[name]
		if !declared || !given {
			left = append(left, name)
			out.WriteString(tok.Text)
			continue
		}
		text, err := render(typ, value)
		if err != nil {
			return "", nil, fmt.Errorf("binding :%s: %w", name, err)
		}
		out.WriteString(text)
	}
	return out.String(), left, nil
}

func render(typ ParamType, value any) (string, error) {
	if value == nil {
		return "NULL", nil
	}
	switch v := value.(type) {
	case Expression:
		return string(v), nil
	case string:
		if typ == TextParam {
			return sparksql.String(v), nil
		}
	case int64:
		if typ == IntegerParam {
			return strconv.FormatInt(v, 10), nil
		}
	case bool:
		if typ == BooleanParam {
			return strconv.FormatBool(v), nil
		}
	case []string:
		if typ == TextsParam {
			return texts(v), nil
		}
	case []Column:
		if typ == ColumnsParam {
			return columns(v), nil
		}
	}
	if typ == JSONParam {
		text, err := json.Marshal(value)
		if err != nil {
			return "", err
		}
		return sparksql.String(string(text)), nil
	}
	if text, ok := value.(string); ok && typ == NameParam {
		return sparksql.Ident(text), nil
	}
	return "", fmt.Errorf("a value of type %T does not fit a marker of type %s", value, typ)
}

func columns(cols []Column) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = sparksql.Ident(c.Name) + " " + c.Type
	}
	return strings.Join(parts, ", ")
}

func texts(items []string) string {
	if len(items) == 0 {
		return sparksql.String("")
	}
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = sparksql.String(item)
	}
	return strings.Join(parts, ", ")
}

// Samples are values for every marker, for a look at the plan of a statement that
// is not run: what a run would bring is not known then.
func (p *Plan) Samples() Values {
	out := Values{}
	for _, param := range p.Params {
		switch param.Type {
		case TextParam, NameParam:
			out[param.Name] = "sample"
		case IntegerParam:
			out[param.Name] = int64(0)
		case BooleanParam:
			out[param.Name] = false
		case TextsParam:
			out[param.Name] = []string{}
		case ColumnsParam:
			out[param.Name] = []Column{{Name: "sample", Type: "STRING"}}
		case JSONParam:
			out[param.Name] = map[string]int64{}
		}
	}
	for _, c := range p.Partition {
		out[c.Param] = map[string]string{"DATE": "2000-01-01", "INT": "0", "BIGINT": "0", "BOOLEAN": "true"}[c.Type]
		if c.Type == "STRING" {
			out[c.Param] = "sample"
		}
	}
	for _, bound := range []string{"key_low", "key_high"} { // cast to the type of the first key column
		if out[bound] != nil {
			out[bound] = "0"
		}
	}
	if out["started_at"] != nil {
		out["started_at"] = "2000-01-01 00:00:00"
	}
	return out
}
