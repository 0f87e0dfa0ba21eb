package contracts

import (
	"regexp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// The logical types that each physical type may be declared with. 3.0 has no
// timestamp: there a moment is a date with a format.
func logicalTypes(kind sparksql.Kind, release odcs.Release) []string {
	switch kind {
	case sparksql.STRING, sparksql.BINARY:
		return []string{"string"}
	case sparksql.BOOLEAN:
		return []string{"boolean"}
	case sparksql.TINYINT, sparksql.SMALLINT, sparksql.INT, sparksql.BIGINT:
		return []string{"integer", "number"}
	case sparksql.DECIMAL:
		return []string{"number", "integer"}
	case sparksql.FLOAT, sparksql.DOUBLE:
		return []string{"number"}
	case sparksql.DATE:
		return []string{"date"}
	case sparksql.TIMESTAMP, sparksql.TIMESTAMPNTZ:
		if release == odcs.Release30 {
			return []string{"timestamp", "date"}
		}
		return []string{"timestamp"}
	case sparksql.ARRAY:
		return []string{"array", "vector"}
	case sparksql.MAP:
		return []string{"map"}
	case sparksql.STRUCT:
		return []string{"object"}
	default:
		return nil
	}
}

// columnType sets the type: physicalType says it, else logicalType with format.
// It reports whether the column has a type that sluice can read text as.
func (t *tableLoader) columnType(p *odcs.Node, c *Column) bool {
	if !t.published {
		c.Type, _ = quietType(p)
		return c.Type.Kind != ""
	}
	return t.typed(p, c)
}

// typed sets the type of a column or of a member of a nested one.
func (t *tableLoader) typed(p *odcs.Node, c *Column) bool {
	logical, physical := p.Get("logicalType"), p.Get("physicalType")
	if kind := nestedKind(p); kind != "" {
		return t.nested(p, c, kind)
	}
	if logical.Text() == "time" {
		return t.clock(physical, c)
	}
	if physical != nil {
		return t.physicalType(p, c)
	}
	if p.Had("physicalType") || logical == nil && p.Had("logicalType") {
		return false // its shape was wrong
	}
	kind, problem := impliedType(p)
	if problem != "" {
		at := logical
		if at == nil {
			at = p
		}
		t.problem(at, "missing-type", "the column %q %s", c.stem, problem)
		return false
	}
	c.Type = kind
	return true
}

// clock types a time of day as text: Spark 3.5 has no type for it.
func (t *tableLoader) clock(physical *odcs.Node, c *Column) bool {
	if physical != nil && !strings.EqualFold(physical.Text(), "STRING") {
		t.problem(physical, "type-mismatch", "the logical type time is stored as STRING (HH:mm:ss with an optional fraction), for Spark 3.5 has no type for it; write physicalType: STRING")
		return false
	}
	c.Type, c.Clock = sparksql.Type{Kind: sparksql.STRING}, true
	return true
}

func (t *tableLoader) physicalType(p *odcs.Node, c *Column) bool {
	logical, physical := p.Get("logicalType"), p.Get("physicalType")
	parsed, err := sparksql.ParseType(physical.Text())
	if characters.MatchString(physical.Text()) {
		parsed, err = sparksql.Type{Kind: sparksql.STRING}, nil // its length is a rule, see columnRule
	}
	if err != nil {
		t.problem(physical, "bad-type", "%v", err)
		return false
	}
	c.Type = parsed
	allowed := logicalTypes(parsed.Kind, t.doc.Release)
	whole := parsed.Kind != sparksql.DECIMAL || parsed.Scale == 0 || logical.Text() != "integer"
	if fits := whole && slices.Contains(allowed, logical.Text()); logical != nil && !fits {
		t.problem(physical, "type-mismatch", "the logical type %s cannot be stored as %s; change one of them", logical.Text(), parsed)
		return false
	}
	return true
}

// characters is CHAR(n) and VARCHAR(n): to every reader a STRING whose length is
// bounded (CharVarcharUtils).
var characters = regexp.MustCompile(`^\s*(?i:CHAR|CHARACTER|VARCHAR)\s*\(\s*(\d{1,9})\s*\)\s*$`)

var integerFormats = map[string]sparksql.Kind{
	"": sparksql.BIGINT, "i8": sparksql.TINYINT, "i16": sparksql.SMALLINT, "i32": sparksql.INT, "i64": sparksql.BIGINT,
}

// impliedType is the type that logicalType stands for, or what is missing.
func impliedType(p *odcs.Node) (sparksql.Type, string) {
	format := p.Get("logicalTypeOptions").Get("format").Text()
	kinds := map[string]sparksql.Kind{
		"string": sparksql.STRING, "date": sparksql.DATE, "timestamp": sparksql.TIMESTAMP, "boolean": sparksql.BOOLEAN,
		"integer": integerFormats[format],
		"number":  map[string]sparksql.Kind{"f32": sparksql.FLOAT, "f64": sparksql.DOUBLE}[format],
	}
	logical := p.Get("logicalType").Text()
	if kind := kinds[logical]; kind != "" {
		return sparksql.Type{Kind: kind}, ""
	}
	switch logical {
	case "number":
		return sparksql.Type{}, "is a number without precision and scale; add physicalType, for example DECIMAL(18,2)"
	case "integer":
		return sparksql.Type{}, "has the format " + format + ", which Spark has no type for; add physicalType, for example DECIMAL(20,0)"
	default:
		return sparksql.Type{}, "has no type; add logicalType or physicalType"
	}
}

func quietType(p *odcs.Node) (sparksql.Type, string) {
	if physical := p.Get("physicalType"); physical != nil {
		parsed, err := sparksql.ParseType(physical.Text())
		if err == nil {
			return parsed, ""
		}
	}
	return impliedType(p)
}
