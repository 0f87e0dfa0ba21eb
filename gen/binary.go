package gen

import (
	"sluice/contracts"
	"sluice/gen/sparksql"
)

// The texts of bytes. try_to_binary alone is no judge: it passes over characters
// that are no base64, takes an end without its padding, and completes an odd hex
// digit (measured, 4.1.3). The groups are possessive, so that Java's engine walks
// through a long text instead of calling itself.
const (
	// RFC 4648 with padding. The last character before it may only be one that
	// leaves no bits over: each text is other bytes, and encodes back to itself.
	base64Text = `^([A-Za-z0-9+/]{4})*+([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?\z`
	hexText    = `^([0-9A-Fa-f]{2})*+\z`
)

// bytesShape reads bytes from their text.
func bytesShape(c *contracts.Column, text string) shape {
	if c.Hex {
		return shape{hexText, "try_to_binary(" + text + ", 'hex')"}
	}
	return shape{base64Text, "try_to_binary(" + text + ", 'base64')"}
}

// base64 is bytes as text. Spark breaks it into lines of 76 characters.
func base64(value string) string { return "replace(base64(" + value + "), " + lit("\r\n") + ", '')" }

// bytesText is the text of a value that holds bytes or, in a source with types,
// their text.
func bytesText(value string, hex bool) string {
	encoded := base64(value)
	if hex {
		encoded = "hex(" + value + ")"
	}
	return "CASE WHEN typeof(" + value + ") = 'binary' THEN " + encoded + " ELSE CAST(" + value + " AS STRING) END"
}

// asText is a value of any type as the text that a column is cast from. Lenient
// bytes are those of the text itself, which Spark's cast gives back as they were.
func asText(c *contracts.Column, value string) string {
	if c.Type.Kind == sparksql.BINARY && !c.Lenient {
		return bytesText(value, c.Hex)
	}
	return "CAST(" + value + " AS STRING)"
}

// sourceType is the type of a column of a typed source that a cast to STRING
// would not show: nested values and bytes, where a column of the contract is that
// column itself.
func (v *view) sourceType(source string) sparksql.Type {
	for _, c := range v.table.Columns {
		if v.Typed && c.Expression == "" && has(c.Sources, source) && (c.Type.Nested() || c.Type.Kind == sparksql.BINARY) {
			return c.Type
		}
	}
	return sparksql.Type{}
}
