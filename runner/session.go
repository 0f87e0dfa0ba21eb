package runner

import (
	"context"
	"errors"
	"fmt"
)

// Session is one Spark session: one statement in flight at a time. It is
// declared here, where it is used; runner/connect implements it over Spark
// Connect and runner/runnertest records calls.
type Session interface {
	// Exec runs a statement for its effect. It must never run it twice.
	Exec(ctx context.Context, sql string) error
	// Query runs a SELECT, SHOW or DESCRIBE and returns all its rows. Values
	// are string, int64, float64, bool or nil: control queries cast to these.
	Query(ctx context.Context, sql string) ([]Row, error)
	// Describe analyses a query without running it and returns its columns.
	Describe(ctx context.Context, sql string) ([]Column, error)
	// Set and Unset change a session setting; they are not SQL statements.
	Set(ctx context.Context, key, value string) error
	Unset(ctx context.Context, key string) error
}

// Row is one result row, by column name as the query spells it.
type Row map[string]any

// Column is one column of a described query. Fields is set for a struct.
type Column struct {
	Name     string
	Type     string // Spark DDL, upper case: DECIMAL(18,2), ARRAY<STRING>, STRUCT
	Nullable bool
	Comment  string
	Fields   []Column
}

// StatementError is a statement that Spark refused or did not finish.
type StatementError struct {
	Class    string // [TABLE_OR_VIEW_NOT_FOUND] without brackets, "" when the server gave none
	SQLState string // "" on Spark 3.5, whose errors carry none
	Message  string // without the statement's own text, at most 2,000 characters
	Unknown  bool   // the transport broke: the statement may have run, or may still run
	Err      error
}

func (e *StatementError) Error() string { return e.Message }

func (e *StatementError) Unwrap() error { return e.Err }

// NotFound reports whether err says that a table, view or schema does not exist.
func NotFound(err error) bool {
	var s *StatementError
	if !errors.As(err, &s) {
		return false
	}
	switch s.Class {
	case "TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "DELTA_TABLE_NOT_FOUND", "DELTA_MISSING_DELTA_TABLE":
		return true
	default:
		return false
	}
}

// Number reads a named integer of a row.
func (r Row) Number(name string) (int64, error) {
	switch v := r[name].(type) {
	case int64:
		return v, nil
	case nil:
		return 0, fmt.Errorf("reading column %q of a control query: it is NULL or not there", name)
	default:
		return 0, fmt.Errorf("reading column %q of a control query: %T is not a whole number", name, v)
	}
}

// Text reads a named text of a row; NULL and absent are "".
func (r Row) Text(name string) string {
	s, _ := r[name].(string)
	return s
}
