// Package fake is a recording session, for the order of calls and for faults
// that a real server cannot be made to show. Everything else is tested on Spark.
package fake

import (
	"context"
	"strings"
	"sync"

	"sluice/runner"
)

// Session records calls and answers them from a function.
type Session struct {
	// Answer gives rows or an error for a statement; nil answers nothing.
	Answer func(sql string) ([]runner.Row, error)
	// Tables are the columns that Describe finds by alias, one struct each.
	Tables []runner.Column

	mu    sync.Mutex
	calls []string
}

// Calls are the statements and settings in order: the SQL text, "SET key=value", "UNSET key".
func (f *Session) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.calls...)
}

// Called reports whether any call contains text.
func (f *Session) Called(text string) bool {
	for _, c := range f.Calls() {
		if strings.Contains(c, text) {
			return true
		}
	}
	return false
}

func (f *Session) record(call string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

// Exec records the statement.
func (f *Session) Exec(ctx context.Context, sql string) error {
	_, err := f.Query(ctx, sql)
	return err
}

// Query records the statement and asks Answer.
func (f *Session) Query(ctx context.Context, sql string) ([]runner.Row, error) {
	f.record(sql)
	if err := ctx.Err(); err != nil {
		return nil, &runner.StatementError{Message: err.Error(), Unknown: true, Err: err}
	}
	if f.Answer == nil {
		return nil, nil
	}
	return f.Answer(sql)
}

// Describe records the query and returns Tables.
func (f *Session) Describe(ctx context.Context, sql string) ([]runner.Column, error) {
	if _, err := f.Query(ctx, sql); err != nil {
		return nil, err
	}
	return f.Tables, nil
}

// Set records the setting.
func (f *Session) Set(_ context.Context, key, value string) error {
	f.record("SET " + key + "=" + value)
	return nil
}

// Unset records the setting.
func (f *Session) Unset(_ context.Context, key string) error {
	f.record("UNSET " + key)
	return nil
}
