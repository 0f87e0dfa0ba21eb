package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sluice/runner"
)

// dataType is Spark Connect's DataType in protobuf's JSON form: one member,
// named after the kind. The client's own conversion forgets a decimal's digits
// and everything nested.
type dataType map[string]json.RawMessage

type structType struct {
	Fields []structField
}

type structField struct {
	Name     string
	DataType dataType
	Nullable bool   // absent in JSON when false
	Metadata string // JSON; a comment is in it
}

// comment is what COMMENT said of a column. Other metadata is Spark's own.
func (f structField) comment() string {
	var m struct{ Comment string }
	_ = json.Unmarshal([]byte(f.Metadata), &m) // no metadata, or not of this shape: no comment
	return m.Comment
}

// simpleTypes are the kinds whose DDL is one word.
var simpleTypes = map[string]string{
	"null": "VOID", "binary": "BINARY", "boolean": "BOOLEAN", "byte": "TINYINT", "short": "SMALLINT", "integer": "INT",
	"long": "BIGINT", "float": "FLOAT", "double": "DOUBLE", "string": "STRING", "date": "DATE", "timestamp": "TIMESTAMP",
	"timestampNtz": "TIMESTAMP_NTZ", "calendarInterval": "INTERVAL",
}

// columns reads the schema of a query.
func columns(t dataType) ([]runner.Column, error) {
	raw, ok := t["struct"]
	if !ok {
		return nil, errors.New("the analysed query has no columns")
	}
	return fields(raw)
}

func fields(raw json.RawMessage) ([]runner.Column, error) {
	var s structType
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("reading a struct: %w", err)
	}
	out := make([]runner.Column, 0, len(s.Fields))
	for _, f := range s.Fields {
		c := runner.Column{Name: f.Name, Nullable: f.Nullable, Comment: f.comment()}
		var err error
		if c.Type, err = ddl(f.DataType); err == nil {
			if nested, ok := f.DataType["struct"]; ok {
				c.Fields, err = fields(nested)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// ddl writes a type as DDL would. A kind that the client's messages do not know,
// VARIANT for one, is UNKNOWN: it must be seen, not fail a whole schema.
func ddl(t dataType) (string, error) {
	for kind, raw := range t {
		if word, ok := simpleTypes[kind]; ok {
			return word, nil
		}
		var d struct {
			Precision, Scale, Length int
			ElementType              dataType
			KeyType, ValueType       dataType
			DataTypeString           string
			SQLType                  dataType `json:"sqlType"`
			Fields                   []structField
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			return "", fmt.Errorf("reading type %s: %w", kind, err)
		}
		switch kind {
		case "decimal":
			return fmt.Sprintf("DECIMAL(%d,%d)", d.Precision, d.Scale), nil
		case "char", "varChar":
			return fmt.Sprintf("%s(%d)", strings.ToUpper(kind), d.Length), nil
		case "array":
			return nest("ARRAY<%s>", d.ElementType)
		case "map":
			return nest("MAP<%s,%s>", d.KeyType, d.ValueType)
		case "struct":
			return structDDL(d.Fields)
		case "udt":
			return ddl(d.SQLType)
		case "unparsed":
			return strings.ToUpper(d.DataTypeString), nil
		case "yearMonthInterval":
			return "INTERVAL YEAR TO MONTH", nil
		case "dayTimeInterval":
			return "INTERVAL DAY TO SECOND", nil
		}
	}
	return "UNKNOWN", nil
}

func nest(format string, inner ...dataType) (string, error) {
	words := make([]any, len(inner))
	for i, t := range inner {
		var err error
		if words[i], err = ddl(t); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf(format, words...), nil
}

func structDDL(in []structField) (string, error) {
	parts := make([]string, len(in))
	for i, f := range in {
		word, err := ddl(f.DataType)
		if err != nil {
			return "", err
		}
		parts[i] = f.Name + ":" + word
	}
	return "STRUCT<" + strings.Join(parts, ",") + ">", nil
}
