package odcs_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"sluice/contracts/odcs"
)

// reread puts a quoted text where fixtures have texts: in a sentence of a block,
// as a value and as a key of a row in braces, as a value of a row in a block.
func reread(t *testing.T, text string) {
	t.Helper()
	scalar, err := odcs.Quote(text)
	if err != nil {
		if utf8.ValidString(text) {
			t.Errorf("Quote(%q): %v", text, err)
		}
		return
	}
	file := "contract: c\nfixtures:\n  - name: f\n    why: " + scalar + "\n    given:\n      - {a: " + scalar + "}\n      - {" + scalar + ": b}\n      - c: " + scalar + "\n    rejected: {x: 1}\n"
	root, problems := odcs.ParseFixtures("f", []byte(file))
	if root == nil || len(problems) > 0 {
		t.Fatalf("%q as %s: %v", text, scalar, problems)
	}
	one := root.Get("fixtures").Items()[0]
	rows := one.Get("given").Items()
	got := []*odcs.Node{one.Get("why"), rows[0].Fields()[0].Value, rows[2].Fields()[0].Value}
	for i, n := range got {
		if n == nil || n.Kind != odcs.String || n.Text() != text {
			t.Errorf("%q as %s: place %d reads as %+v", text, scalar, i, n)
		}
	}
	if keys := rows[1].Fields(); len(keys) != 1 || keys[0].Key != text {
		t.Errorf("%q as %s: as a key it reads as %+v", text, scalar, keys)
	}
}

var quoted = []string{
	"", " ", "plain", "two words", "two  words", "ends ", " begins", "ORD-000123", "12.50", "12,50", "1e3", "010", "0x1F", "1_000", "-", "- a", "?", "a: b", "a #b", "#a",
	"yes", "No", "ON", "true", "NULL", "null", "~", ".nan", "NaN", "inf", ".inf", "2026-03-21", "2026-03-21 10:00:00", "10:30", "=", "<<", "<<a", "&a", "*a", "!a", "%a", "@a", "`a",
	"{a}", "[a]", "a,b", "a]", "a}", "'", `"`, `\`, `\n`, "it's", "|", ">", "a|b", "---", "...", "a\nb", "a\r\nb", "a\tb", "\t", "\x00", "\x07a\x1b", "\x7f", "\u0085", "\u00a0a\u00a0",
	"\u200b", "\u2028\u2029", "\ufeff", "\ufeffa", "\ufffe\uffff", "\ufffd", "é", "e\u0301", "\u0301", "名前", "😀", "\U0001F468\u200d\U0001F469", "\U0010FFFF", "\ue000", "${X}", "$${X}",
	"a_b", "_x", "http://a/b?c=d", "a/b.csv", "{\"a\": [1, null]}", strings.Repeat("x", 3000), strings.Repeat("é ", 2000), "\xff", "a\xc3", "\xed\xa0\x80",
}

func TestQuotedTextsReadBack(t *testing.T) {
	for _, text := range quoted {
		if len(text) < 1000 { // a key has at most 1,024 characters
			reread(t, text)
		} else if scalar, err := odcs.Quote(text); err != nil {
			t.Errorf("%d bytes: %v", len(text), err)
		} else if root, problems := odcs.ParseFixtures("f", []byte("contract: "+scalar+"\nfixtures: []\n")); root.Get("contract").Text() != text {
			t.Errorf("%d bytes do not read back: %v", len(text), problems)
		}
	}
}

func TestBareTexts(t *testing.T) {
	for text, want := range map[string]string{
		"orders.odcs.yaml": "orders.odcs.yaml", "ORD-1": "ORD-1", "Ann Lee": "Ann Lee", "10.00": `"10.00"`, "no": `"no"`, "": `""`,
		"2026-03-21": `"2026-03-21"`, "a: b": `"a: b"`, " a": `" a"`, "a\u200b": `"a\u200B"`, "Müller": `"Müller"`,
	} {
		if got, err := odcs.Quote(text); err != nil || got != want {
			t.Errorf("Quote(%q) = %s, %v, want %s", text, got, err, want)
		}
	}
}

// FuzzQuote holds Quote to its promise for every text.
func FuzzQuote(f *testing.F) {
	for _, text := range quoted {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 150 { // a key has at most 1,024 characters, and an escape up to six for a byte
			reread(t, text)
		}
	})
}
