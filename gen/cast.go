package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

const (
	isoDate = `\d{4}-\d{2}-\d{2}`
	isoTime = `[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6}0*)?`
	zone    = `(Z|[+-]\d{2}:?\d{2})`
)

// cast types a text strictly: a text that is not exactly a value of the type
// gives NULL. try_cast alone accepts too much: '2026-03-01Tx' is a date for it,
// '10:00' the time of today, '1.005' rounds, '1e3' and 'NaN' are numbers
// (SparkDateTimeUtils, Decimal.fromString). Its integers are strict already.
func cast(c *contracts.Column, text string) string {
	typ := c.Type.String()
	plain := "try_cast(" + text + " AS " + typ + ")"
	if c.Lenient {
		return plain
	}
	shaped := func(shape string) string {
		return "CASE WHEN " + text + " RLIKE " + lit("^"+shape+"$") + " THEN " + plain + " END"
	}
	switch c.Type.Kind {
	case sparksql.DECIMAL:
		fraction := `(\.0+)?`
		if c.Type.Scale > 0 {
			fraction = fmt.Sprintf(`(\.\d{1,%d}0*)?`, c.Type.Scale)
		}
		return shaped(`[+-]?\d+` + fraction)
	case sparksql.FLOAT, sparksql.DOUBLE:
		return shaped(`[+-]?\d+(\.\d+)?`)
	case sparksql.DATE:
		return withFormats(c, text, shape{`^` + isoDate + `$`, plain})
	case sparksql.TIMESTAMP, sparksql.TIMESTAMPNTZ:
		return timestamp(c, text, plain)
	case sparksql.BINARY, sparksql.STRING, sparksql.BOOLEAN, sparksql.TINYINT, sparksql.SMALLINT, sparksql.INT, sparksql.BIGINT:
		return plain
	default:
		return plain
	}
}

// shape is a regular expression and the cast of a text that has it.
type shape struct{ pattern, value string }

func timestamp(c *contracts.Column, text, plain string) string {
	var shapes []shape
	local := plain
	if c.DefaultZone != "" && c.DefaultZone != "UTC" && c.DefaultZone != "Etc/UTC" && c.Type.Kind == sparksql.TIMESTAMP {
		local = localTime(plain, c.DefaultZone)
	}
	policy := c.Zone
	if c.Type.Kind == sparksql.TIMESTAMPNTZ {
		policy = contracts.ZoneRefused
	}
	switch {
	case policy == contracts.ZoneRequired:
		shapes = []shape{{"^" + isoDate + isoTime + zone + "$", plain}}
	case policy == contracts.ZoneRefused:
		shapes = []shape{{"^" + isoDate + isoTime + "$", local}}
	case local == plain:
		shapes = []shape{{"^" + isoDate + isoTime + zone + "?$", plain}}
	default:
		shapes = []shape{{"^" + isoDate + isoTime + zone + "$", plain}, {"^" + isoDate + isoTime + "$", local}}
	}
	return withFormats(c, text, shapes...)
}

// localTime reads a text without a zone in the contract's zone. A local time
// that does not exist does not come back from UTC, and one that occurs twice
// comes back from a second instant as well: both are NULL.
func localTime(local, zone string) string {
	utc := "to_utc_timestamp(" + local + ", " + lit(zone) + ")"
	back := func(shift string) string { return "from_utc_timestamp(" + utc + shift + ", " + lit(zone) + ")" }
	conditions := []string{back("") + " = " + local}
	for _, shift := range []string{" - INTERVAL 1 HOUR", " + INTERVAL 1 HOUR", " - INTERVAL 30 MINUTES", " + INTERVAL 30 MINUTES"} {
		conditions = append(conditions, back(shift)+" <> "+local)
	}
	return "CASE WHEN " + strings.Join(conditions, " AND ") + " THEN " + utc + " END"
}

// withFormats adds the contract's own formats to the ISO shapes.
func withFormats(c *contracts.Column, text string, shapes ...shape) string {
	for _, format := range c.Formats {
		pattern, known := formatShape(format)
		if !known || isISO(format, c.Type.Kind) {
			continue
		}
		value := "try_to_timestamp(" + text + ", " + lit(format) + ")"
		switch {
		case c.Type.Kind == sparksql.DATE:
			value = "CAST(" + value + " AS DATE)"
		case c.Type.Kind == sparksql.TIMESTAMPNTZ:
			value = "CAST(" + value + " AS TIMESTAMP_NTZ)"
		case c.DefaultZone != "" && c.DefaultZone != "UTC" && c.DefaultZone != "Etc/UTC" && !strings.ContainsAny(format, "XxZVO"):
			value = localTime(value, c.DefaultZone)
		}
		shapes = append(shapes, shape{"^" + pattern + "$", value})
	}
	if len(shapes) == 1 {
		return "CASE WHEN " + text + " RLIKE " + lit(shapes[0].pattern) + " THEN " + shapes[0].value + " END"
	}
	var out strings.Builder
	out.WriteString("CASE")
	for _, s := range shapes {
		out.WriteString("\n      WHEN " + text + " RLIKE " + lit(s.pattern) + " THEN " + s.value)
	}
	out.WriteString("\n    END")
	return out.String()
}

// isISO tells formats that the ISO grammar of the type already covers.
func isISO(format string, kind sparksql.Kind) bool {
	if kind == sparksql.DATE {
		return format == "yyyy-MM-dd"
	}
	switch format {
	case "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ss.SSS",
		"yyyy-MM-dd HH:mm:ss.SSSSSS", "yyyy-MM-dd'T'HH:mm:ss.SSSSSS", "yyyy-MM-dd'T'HH:mm:ssXXX", "yyyy-MM-dd'T'HH:mm:ss'Z'":
		return true
	default:
		return false
	}
}

// formatShape is the regular expression of a JDK date pattern. try_to_timestamp
// alone is no judge: on LEGACY clusters it reads a tail as nothing, and one
// letter takes one or two digits.
func formatShape(format string) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(format); {
		c := format[i]
		n := 1
		for i+n < len(format) && format[i+n] == c {
			n++
		}
		switch {
		case c == '\'':
			end := strings.IndexByte(format[i+1:], '\'')
			if end < 0 {
				return "", false
			}
			out.WriteString(quoteRegexp(format[i+1 : i+1+end]))
			i += end + 2
			continue
		case strings.IndexByte("yuMdHhmsS", c) >= 0:
			if n == 1 {
				out.WriteString(`\d{1,2}`)
			} else {
				fmt.Fprintf(&out, `\d{%d}`, n)
			}
		case strings.IndexByte("XxZVO", c) >= 0:
			out.WriteString(zone)
		case c == 'a':
			out.WriteString(`(AM|PM)`)
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return "", false
		default:
			out.WriteString(quoteRegexp(strings.Repeat(string(c), n)))
		}
		i += n
	}
	return out.String(), true
}

func quoteRegexp(s string) string {
	var out strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
