package render

import (
	"bytes"
	"io"
	"strings"

	"sluice/gen/sparksql"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters"
)

// sqlStyle names only what stands out: the rest keeps the terminal's own colour,
// which can be read on a light and on a dark ground. So can these; grey vanishes on
// many dark grounds and blue on black, and comments say what a statement is for.
var sqlStyle = chroma.MustNewStyle("sluice", chroma.StyleEntries{
	chroma.Comment:       "#ansiteal",
	chroma.Keyword:       "bold",
	chroma.LiteralString: "#ansidarkgreen",
	chroma.NameVariable:  "#ansipurple",
})

// Highlight writes SQL in the colours of a terminal. Without them the text is the
// one that was given. The statements are read by our own lexer, which bounds
// literals and comments as Spark does; the library's would be made ready at every
// start of the program.
func Highlight(w io.Writer, sql []byte) error {
	var tokens []chroma.Token
	for _, t := range sparksql.Tokens(string(sql)) {
		tokens = append(tokens, chroma.Token{Type: colourOf(t), Value: t.Text})
	}
	var out bytes.Buffer
	if err := formatters.TTY16.Format(&out, sqlStyle, chroma.Literator(tokens...)); err != nil { // colours are no reason to show nothing
		_, err = w.Write(sql)
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// colourOf: in the statements that sluice writes, keywords are words of capital
// letters, and functions are not.
func colourOf(t sparksql.Token) chroma.TokenType {
	switch t.Kind {
	case sparksql.Comment:
		return chroma.Comment
	case sparksql.Literal:
		return chroma.LiteralString
	case sparksql.Marker:
		return chroma.NameVariable
	case sparksql.Word:
		if len(t.Text) > 1 && !strings.ContainsFunc(t.Text, func(r rune) bool { return r < 'A' || r > 'Z' }) {
			return chroma.Keyword
		}
	case sparksql.Quoted, sparksql.Space, sparksql.Other:
	}
	return chroma.Text
}

// HighlightDiff writes a diff in the colours that git gives it.
func HighlightDiff(w io.Writer, diff []byte) error {
	for line := range bytes.Lines(diff) {
		text, end := bytes.TrimSuffix(line, []byte("\n")), "\n"
		colour := ""
		switch {
		case bytes.HasPrefix(text, []byte("diff ")), bytes.HasPrefix(text, []byte("--- ")), bytes.HasPrefix(text, []byte("+++ ")):
			colour = "\x1b[1m"
		case bytes.HasPrefix(text, []byte("@@")):
			colour = "\x1b[36m"
		case bytes.HasPrefix(text, []byte("+")):
			colour = "\x1b[32m"
		case bytes.HasPrefix(text, []byte("-")):
			colour = "\x1b[31m"
		}
		if colour != "" {
			end = "\x1b[0m\n"
		}
		if _, err := io.WriteString(w, colour+string(text)+end); err != nil {
			return err
		}
	}
	return nil
}
