package connect

import "context"

// Loader is a session that also takes the chunks of a landing: texts as they
// were sent, and in _source_line the number of the line that a row began on.
type Loader struct{ *Session }

// View registers a chunk as a temporary view, replacing one of the same name.
func (l Loader) View(ctx context.Context, name string, columns []string, rows [][]any) error {
	fields := make([]Field, len(columns))
	for i, column := range columns {
		fields[i] = Field{Name: column, Type: "STRING"}
		if column == "_source_line" {
			fields[i].Type = "BIGINT"
		}
	}
	return l.Session.View(ctx, name, fields, rows)
}
