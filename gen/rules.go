package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// fillCodes writes each row rule once, in the order in which codes are given:
// columns in file order; in each, missing or unparseable, then its options.
func (v *view) fillCodes() {
	add := func(condition, code string) {
		v.Codes = append(v.Codes, "CASE WHEN "+condition+" THEN "+lit(code)+" END")
	}
	for _, c := range v.table.Columns {
		name, text := ident(c.Name), ident("text_"+c.Name)
		switch {
		case c.Required && casts(c):
			add(text+" IS NULL", c.Codes.Missing)
		case c.Required:
			add(name+" IS NULL", c.Codes.Missing)
		}
		if casts(c) {
			add(text+" IS NOT NULL AND "+name+" IS NULL", c.Codes.Unparseable)
		}
		for _, r := range c.Rules {
			add(broken(c, r), r.Code)
		}
	}
	if len(v.Codes) == 0 {
		v.Codes = []string{"CAST(NULL AS STRING)"}
	}
	// array_except drops the NULLs and keeps the first of equal codes. It is
	// compiled; array_compact is a lambda, which Spark interprets row by row
	// and which takes its whole projection out of code generation.
	v.CodesOpen, v.CodesClose = "array_except(", ", array(CAST(NULL AS STRING)))"
}

// operators of each option: the one that a broken value meets, and the one that
// a kept value meets.
var operators = map[contracts.Option]struct{ broken, kept string }{
	contracts.Enum:             {"NOT IN", "IN"},
	contracts.Minimum:          {"<", ">="},
	contracts.ExclusiveMinimum: {"<=", ">"},
	contracts.Maximum:          {">", "<="},
	contracts.ExclusiveMaximum: {">=", "<"},
	contracts.MinLength:        {"<", ">="},
	contracts.MaxLength:        {">", "<="},
}

// broken is the condition under which a value breaks a rule. It is NULL, and so
// not met, for a missing value: that is required's business.
func broken(c *contracts.Column, r contracts.ColumnRule) string {
	if r.Option == contracts.Pattern {
		return "NOT " + kept(c, r)
	}
	return condition(c, r, operators[r.Option].broken)
}

// kept is the condition that a value keeps a rule, for a CHECK.
func kept(c *contracts.Column, r contracts.ColumnRule) string {
	if r.Option == contracts.Pattern {
		return ident(c.Name) + " RLIKE " + lit(r.Bound)
	}
	return condition(c, r, operators[r.Option].kept)
}

func condition(c *contracts.Column, r contracts.ColumnRule, operator string) string {
	switch r.Option {
	case contracts.Enum:
		return ident(c.Name) + " " + operator + " (" + values(c, r.Values) + ")"
	case contracts.MinLength, contracts.MaxLength:
		return "length(" + ident(c.Name) + ") " + operator + " " + r.Bound
	default:
		return ident(c.Name) + " " + operator + " " + value(c, r.Bound)
	}
}

func values(c *contracts.Column, texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = value(c, t)
	}
	return strings.Join(out, ", ")
}

// value is a typed literal that reads the same in every session: numbers plain,
// timestamps with their zone. A FLOAT is compared as a FLOAT: 0.3 is less than
// the FLOAT that is nearest to it. (Delta's parser of a CHECK knows no 0.3F.)
func value(c *contracts.Column, text string) string {
	switch {
	case c.Type.Kind == sparksql.FLOAT:
		return "CAST(" + text + " AS FLOAT)"
	case c.Type.Numeric():
		return text
	case c.Type.Kind == sparksql.DATE:
		return "DATE " + lit(text)
	case c.Type.Kind == sparksql.TIMESTAMP:
		return "TIMESTAMP " + lit(text+"Z")
	case c.Type.Kind == sparksql.TIMESTAMPNTZ:
		return "TIMESTAMP_NTZ " + lit(text)
	case c.Type.Kind == sparksql.BOOLEAN:
		return strings.ToLower(text)
	default:
		return lit(text)
	}
}

func (v *view) constraints() []plan.Constraint { return constraints(v.table) }

// constraints are the CHECKs of the target. Delta counts NULL as a violation
// (CheckDeltaInvariant), so an optional column allows it.
func constraints(t *contracts.Table) []plan.Constraint {
	var out []plan.Constraint
	for i, c := range t.Columns {
		for _, r := range c.Rules {
			if !r.OnTable {
				continue
			}
			expression := kept(c, r)
			if !c.Required {
				expression = ident(c.Name) + " IS NULL OR " + expression
			}
			out = append(out, plan.Constraint{Name: slug(c.Name, fmt.Sprintf("column_%d", i+1)) + "_" + snake(string(r.Option)), Expression: expression})
		}
	}
	return out
}

func snake(camel string) string {
	var out strings.Builder
	for _, r := range camel {
		if r >= 'A' && r <= 'Z' {
			out.WriteByte('_')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}
