package gen

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"sluice/contracts"
)

// fieldPatterns are the texts of the fields of a JDK pattern. try_to_timestamp
// alone is no judge: one letter takes one or two digits, and fraction digits
// beyond the microsecond are cut off.
var fieldPatterns = map[string]string{
	"yyyy": `\d{4}`, "MM": `\d{2}`, "M": `\d{1,2}`, "dd": `\d{2}`, "d": `\d{1,2}`,
	"HH": `\d{2}`, "H": `\d{1,2}`, "mm": `\d{2}`, "m": `\d{1,2}`, "ss": `\d{2}`, "s": `\d{1,2}`,
}

// zonePatterns: X is an hour with optional minutes, XXX an hour and minutes
// apart (DateTimeFormatterBuilder.appendOffset).
var zonePatterns = map[string]string{"X": `(Z|[+-]\d{2}(\d{2})?)`, "XXX": `(Z|[+-]\d{2}:\d{2})`}

// checkFormats refuses a format that no shape is known for: a text in it would
// be rejected although the contract accepts it.
func checkFormats(c *contracts.Column) error {
	for _, f := range c.Formats {
		if _, err := formatShape(f); err != nil {
			return fmt.Errorf("reading format %q: %w", f, err)
		}
	}
	return nil
}

// formatShape is the regular expression of a JDK date pattern.
func formatShape(format string) (string, error) {
	var out strings.Builder
	for rest := format; rest != ""; {
		field := run(rest)
		switch {
		case rest[0] == '\'':
			text, after, err := quoted(rest)
			if err != nil {
				return "", err
			}
			out.WriteString(regexp.QuoteMeta(text))
			rest = after
			continue
		case fieldPatterns[field] != "":
			out.WriteString(fieldPatterns[field])
		case zonePatterns[field] != "":
			out.WriteString(zonePatterns[field])
		case rest[0] == 'S' && len(field) <= 6:
			fmt.Fprintf(&out, `\d{%d}`, len(field))
		case rest[0] == 'S':
			fmt.Fprintf(&out, `\d{6}0{%d}`, len(field)-6)
		case letter(rest[0]):
			return "", fmt.Errorf("the letters %q are not supported", field)
		default:
			out.WriteString(regexp.QuoteMeta(field))
		}
		rest = rest[len(field):]
	}
	return out.String(), nil
}

// run is the first field of a pattern: a letter as often as it repeats, or all
// that stands before the next letter or quote.
func run(pattern string) string {
	end := 1
	for end < len(pattern) {
		if letter(pattern[0]) && pattern[end] != pattern[0] || !letter(pattern[0]) && (letter(pattern[end]) || pattern[end] == '\'') {
			break
		}
		end++
	}
	return pattern[:end]
}

// quoted is the text in quotes at the start of a pattern; two quotes are one.
func quoted(pattern string) (text, rest string, err error) {
	if strings.HasPrefix(pattern, "''") {
		return "'", pattern[2:], nil
	}
	for i := 1; i < len(pattern); i++ {
		switch {
		case pattern[i] != '\'':
			text += pattern[i : i+1]
		case strings.HasPrefix(pattern[i:], "''"):
			text += "'"
			i++
		default:
			return text, pattern[i+1:], nil
		}
	}
	return "", "", errors.New("a quote is never closed")
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
