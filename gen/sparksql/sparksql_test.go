package sparksql

import (
	"strings"
	"testing"
)

func TestStringEndsNowhereEarly(t *testing.T) {
	for in, want := range map[string]string{
		"":            `''`,
		"it's":        `'it\'s'`,
		`a\`:          `'a\\'`,
		`\'; DROP--`:  `'\\\'; DROP--'`,
		"${env:HOME}": `'$\{env:HOME}'`,
		"$ {x}":       `'$ {x}'`,
		"a\nb\tc\rd":  `'a\nb\tc\rd'`,
		"\x00\u00a0":  `'\u0000\u00A0'`,
		"größe 日本 😀":  `'größe 日本 😀'`,
		"/* -- */":    `'/* -- */'`,
	} {
		if got := String(in); got != want {
			t.Errorf("String(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestIdent(t *testing.T) {
	for in, want := range map[string]string{"a": "`a`", "a`b": "`a``b`", "a.b": "`a.b`", "": "``"} {
		if got := Ident(in); got != want {
			t.Errorf("Ident(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestParseName(t *testing.T) {
	for in, want := range map[string]string{
		"orders": "`orders`", "silver.orders": "`silver`.`orders`", "lake.silver.orders": "`lake`.`silver`.`orders`",
		"silver.`a.b``c`": "`silver`.`a.b``c`",
	} {
		if n, err := ParseName(in); err != nil || n.SQL() != want {
			t.Errorf("ParseName(%q) = %s, %v; want %s", in, n.SQL(), err, want)
		}
	}
	for _, in := range []string{"", ".", "a.", ".a", "a..b", "a.b.c.d", "`a", " a.b", "a.b\n"} {
		if n, err := ParseName(in); err == nil {
			t.Errorf("ParseName(%q) = %s, want an error", in, n.SQL())
		}
	}
}

func TestParseType(t *testing.T) {
	for in, want := range map[string]string{
		"string": "STRING", "Decimal(18, 2)": "DECIMAL(18,2)", "decimal(9)": "DECIMAL(9,0)", "bigint": "BIGINT", "long": "BIGINT",
		"timestamp_ntz": "TIMESTAMP_NTZ", "INTEGER": "INT",
	} {
		if typ, err := ParseType(in); err != nil || typ.String() != want {
			t.Errorf("ParseType(%q) = %s, %v; want %s", in, typ, err, want)
		}
	}
	for _, in := range []string{"", "decimal", "DECIMAL(39,2)", "DECIMAL(4,5)", "DECIMAL(0)", "BANANA(1)", "DECIMAL(18,2) NOT NULL"} {
		if typ, err := ParseType(in); err == nil {
			t.Errorf("ParseType(%q) = %s, want an error", in, typ)
		}
	}
}

func TestTokensFindMarkersAlone(t *testing.T) {
	for in, want := range map[string]string{
		"a = :x":                       ":x",
		"':x' \":x\" `:x` -- :x\n:y":   ":y",
		"/* :x /* :x */ :x */ :y":      ":y",
		`'it\'s :x' :y`:                ":y",
		"`a``:x` :y":                   ":y",
		"a::int, v:field, m[1]:x, :y":  ":y",
		"(:x,:y)":                      ":x :y",
		"'\\\\' :x":                    ":x",
		"'open :x":                     "",
		":1":                           "",
		"lambda x -> x:y":              "",
		"CASE WHEN a THEN :x ELSE 1:y": ":x",
	} {
		var got []string
		joined := text(Tokens(in))
		for _, tok := range Tokens(in) {
			if tok.Kind == Marker {
				got = append(got, tok.Text)
			}
		}
		if strings.Join(got, " ") != want || joined != in {
			t.Errorf("markers of %q: %v, want %s (joined %q)", in, got, want, joined)
		}
	}
}

func TestClosed(t *testing.T) {
	for _, sql := range []string{"", "SELECT 1", "SELECT ')' FROM (SELECT `(` /* ) */ -- )\n)", `'it\'s'`, `'\\'`, "a[1]", "/* /* */ */"} {
		if err := Closed(sql); err != nil {
			t.Errorf("Closed(%q): %v", sql, err)
		}
	}
	for _, sql := range []string{"(", ")", "(]", "'", `'\'`, `"a`, "`a", "/*", "/* /* */", "1; 2", "a) UNION (SELECT 1", "''('", "'a' 'b"} {
		if Closed(sql) == nil {
			t.Errorf("Closed(%q) found nothing", sql)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, seed := range []string{"SELECT ':x' /* */ -- \n `a``b` :y", "'\\", "/*/", "``", ":"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if joined := text(Tokens(sql)); joined != sql {
			t.Errorf("tokens of %q join to %q", sql, joined)
		}
	})
}

// Whatever the text, its literal is one literal token.
func FuzzString(f *testing.F) {
	for _, seed := range []string{"it's", `\`, "${x}", "a\x00b", "'; --"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := Tokens(String(text))
		if len(tokens) != 1 || tokens[0].Kind != Literal || strings.Contains(tokens[0].Text, "${") {
			t.Errorf("String(%q) = %s", text, String(text))
		}
	})
}

// text joins tokens: nothing may be lost or added.
func text(tokens []Token) string {
	var out strings.Builder
	for _, t := range tokens {
		out.WriteString(t.Text)
	}
	return out.String()
}
