package sparksql

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kind is the closed set of types that sluice reads text as.
type Kind string

// The types of Spark SQL, by the name that DDL uses.
const (
	STRING       Kind = "STRING"
	BOOLEAN      Kind = "BOOLEAN"
	TINYINT      Kind = "TINYINT"
	SMALLINT     Kind = "SMALLINT"
	INT          Kind = "INT"
	BIGINT       Kind = "BIGINT"
	FLOAT        Kind = "FLOAT"
	DOUBLE       Kind = "DOUBLE"
	DECIMAL      Kind = "DECIMAL"
	DATE         Kind = "DATE"
	TIMESTAMP    Kind = "TIMESTAMP"
	TIMESTAMPNTZ Kind = "TIMESTAMP_NTZ"
	BINARY       Kind = "BINARY"
	ARRAY        Kind = "ARRAY"
	MAP          Kind = "MAP"
	STRUCT       Kind = "STRUCT"
)

// Type is a column type. Precision and Scale are used by DECIMAL alone, Key by
// MAP, Element by ARRAY and MAP (its values), Fields by STRUCT.
type Type struct {
	Kind      Kind
	Precision int     `json:",omitempty"`
	Scale     int     `json:",omitempty"`
	Key       *Type   `json:",omitempty"`
	Element   *Type   `json:",omitempty"`
	Fields    []Field `json:",omitempty"`
}

// Field is one member of a STRUCT.
type Field struct {
	Name string
	Type Type
}

// String is the DDL form: DECIMAL(18,2), STRUCT<`city`: STRING>.
func (t Type) String() string {
	if t.Kind == ARRAY && t.Element == nil || t.Kind == MAP && (t.Key == nil || t.Element == nil) {
		return string(t.Kind) // a type that was refused half-way, in a message
	}
	switch t.Kind {
	case DECIMAL:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case ARRAY:
		return "ARRAY<" + t.Element.String() + ">"
	case MAP:
		return "MAP<" + t.Key.String() + ", " + t.Element.String() + ">"
	case STRUCT:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = Ident(f.Name) + ": " + f.Type.String()
		}
		return "STRUCT<" + strings.Join(parts, ", ") + ">"
	default:
		return string(t.Kind)
	}
}

// Nested reports whether t holds other types.
func (t Type) Nested() bool { return t.Kind == ARRAY || t.Kind == MAP || t.Kind == STRUCT }

// HasMap reports whether a MAP is t or in it: Spark neither compares nor orders
// maps (INVALID_ORDERING_TYPE, DATATYPE_MISMATCH).
func (t Type) HasMap() bool {
	if t.Kind == MAP || t.Element != nil && t.Element.HasMap() {
		return true
	}
	return slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Type.HasMap() })
}

// Integer reports whether t holds whole numbers of a fixed width.
func (t Type) Integer() bool {
	switch t.Kind {
	case TINYINT, SMALLINT, INT, BIGINT:
		return true
	default:
		return false
	}
}

// Numeric reports whether t is ordered by value and written without quotes.
func (t Type) Numeric() bool {
	return t.Integer() || t.Kind == DECIMAL || t.Kind == FLOAT || t.Kind == DOUBLE
}

// Moment reports whether t is a date with a time of day, with a zone or without.
func (t Type) Moment() bool { return t.Kind == TIMESTAMP || t.Kind == TIMESTAMPNTZ }

// Dated reports whether t is a date or a moment.
func (t Type) Dated() bool { return t.Kind == DATE || t.Moment() }

var decimalType = regexp.MustCompile(`^(?:DECIMAL|DEC|NUMERIC)\s*\(\s*(\d{1,2})\s*(?:,\s*(\d{1,2})\s*)?\)$`)

var aliases = map[string]Kind{
	"STRING": STRING, "VARCHAR": STRING, "TEXT": STRING,
	"BOOLEAN": BOOLEAN,
	"TINYINT": TINYINT, "BYTE": TINYINT,
	"SMALLINT": SMALLINT, "SHORT": SMALLINT,
	"INT": INT, "INTEGER": INT,
	"BIGINT": BIGINT, "LONG": BIGINT,
	"FLOAT": FLOAT, "REAL": FLOAT,
	"DOUBLE": DOUBLE,
	"DATE":   DATE, "TIMESTAMP": TIMESTAMP, "TIMESTAMP_LTZ": TIMESTAMP, "TIMESTAMP_NTZ": TIMESTAMPNTZ,
	"BINARY": BINARY,
}

// parseScalar reads a scalar Spark type as physicalType writes it. DECIMAL must
// name its precision: Spark's own default, DECIMAL(10,0), drops every fraction.
func parseScalar(text string) (Type, error) {
	upper := strings.ToUpper(strings.TrimSpace(text))
	if m := decimalType.FindStringSubmatch(upper); m != nil {
		p, _ := strconv.Atoi(m[1])
		s, _ := strconv.Atoi("0" + m[2])
		if p < 1 || p > 38 || s > p {
			return Type{}, fmt.Errorf("reading type %q: Spark's DECIMAL takes a precision of 1 to 38 and a scale up to the precision", text)
		}
		return Type{Kind: DECIMAL, Precision: p, Scale: s}, nil
	}
	if kind, ok := aliases[upper]; ok {
		return Type{Kind: kind}, nil
	}
	if strings.HasPrefix(upper, "DEC") || strings.HasPrefix(upper, "NUMERIC") {
		return Type{}, fmt.Errorf("reading type %q: write precision and scale, for example DECIMAL(18,2)", text)
	}
	return Type{}, fmt.Errorf("reading type %q: not a Spark SQL type that sluice casts to; use one of STRING, BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), DATE, TIMESTAMP, TIMESTAMP_NTZ, BINARY, or ARRAY<…>, MAP<STRING, …> and STRUCT<name: …> of them", text)
}
