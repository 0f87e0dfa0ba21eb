package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MostSegments bounds the segments of one grouping that a run counts one by
// one. A check over more of them fails by their number alone.
const MostSegments = 10_000

// GroupingColumns are the columns of all groupings, each once, as the statement
// segments orders them.
func GroupingColumns(groupings [][]string) []string {
	var out []string
	for _, by := range groupings {
		for _, column := range by {
			if !slices.Contains(out, column) {
				out = append(out, column)
			}
		}
	}
	return out
}

// GroupingID is Spark's grouping_id(): a bit for each column, the first one
// highest, set where a result row is summed over that column.
func GroupingID(columns, by []string) int64 {
	id := int64(0)
	for _, column := range columns {
		id <<= 1
		if !slices.Contains(by, column) {
			id |= 1
		}
	}
	return id
}

// missing is the value of a segment whose rows have none.
const missing = "NULL"

// Segment is the text of one segment: origin=LGA,carrier=UA. It is a key of the
// audit log, so no two segments may share a text: what separates values, what
// would not print, and a value that reads like a missing one are written as %XX.
func Segment(by []string, values []*string) string {
	parts := make([]string, len(by))
	for i, column := range by {
		value := missing
		if v := values[i]; v != nil {
			value = escape(*v)
			if value == missing {
				value = "%4EULL"
			}
		}
		parts[i] = escape(column) + "=" + value
	}
	return strings.Join(parts, ",")
}

// HasNull reports whether the rows of a segment lack one of its values.
func HasNull(segment string) bool {
	return strings.HasSuffix(segment, "="+missing) || strings.Contains(segment, "="+missing+",")
}

// SegmentName is the text of a grouping, which is its segments' text without the values.
func SegmentName(by []string) string {
	parts := make([]string, len(by))
	for i, column := range by {
		parts[i] = escape(column)
	}
	return strings.Join(parts, ",")
}

func escape(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		plain := unicode.IsPrint(r) && r != '=' && r != ',' && r != '%' && (r != utf8.RuneError || size > 1)
		if plain {
			out.WriteString(text[i : i+size])
		} else {
			for _, b := range []byte(text[i : i+size]) {
				fmt.Fprintf(&out, "%%%02X", b)
			}
		}
		i += size
	}
	return out.String()
}
