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
// '10:00' the time of today, '1.005' rounds, '1e3' and 'NaN' are numbers, a
// number of 400 digits is Infinity (SparkDateTimeUtils, Decimal.fromString,
// measured). Its integers and booleans are strict already.
func cast(c *contracts.Column, text string) string {
	plain := "try_cast(" + text + " AS " + c.Type.String() + ")"
	if c.Lenient && !c.Clock {
		return plain
	}
	switch c.Type.Kind {
	case sparksql.DECIMAL:
		fraction := `(\.0+)?`
		if c.Type.Scale > 0 {
			fraction = fmt.Sprintf(`(\.\d{1,%d}0*)?`, c.Type.Scale)
		}
		return shaped(text, shape{`^[+-]?\d+` + fraction + `$`, plain})
	case sparksql.FLOAT:
		return shaped(text, shape{`^[+-]?0*\d{1,38}(\.\d+)?$`, plain})
	case sparksql.DOUBLE:
		return shaped(text, shape{`^[+-]?0*\d{1,308}(\.\d+)?$`, plain})
	case sparksql.DATE:
		return shaped(text, append([]shape{{`^` + isoDate + `$`, plain}}, formats(c, text)...)...)
	case sparksql.TIMESTAMP, sparksql.TIMESTAMPNTZ:
		return shaped(text, append(moments(c, plain), formats(c, text)...)...)
	case sparksql.STRING:
		if c.Clock {
			return shaped(text, shape{`^([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6}0*)?\z`, text})
		}
		return plain
	case sparksql.BINARY:
		return shaped(text, bytesShape(c, text))
	case sparksql.BOOLEAN, sparksql.TINYINT, sparksql.SMALLINT, sparksql.INT, sparksql.BIGINT:
		return plain
	default:
		return plain
	}
}

// shape is a regular expression and the cast of a text that has it.
type shape struct{ pattern, value string }

// shaped casts a text by the first shape that it has; without one it is NULL.
func shaped(text string, shapes ...shape) string {
	if len(shapes) == 1 && !strings.Contains(shapes[0].value, "\n") {
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

// zoneOf is how the contract reads a zone in the text; local time has none.
func zoneOf(c *contracts.Column) contracts.ZonePolicy {
	if c.Type.Kind == sparksql.TIMESTAMPNTZ {
		return contracts.ZoneRefused
	}
	return c.Zone
}

// local reads a text without a zone in the contract's default zone.
func local(c *contracts.Column, value string) string {
	if c.Type.Kind != sparksql.TIMESTAMP || c.DefaultZone == "" || c.DefaultZone == "UTC" || c.DefaultZone == "Etc/UTC" {
		return value // sessions run in UTC
	}
	return localTime(value, c.DefaultZone)
}

// moments are the ISO shapes of a timestamp, with a zone and without.
func moments(c *contracts.Column, plain string) []shape {
	withZone := shape{"^" + isoDate + isoTime + zone + "$", plain}
	without := shape{"^" + isoDate + isoTime + "$", local(c, plain)}
	switch policy := zoneOf(c); {
	case policy == contracts.ZoneRequired:
		return []shape{withZone}
	case policy == contracts.ZoneRefused:
		return []shape{without}
	case without.value == plain:
		return []shape{{"^" + isoDate + isoTime + zone + "?$", plain}}
	default:
		return []shape{withZone, without}
	}
}

// localTime reads a text without a zone in the contract's zone. A local time
// that does not exist does not come back from UTC. One that occurs twice is
// read as the earlier instant (LocalDateTime.atZone); with the offset of the
// next day it is another instant, and comes back from that as well. Clocks go
// back by an hour, on Lord Howe by half of one, at Troll by two, in Samoa once
// by a day.
func localTime(local, zone string) string {
	call := func(function, moment string) string { return function + "(" + moment + ", " + lit(zone) + ")" }
	utc := call("to_utc_timestamp", local)
	later := call("to_utc_timestamp", local+" + INTERVAL 1 DAY") + " - INTERVAL 1 DAY"
	return "CASE -- not a local time that the clock skips or shows twice" +
		"\n        WHEN " + call("from_utc_timestamp", utc) + " = " + local +
		"\n        AND (" + later + " = " + utc +
		"\n          OR " + call("from_utc_timestamp", later) + " <> " + local + ")" +
		"\n        THEN " + utc + "\n      END"
}

// formats are the shapes of the contract's own formats, beyond the ISO ones.
func formats(c *contracts.Column, text string) []shape {
	var out []shape
	for _, format := range c.Formats {
		pattern, err := formatShape(format)
		if err != nil || isISO(c, format) {
			continue // checkFormats has reported the error
		}
		value := "try_to_timestamp(" + text + ", " + lit(format) + ")"
		switch {
		case c.Type.Kind == sparksql.DATE:
			value = "CAST(" + value + " AS DATE)"
		case c.Type.Kind == sparksql.TIMESTAMPNTZ:
			value = "CAST(" + value + " AS TIMESTAMP_NTZ)"
		case !zoned(format, pattern):
			value = local(c, value)
		}
		out = append(out, shape{"^" + pattern + "$", value})
	}
	return out
}

// zoned reports whether a format reads a zone; a quoted Z says UTC.
func zoned(format, pattern string) bool {
	return strings.Contains(pattern, zonePatterns["X"]) || strings.Contains(pattern, zonePatterns["XXX"]) || strings.HasSuffix(format, "'Z'")
}

// isISO tells formats whose every text the ISO shapes of the column accept
// already, with the same meaning.
func isISO(c *contracts.Column, format string) bool {
	if c.Type.Kind == sparksql.DATE {
		return format == "yyyy-MM-dd"
	}
	switch strings.Replace(format, "'T'", " ", 1) {
	case "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM-dd HH:mm:ss.SSSSSS":
		return zoneOf(c) != contracts.ZoneRequired
	case "yyyy-MM-dd HH:mm:ssXXX", "yyyy-MM-dd HH:mm:ss.SSSXXX", "yyyy-MM-dd HH:mm:ss'Z'":
		return zoneOf(c) != contracts.ZoneRefused
	default:
		return false
	}
}
