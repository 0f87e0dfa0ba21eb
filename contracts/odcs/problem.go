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
	Path     string // orders.amount, for a reader without the file
	Text     string
}

// String is file:line:column: id: text.
func (p Problem) String() string {
	return fmt.Sprintf("%s: %s: %s", p.Position, p.ID, p.Text)
}
