package contracts

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// formats reads the accepted texts of a date or moment and its zone rules.
func (t *tableLoader) formats(p *odcs.Node, c *Column) {
	options := p.Get("logicalTypeOptions")
	extra := p.Custom("acceptFormats")
	switch {
	case c.Clock:
		t.clockFormat(options)
	case c.Type.Kind == sparksql.BINARY:
		t.bytesFormat(options.Get("format"), c)
	}
	if !c.Type.Dated() {
		if extra != nil {
			t.problem(extra, "option-needs-type", "acceptFormats has no meaning for the type %s; remove it", c.Type)
		}
		return
	}
	zone := options.Get("timezone")
	if zone != nil {
		c.Zone = map[bool]ZonePolicy{true: ZoneRequired, false: ZoneRefused}[zone.True()]
	}
	list := extra.Items()
	if format := options.Get("format"); format != nil {
		list = append([]*odcs.Node{format}, list...)
	}
	for _, n := range list {
		if err := checkFormat(n.Text(), c.Type.Moment(), c.Zone); err != nil {
			t.problem(n, "bad-format", "the format %q %v", n.Text(), err)
			continue
		}
		if !slices.Contains(c.Formats, n.Text()) {
			c.Formats = append(c.Formats, n.Text())
		}
	}
	t.defaultZone(options.Get("defaultTimezone"), c)
}

// bytesFormat reads how bytes are written as text. The standard's word for base64
// is byte, which it has of OpenAPI.
func (t *tableLoader) bytesFormat(n *odcs.Node, c *Column) {
	switch {
	case n == nil || n.Text() == "byte" || n.Text() == "base64":
	case n.Text() == "hex" && c.depth > 0:
		t.later(n, "the format hex inside of a nested column")
	case n.Text() == "hex":
		c.Hex = true
	default:
		t.problem(n, "bad-format", "the format %q is none in which bytes are written as text; use byte (or base64, which is the same), hex, or convert it by transformLogic", n.Text())
	}
}

var clockFormats = regexp.MustCompile(`^HH:mm:ss(\.S{1,6})?$`)

// clockFormat: a time of day has one text, with or without a fraction.
func (t *tableLoader) clockFormat(options *odcs.Node) {
	if n := options.Get("format"); n != nil && !clockFormats.MatchString(n.Text()) {
		t.problem(n, "bad-format", "the format %q of a time is not HH:mm:ss with an optional fraction; convert it by transformLogic", n.Text())
	}
	if n := options.Get("timezone"); n.True() {
		t.later(n, "a time of day with a zone")
	}
}

func (t *tableLoader) defaultZone(n *odcs.Node, c *Column) {
	if n == nil {
		return
	}
	name := n.Text()
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		t.problem(n, "unknown-zone", "the time zone %q is not known; write an IANA name such as Europe/Berlin or Etc/UTC", name)
		return
	}
	if name != "Etc/UTC" {
		c.DefaultZone = name
	}
}

// The fields of a JDK pattern that the generated SQL can hold to strictly, and
// the part of a moment that each fills.
var formatFields = map[string]byte{
	"yyyy": 'y', "MM": 'M', "M": 'M', "dd": 'd', "d": 'd', "HH": 'H', "H": 'H', "mm": 'm', "m": 'm', "ss": 's', "s": 's',
	"X": 'X', "XXX": 'X',
}

// checkFormat refuses a format that would complete a value by guessing, that
// loses a part of it, or whose letters the generated SQL does not know.
func checkFormat(format string, moment bool, zone ZonePolicy) error {
	fields, err := splitFormat(format)
	if err != nil {
		return err
	}
	has := func(part byte) bool { return slices.Contains(fields, part) }
	switch {
	case !has('y') || !has('M') || !has('d'):
		return errors.New("leaves year, month or day to a guess; write all three")
	case !moment && slices.ContainsFunc(fields, func(f byte) bool { return strings.IndexByte("HmsSX", f) >= 0 }):
		return errors.New("reads a time of day that the type DATE would lose; use TIMESTAMP or cut it off by transformLogic")
	case has('m') && !has('H') || has('s') && !has('m') || has('S') && !has('s'):
		return errors.New("names a smaller unit of time without the larger one")
	case has('X') && zone == ZoneRefused:
		return errors.New("reads a zone, which timezone: false refuses")
	case !has('X') && zone == ZoneRequired:
		return errors.New("reads no zone, which timezone: true requires; add XXX")
	}
	return nil
}

// splitFormat returns the parts that a pattern fills, in order.
func splitFormat(format string) ([]byte, error) {
	var fields []byte
	loose := false // the last field had no fixed width
	for i := 0; i < len(format); {
		c := format[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		switch {
		case c == '\'':
			end, err := closingQuote(format, i)
			if err != nil {
				return nil, err
			}
			i, loose = end, false
		case letter:
			width := 1
			for i+width < len(format) && format[i+width] == c {
				width++
			}
			part, err := formatField(format[i : i+width])
			if err != nil {
				return nil, err
			}
			if slices.Contains(fields, part) {
				return nil, fmt.Errorf("names the field %q twice", format[i:i+width])
			}
			if loose && part != 'X' {
				return nil, fmt.Errorf("puts %q directly behind a field of one or two digits, so a value could be read in two ways", format[i:i+width])
			}
			fields = append(fields, part)
			loose = width == 1 && part != 'S' && part != 'X'
			i += width
		case strings.IndexByte("[]{}#", c) >= 0:
			return nil, fmt.Errorf("uses %q, which JDK patterns keep for themselves; quote it: '%c'", string(c), c)
		default:
			i, loose = i+1, false
		}
	}
	return fields, nil
}

// otherLetters are the letters of other tools, and what is meant by them.
var otherLetters = map[string]string{
	"YYYY": "yyyy (YYYY is the year of the week)", "DD": "dd (DD is the day of the year)", "hh": "HH (hh is the hour of half a day)", "h": "H (h is the hour of half a day)",
	"yy": "yyyy (yy has no century)", "Y": "yyyy, MM, dd, HH, mm and ss without %",
}

func formatField(letters string) (byte, error) {
	if letters[0] == 'S' && len(letters) <= 9 {
		return 'S', nil
	}
	if part, known := formatFields[letters]; known {
		return part, nil
	}
	if want := otherLetters[letters]; want != "" {
		return 0, fmt.Errorf("uses %q, which is not what it looks like in JDK patterns or leaves a part to a guess; write %s", letters, want)
	}
	return 0, fmt.Errorf("uses %q, which is not supported yet; the fields are yyyy MM M dd d HH H mm m ss s S… X XXX and quoted text", letters)
}

func closingQuote(format string, start int) (int, error) {
	for i := start + 1; i < len(format); i++ {
		if format[i] != '\'' {
			continue
		}
		if i+1 < len(format) && format[i+1] == '\'' && i > start+1 {
			i++
			continue
		}
		return i + 1, nil
	}
	return 0, errors.New("opens a quote that is never closed")
}
