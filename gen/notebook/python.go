package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"sluice/gen/plan"
)

// The shapes of Python that constants are written in: dict and block take a line an
// item, flat and list stay in one.
type (
	pair struct {
		key   string
		value any
	}
	dict  []pair
	flat  []pair
	block []any
	list  [][]string
	call  string // an expression, as it stands
)

// python writes a value. depth is the indentation of the line it begins in.
func python(value any, depth int) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case call:
		return string(v)
	case string:
		return quote(v)
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case int, int64:
		return fmt.Sprint(v)
	case []int:
		out := make([]string, len(v))
		for i, one := range v {
			out[i] = strconv.Itoa(one)
		}
		return "[" + strings.Join(out, ", ") + "]"
	case []string:
		return "[" + strings.Join(quoteAll(v), ", ") + "]"
	case list:
		out := make([]string, len(v))
		for i, one := range v {
			out[i] = python(one, 0)
		}
		return "[" + strings.Join(out, ", ") + "]"
	case flat:
		return "{" + strings.Join(pairs(v, 0), ", ") + "}"
	case dict:
		return lines("{", pairs(v, depth+1), "}", depth)
	case block:
		out := make([]string, len(v))
		for i, one := range v {
			out[i] = python(one, depth+1)
		}
		return lines("[", out, "]", depth)
	default:
		panic(fmt.Sprintf("writing Python: a value of type %T has no form", value)) // a mistake in this package
	}
}

func pairs(all []pair, depth int) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = quote(one.key) + ": " + python(one.value, depth)
	}
	return out
}

func lines(begin string, items []string, end string, depth int) string {
	if len(items) == 0 {
		return begin + end
	}
	indent := strings.Repeat("    ", depth)
	return begin + "\n    " + indent + strings.Join(items, ",\n    "+indent) + ",\n" + indent + end
}

// quote is a text as a literal of Python, which reads every escape of JSON but a
// pair of surrogates; those are left as the character that they are.
func quote(text string) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a text has a form
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func quoteAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, one := range texts {
		out[i] = quote(one)
	}
	return out
}

// sqlText is a statement as a literal of several lines, without escapes where that
// can be: what the cell shows is what is sent.
func sqlText(sql string) string {
	if strings.Contains(sql, `"""`) || strings.Contains(sql, "\r") || strings.ContainsRune(sql, 0) {
		escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", `\r`, "\x00", `\x00`).Replace(sql)
		return "\"\"\"\n" + escaped + "\n\"\"\""
	}
	return "r\"\"\"\n" + sql + "\n\"\"\""
}

// structs are values whose JSON is flat, a line each.
func structs[T plan.PartitionColumn | plan.Ending](all []T) block {
	out := block{}
	for _, one := range all {
		switch v := any(one).(type) {
		case plan.PartitionColumn:
			out = append(out, flat{{"name", v.Name}, {"type", v.Type}, {"param", v.Param}})
		case plan.Ending:
			out = append(out, flat{{"column", v.Column}, {"endOfLife", v.EndOfLife}, {"successor", v.Successor}, {"fail", v.Fail}, {"readers", v.Readers}})
		}
	}
	return out
}

// checks are what a step judges, with the keys that a kind has.
func checks(all []plan.Check) block {
	out := block{}
	for _, c := range all {
		one := flat{{"code", c.Code}, {"rule", c.Rule}, {"kind", c.Kind}}
		for _, p := range []pair{{"statement", c.Statement}, {"column", c.Column}, {"op", c.Op}} {
			if p.value != "" {
				one = append(one, p)
			}
		}
		if c.Bounds != nil {
			one = append(one, pair{"bounds", c.Bounds})
		}
		if c.By != nil {
			one = append(one, pair{"by", c.By}, pair{"window", c.Window}, pair{"atLeast", c.AtLeast})
		}
		out = append(out, append(one, pair{"severity", c.Severity}, pair{"dimension", c.Dimension}, pair{"owner", c.Owner}))
	}
	return out
}
