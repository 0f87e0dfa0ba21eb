package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// fillCodes writes each row rule once, in the order in which codes are given:
// columns in file order; in each, missing or unparseable, then its options, then
// those of its members.
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
		valueCodes(c, add)
	}
	rowCodes(v.table, add)
	if len(v.Codes) == 0 {
		v.Codes = []string{"CAST(NULL AS STRING)"}
	}
	// array_except drops the NULLs and keeps the first of equal codes. It is
	// compiled; array_compact is a lambda, which Spark interprets row by row
	// and which takes its whole projection out of code generation.
	v.CodesOpen, v.CodesClose = "array_except(", ", array(CAST(NULL AS STRING)))"
}

// valueCodes are the codes of a value that is there.
func valueCodes(c *contracts.Column, add func(condition, code string)) {
	name := ident(c.Name)
	for _, r := range c.Rules {
		add(broken(c, r, name), r.Code)
	}
	memberCodes(c, name, 1, add)
}

// rowCodes are the codes of the author's own rules about a row.
func rowCodes(t *contracts.Table, add func(condition, code string)) {
	for _, r := range t.RowRules {
		add("NOT ("+r.Expression+")", r.Code)
	}
}

// operators of each option: the one that a broken value meets, and the one that
// a kept value meets.
var operators = map[contracts.Option]struct{ broken, kept string }{
	contracts.Enum:             {"NOT IN", "IN"},
	contracts.Minimum:          {"<", ">="},
	contracts.ExclusiveMinimum: {"<=", ">"},
	contracts.Maximum:          {">", "<="},
	contracts.ExclusiveMaximum: {">=", "<"},
	contracts.MultipleOf:       {"<>", "="},
	contracts.MinLength:        {"<", ">="},
	contracts.MaxLength:        {">", "<="},
	contracts.Dimensions:       {"<>", "="},
	contracts.MinItems:         {"<", ">="},
	contracts.MaxItems:         {">", "<="},
	contracts.UniqueItems:      {"<", "="},
	contracts.MinProperties:    {"<", ">="},
	contracts.MaxProperties:    {">", "<="},
}

// broken is the condition under which a value breaks a rule. It is NULL or
// false, and so not met, for a missing value: that is required's business.
func broken(c *contracts.Column, r contracts.ColumnRule, value string) string {
	switch r.Option {
	case contracts.Pattern, contracts.TextFormat:
		return "NOT " + kept(c, r, value)
	case contracts.Dimensions, contracts.MinItems, contracts.MinProperties:
		// Without ANSI, size(NULL) is -1 (spark.sql.legacy.sizeOfNull).
		return value + " IS NOT NULL AND " + condition(c, r, value, operators[r.Option].broken)
	default:
		return condition(c, r, value, operators[r.Option].broken)
	}
}

// kept is the condition that a value keeps a rule, for a CHECK.
func kept(c *contracts.Column, r contracts.ColumnRule, value string) string {
	switch r.Option {
	case contracts.Pattern:
		return value + " RLIKE " + lit(r.Bound)
	case contracts.TextFormat:
		return value + " RLIKE " + lit(textFormats[r.Bound])
	default:
		return condition(c, r, value, operators[r.Option].kept)
	}
}

func condition(c *contracts.Column, r contracts.ColumnRule, value, operator string) string {
	switch r.Option {
	case contracts.Enum:
		return operand(c, value) + " " + operator + " (" + values(c, r.Values) + ")"
	case contracts.MinLength, contracts.MaxLength:
		length := "length("
		if c.Type.Kind == sparksql.BINARY {
			length = "octet_length("
		}
		return length + value + ") " + operator + " " + r.Bound
	case contracts.MultipleOf:
		return multiple(c, value, operator, r.Bound)
	case contracts.Dimensions, contracts.MinItems, contracts.MaxItems:
		return "size(" + value + ") " + operator + " " + r.Bound
	case contracts.UniqueItems:
		return "size(array_distinct(" + value + ")) " + operator + " size(" + value + ")"
	case contracts.MinProperties, contracts.MaxProperties:
		return present(c, value) + " " + operator + " " + r.Bound
	default:
		return operand(c, value) + " " + operator + " " + literal(c, r.Bound)
	}
}

// multiple takes the remainder in decimals. A double goes there by its text: as
// a double, 0.3 is no multiple of 0.1. One beyond 20 digits is never a multiple.
func multiple(c *contracts.Column, value, operator, divisor string) string {
	if c.Type.Kind != sparksql.DOUBLE && c.Type.Kind != sparksql.FLOAT {
		return value + " % " + divisor + " " + operator + " 0"
	}
	remainder := "try_cast(CAST(" + value + " AS STRING) AS DECIMAL(38,18)) % " + divisor + " " + operator + " 0"
	beyond := " IS NOT NULL" // breaks the rule
	if operator == operators[contracts.MultipleOf].kept {
		beyond = " IS NULL"
	}
	return "coalesce(" + remainder + ", " + value + beyond + ")"
}

// operand is what stands before an operator: the value, and a time of day as a
// moment, so that 10:00:00.50 equals 10:00:00.5.
func operand(c *contracts.Column, value string) string {
	if c.Clock {
		return "try_cast(concat('1970-01-01 ', " + value + ") AS TIMESTAMP_NTZ)"
	}
	return value
}

func values(c *contracts.Column, texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = literal(c, t)
	}
	return strings.Join(out, ", ")
}

// literal is a typed literal that reads the same in every session: numbers plain,
// timestamps with their zone. A FLOAT is compared as a FLOAT: 0.3 is less than
// the FLOAT that is nearest to it. (Delta's parser of a CHECK knows no 0.3F.)
func literal(c *contracts.Column, text string) string {
	switch {
	case c.Clock:
		return "TIMESTAMP_NTZ " + lit("1970-01-01 "+text)
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

// constraints of the table; Iceberg has no CHECK, so that its rules are those of
// the rows alone.
func (v *view) constraints() []plan.Constraint {
	if v.contract.Server.Format == contracts.Iceberg {
		return nil
	}
	return constraints(v.table)
}

// constraints are the CHECKs of the target. Delta counts NULL as a violation
// (CheckDeltaInvariant), so an optional column allows it. None is a function call
// as a whole, such as coalesce(…): up to Delta 3.2 ADD CONSTRAINT asks for the
// type of a function before it is resolved, and fails (measured, 3.2.1).
func constraints(t *contracts.Table) []plan.Constraint {
	var out []plan.Constraint
	for i, c := range t.Columns {
		for _, r := range c.Rules {
			if !r.OnTable {
				continue
			}
			expression := kept(c, r, ident(c.Name))
			if !c.Required {
				expression = ident(c.Name) + " IS NULL OR " + expression
			} else if strings.HasPrefix(expression, "coalesce(") {
				expression += " IS TRUE"
			}
			out = append(out, plan.Constraint{Name: slug(c.Name, fmt.Sprintf("column_%d", i+1)) + "_" + snake(string(r.Option)), Expression: expression})
		}
	}
	for i, r := range t.RowRules {
		if r.OnTable {
			out = append(out, plan.Constraint{Name: "row_" + slug(r.ID, fmt.Sprintf("rule_%d", i+1)), Expression: "(" + r.Expression + ") IS NOT FALSE"})
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
