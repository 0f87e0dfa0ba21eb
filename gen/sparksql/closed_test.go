package sparksql

import "testing"

func TestClosedAsSparkReads(t *testing.T) {
	for _, sql := range []string{
		"", "SELECT 1", "SELECT ')', \"(\", `;`", "SELECT 1 -- ; (\n", "SELECT 1 -- (", "/* ( /* ; */ */ 1", `SELECT r'\', 1`,
		`SELECT 'a\\'`, "SELECT 1 -- a \\\n ) still the comment\n", "SELECT a[0], (1)",
	} {
		if err := Closed(sql); err != nil {
			t.Errorf("Closed(%q): %v", sql, err)
		}
	}
	for _, sql := range []string{
		"'", `'a\'`, "\"a", "`a", "`a``", "/* a", "/* /* */", "SELECT 1; SELECT 2", ";", "(", ")", ")(", "[(])", "SELECT 1 -- a \\",
		"SELECT 1 -- a\r;", `r'a`, `r'a\'b'`,
	} {
		if err := Closed(sql); err == nil {
			t.Errorf("Closed(%q) finds nothing", sql)
		}
	}
}

// What Spark 4.1.3 made of these texts: a backslash joins the next line to a
// comment, a carriage return ends it, a raw literal knows no escape.
func TestTokensAsSparkReadsThem(t *testing.T) {
	for sql, want := range map[string]int{
		"SELECT 1 -- c \\\n, :a\n, :b": 1,
		"SELECT 1 -- c\r, :b":          1,
		`SELECT r'\', :b`:              1,
		`SELECT R"\", :b`:              1,
		`SELECT xr'\', :b'`:            0,
	} {
		n := 0
		for _, tok := range Tokens(sql) {
			if tok.Kind == Marker {
				n++
			}
		}
		if n != want {
			t.Errorf("Tokens(%q) finds %d markers, want %d", sql, n, want)
		}
	}
}
