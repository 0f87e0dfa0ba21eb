package gen

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/sparksql"

	"github.com/google/go-cmp/cmp"
)

func typed(kind sparksql.Kind) sparksql.Type { return sparksql.Type{Kind: kind} }

var castCases = []struct {
	name   string
	column contracts.Column
	take   string // texts that have one of the shapes
	refuse string
}{
	{"string", contracts.Column{Type: typed(sparksql.STRING)}, "", ""},
	{"int", contracts.Column{Type: typed(sparksql.INT)}, "", ""},
	{"boolean", contracts.Column{Type: typed(sparksql.BOOLEAN)}, "", ""},
	{"lenient", contracts.Column{Type: typed(sparksql.TIMESTAMP), Lenient: true, DefaultZone: "Europe/Paris"}, "", ""},
	{
		"decimal",
		contracts.Column{Type: sparksql.Type{Kind: sparksql.DECIMAL, Precision: 18, Scale: 2}},
		"0|12|-12.5|+12.55|12.5000|0012.10", "1.005|1e3|.5|5.|1,000.00|$5|NaN|12d|１２|--1|| 1|1 |1.2.3|0x1",
	},
	{
		"decimal_whole",
		contracts.Column{Type: sparksql.Type{Kind: sparksql.DECIMAL, Precision: 9}},
		"0|-12|12.0|12.000", "12.01|12.|1e3",
	},
	{"double", contracts.Column{Type: typed(sparksql.DOUBLE)}, "0|-1.25|+3|0000001", "NaN|Infinity|-inf|1e3|123d|1f|0x1p3|.5|5.|" + strings.Repeat("9", 309)},
	{"float", contracts.Column{Type: typed(sparksql.FLOAT)}, "1.5|" + strings.Repeat("0", 50) + "1", strings.Repeat("9", 39)},
	{"date", contracts.Column{Type: typed(sparksql.DATE), Formats: []string{"yyyy-MM-dd"}}, "2026-03-01", "2026-3-1|2026|2026-03|12026-01-01|2026-03-01T|2026-03-01 25:99|31/12/2026|2026-03-01Tgarbage"},
	{
		"date_formats",
		contracts.Column{Type: typed(sparksql.DATE), Formats: []string{"d/M/yyyy", "yyyyMMdd", "dd.MM.yyyy"}},
		"2026-03-01|1/3/2026|01/03/2026|20260301|01.03.2026", "1-3-2026|2026031|1.3.2026|01x03x2026|001/3/2026",
	},
	{
		"timestamp",
		contracts.Column{Type: typed(sparksql.TIMESTAMP), DefaultZone: "UTC", Formats: []string{"yyyy-MM-dd HH:mm:ss"}},
		"2026-03-01 10:00:00|2026-03-01T10:00:00Z|2026-03-01T10:00:00.123456000+02:00|2026-03-01 10:00:00-0330",
		"2026-03-01|10:00|T10:00:00|2026-03-01 10:00|2026-3-1 10:00:00|2026-03-01 10:00:00.1234567|2026-03-01 10:00:00 UTC|2026-03-01 10:00:00Europe/Paris|2026-03-01  10:00:00|12026-03-01 10:00:00|2026-03-01 10:00:00.",
	},
	{"timestamp_zoned", contracts.Column{Type: typed(sparksql.TIMESTAMP), Zone: contracts.ZoneRequired, DefaultZone: "UTC"}, "2026-03-01T10:00:00Z|2026-03-01 10:00:00+01:00", "2026-03-01 10:00:00"},
	{"timestamp_local", contracts.Column{Type: typed(sparksql.TIMESTAMP), Zone: contracts.ZoneRefused, DefaultZone: "UTC"}, "2026-03-01 10:00:00", "2026-03-01T10:00:00Z|2026-03-01 10:00:00+01:00"},
	{"timestamp_paris", contracts.Column{Type: typed(sparksql.TIMESTAMP), DefaultZone: "Europe/Paris"}, "2026-03-29 02:30:00|2026-03-29T02:30:00Z", "2026-03-29"},
	{
		"timestamp_formats",
		contracts.Column{Type: typed(sparksql.TIMESTAMP), DefaultZone: "Europe/Paris", Formats: []string{"yyyy-MM-dd", "dd/MM/yyyy HH:mm", "yyyyMMdd'T'HHmmssX", "yyyy-MM-dd HH:mm:ss.SSSSSSSSS", "H 'o''clock,' d.M.yyyy"}},
		"2026-03-01|01/03/2026 10:00|20260301T100000Z|20260301T100000+0130|20260301T100000-05|2026-03-01 10:00:00.123456000|7 o'clock, 1.3.2026",
		"1/3/2026 10:00|20260301T100000+01:30|2026-03-01 10:00:00.123456789|20260301T100000|7 o''clock, 1.3.2026",
	},
	{"timestamp_quoted_zone", contracts.Column{Type: typed(sparksql.TIMESTAMP), Zone: contracts.ZoneRefused, DefaultZone: "Europe/Paris", Formats: []string{"yyyy-MM-dd'T'HH:mm:ss'Z'"}}, "2026-03-01T10:00:00Z|2026-03-01T10:00:00", "2026-03-01T10:00:00+00:00"},
	{"binary", contracts.Column{Type: typed(sparksql.BINARY)}, "aGk=|aA==|aGlo|AA==|//79", "aGk|aA=|aGl=|aB==|====|aG k=|aA==aA==|_-79|aGk=!"},
	{"binary_hex", contracts.Column{Type: typed(sparksql.BINARY), Hex: true}, "00|FEff", "f|0xff|ff ff|gg"},
	{"binary_lenient", contracts.Column{Type: typed(sparksql.BINARY), Lenient: true}, "", ""},
	{"timestamp_ntz", contracts.Column{Type: typed(sparksql.TIMESTAMPNTZ), DefaultZone: "Europe/Paris", Formats: []string{"yyyy年MM月dd日 HH:mm"}}, "2026-03-01 10:00:00.5|2026年03月01日 10:00", "2026-03-01T10:00:00Z|2026-03-01"},
}

// patterns are the regular expressions of a cast. Go reads these as Java does:
// \d is ASCII in both, and an edge of the text is trimmed before.
func patterns(t *testing.T, expression string) []*regexp.Regexp {
	t.Helper()
	var out []*regexp.Regexp
	after := false
	for _, tok := range sparksql.Tokens(expression) {
		if tok.Kind == sparksql.Literal && after {
			text := strings.Trim(tok.Text, "'")
			out = append(out, regexp.MustCompile(strings.NewReplacer(`\\`, `\`, `\'`, `'`, `)*+`, `)*`).Replace(text))) // Go never recurses
		}
		after = tok.Text == "RLIKE" || after && tok.Kind == sparksql.Space
	}
	return out
}

func TestCastShapes(t *testing.T) {
	var golden strings.Builder
	for _, c := range castCases {
		column := c.column
		expression := cast(&column, "`text_x`")
		golden.WriteString("== " + c.name + "\n" + expression + "\n")
		if err := sparksql.Closed(expression); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		shapes := patterns(t, expression)
		shaped := func(text string) bool {
			for _, s := range shapes {
				if s.MatchString(text) {
					return true
				}
			}
			return false
		}
		for _, text := range strings.Split(c.take, "|") {
			if c.take != "" && !shaped(text) {
				t.Errorf("%s refuses %q", c.name, text)
			}
		}
		for _, text := range strings.Split(c.refuse, "|") {
			if c.refuse != "" && shaped(text) {
				t.Errorf("%s takes %q", c.name, text)
			}
		}
	}
	same(t, "testdata/casts.golden", golden.String())
}

// same compares with a golden file, or writes it.
func same(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("SLUICE_UPDATE") == "1" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); SLUICE_UPDATE=1 rewrites it:\n%s", path, diff)
	}
}

func TestFormatsThatNoShapeIsKnownFor(t *testing.T) {
	for _, format := range []string{"yyyy-MM-dd hh:mm a", "EEE, d MMM yyyy", "yy-MM-dd", "yyyy-MM-dd 'T", "yyyy-MM-ddz"} {
		if pattern, err := formatShape(format); err == nil {
			t.Errorf("formatShape(%q) = %s, want an error", format, pattern)
		}
		if err := checkFormats(&contracts.Column{Formats: []string{format}}); err == nil {
			t.Errorf("checkFormats accepts %q", format)
		}
	}
}

func TestPrepared(t *testing.T) {
	column := func(expression string, change func(*contracts.Column)) *contracts.Column {
		c := &contracts.Column{Name: "x", Sources: []string{"x"}, Expression: expression}
		if change != nil {
			change(c)
		}
		return c
	}
	for want, c := range map[string]*contracts.Column{
		"nullif(`x`, '')":                                              column("", nil),
		"nullif(upper(trim(x)), '')":                                   column("upper(trim(x))", nil),
		"nullif(CAST((trim(x) = 'a') AS STRING), '')":                  column("trim(x) = 'a'", nil),
		"nullif(CAST((left(x, 1) + 1) AS STRING), '')":                 column("left(x, 1) + 1", nil),
		"nullif(CAST((x::int) AS STRING), '')":                         column("x::int", nil),
		"`x`":                                                          column("", func(c *contracts.Column) { c.EmptyIsValue = true }),
		"nullif(nullif(`x`, ''), 'NA')":                                column("", func(c *contracts.Column) { c.NullValues = []string{"NA"} }),
		"CASE WHEN `x` IN ('', 'NA', 'it\\'s') THEN NULL ELSE `x` END": column("", func(c *contracts.Column) { c.NullValues = []string{"NA", "it's"} }),
	} {
		if got := prepared(c, false); got != want {
			t.Errorf("prepared = %s, want %s", got, want)
		}
	}
}
