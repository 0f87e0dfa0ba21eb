package sparksql

import "strings"

// TokenKind is the closed set of token kinds.
type TokenKind int

// The token kinds that matter to sluice; everything else is Other.
const (
	Other   TokenKind = iota
	Literal           // '…' or "…", prefix letters included in the Other before it
	Quoted            // `…`
	Comment           // -- … or /* … */
	Marker            // :name
	Word              // a run of letters, digits and _
	Space
)

// Token is a piece of a statement; the texts of all tokens are the statement.
type Token struct {
	Kind TokenKind
	Text string
}

// Tokens splits a statement the way Spark's lexer bounds literals, quoted
// identifiers and comments (SqlBaseLexer.g4): backslash escapes inside
// literals but not in raw ones (r'…'), doubled backticks, nested bracketed
// comments, and line comments that a backslash continues.
func Tokens(sql string) []Token {
	var out []Token
	for i := 0; i < len(sql); {
		kind, end := next(sql, i)
		if n := len(out); kind == Literal && n > 0 && out[n-1].Kind == Word && strings.EqualFold(out[n-1].Text, "r") {
			end = rawEnd(sql, i)
		}
		out = append(out, Token{kind, sql[i:end]})
		i = end
	}
	return out
}

func next(sql string, i int) (TokenKind, int) {
	c := sql[i]
	switch {
	case c == '\'' || c == '"':
		return Literal, closing(sql, i+1, c, true)
	case c == '`':
		return Quoted, closing(sql, i+1, '`', false)
	case hasAt(sql, i, "--"):
		return Comment, lineEnd(sql, i)
	case hasAt(sql, i, "/*"):
		return Comment, commentEnd(sql, i)
	case c == ':' && marks(sql, i):
		return Marker, wordEnd(sql, i+1)
	case isWord(c):
		return Word, wordEnd(sql, i)
	case isSpace(c):
		end := i + 1
		for end < len(sql) && isSpace(sql[end]) {
			end++
		}
		return Space, end
	default:
		return Other, i + 1
	}
}

// marks tells a marker from a cast (a::int) and a path into a value (v:field).
func marks(sql string, i int) bool {
	if i+1 >= len(sql) || !isWord(sql[i+1]) || sql[i+1] >= '0' && sql[i+1] <= '9' {
		return false
	}
	if i == 0 {
		return true
	}
	p := sql[i-1]
	return p != ':' && p != ')' && p != ']' && p != '`' && !isWord(p)
}

func closing(sql string, i int, quote byte, escapes bool) int {
	for ; i < len(sql); i++ {
		switch {
		case escapes && sql[i] == '\\':
			i++
		case sql[i] == quote && !escapes && hasAt(sql, i+1, "`"):
			i++
		case sql[i] == quote:
			return i + 1
		}
	}
	return len(sql)
}

// rawEnd is the end of a raw literal: the next quote, whatever stands before it.
func rawEnd(sql string, i int) int {
	if end := strings.IndexByte(sql[i+1:], sql[i]); end >= 0 {
		return i + end + 2
	}
	return len(sql)
}

// lineEnd is the end of a -- comment. A carriage return ends it as well, and a
// backslash before the line feed joins the next line to it.
func lineEnd(sql string, i int) int {
	for i < len(sql) && sql[i] != '\n' && sql[i] != '\r' {
		if hasAt(sql, i, "\\\n") {
			i++
		}
		i++
	}
	return i
}

func commentEnd(sql string, i int) int {
	depth := 0
	for i < len(sql) {
		switch {
		case hasAt(sql, i, "/*"):
			depth++
			i += 2
		case hasAt(sql, i, "*/"):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(sql)
}

func wordEnd(sql string, i int) int {
	for i < len(sql) && isWord(sql[i]) {
		i++
	}
	return i
}

func hasAt(sql string, i int, text string) bool {
	return i+len(text) <= len(sql) && sql[i:i+len(text)] == text
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// FirstWord is the word that a statement begins with, behind blanks and comments.
func FirstWord(sql string) string {
	for _, t := range Tokens(sql) {
		if t.Kind != Space && t.Kind != Comment {
			return t.Text
		}
	}
	return ""
}
