package odcs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// bare texts mean themselves to every reader of YAML, also inside of [ ] and
// { }: they begin with a letter or _, so that they are no number and no date.
var bare = regexp.MustCompile(`^[A-Za-z_]([A-Za-z0-9_./+-]|[A-Za-z0-9_./+-] )*$`)

// yamlWords are bare texts that some release of YAML takes for another kind.
var yamlWords = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity"}

// Quote writes a text as a YAML scalar of one line that reads back as exactly
// that text: bare where no reader could take it for a number, date, boolean or
// null, else in double quotes with everything that does not print escaped. YAML
// has no way to hold bytes that are not UTF-8.
func Quote(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("writing %q as YAML: it holds bytes that are not UTF-8, which YAML cannot hold", text)
	}
	if bare.MatchString(text) && !strings.HasSuffix(text, " ") && !slices.Contains(yamlWords, strings.ToLower(text)) {
		return text, nil
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String(), nil
}
