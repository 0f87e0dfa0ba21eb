package odcs

import "fmt"

// Position is a place in a document; lines and columns count from one.
type Position struct {
	File         string
	Line, Column int
}

// String is file:line:column.
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Problem is one thing wrong with a document: where, which rule (a kebab-case
// id that never changes its meaning), and a text that says how to mend it.
type Problem struct {
	Position Position
	ID       string
	Severity Severity // of the id; set when it is reported
	Path     string   // orders.amount, for a reader without the file
	Text     string
}

// String is file:line:column: id: text; the text of what is no error begins
// with its severity.
func (p Problem) String() string {
	if p.Severity == Error || p.Severity == "" {
		return fmt.Sprintf("%s: %s: %s", p.Position, p.ID, p.Text)
	}
	return fmt.Sprintf("%s: %s: %s: %s", p.Position, p.ID, p.Severity, p.Text)
}
