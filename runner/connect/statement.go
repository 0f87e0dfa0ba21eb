package connect

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sluice/runner"

	"github.com/apache/spark-connect-go/v35/spark/sql/types"
)

// interruptTimeout bounds the request to stop a statement whose caller is gone.
const interruptTimeout = 5 * time.Second

// Exec runs a statement for its effect, once. It never collects: for a text that
// the server takes as a query, that would run it again.
func (s *Session) Exec(ctx context.Context, sql string) error {
	return s.run(ctx, true, func(ctx context.Context) error {
		_, err := s.spark.Sql(ctx, sql)
		return err
	})
}

// Query runs a SELECT, SHOW or DESCRIBE and returns all its rows. Maps, structs
// and arrays come as map[string]any and []any, dates as days and timestamps as
// microseconds; a decimal is refused, because the client loses its scale.
func (s *Session) Query(ctx context.Context, sql string) ([]runner.Row, error) {
	var out []runner.Row
	err := s.run(ctx, false, func(ctx context.Context) error {
		df, err := s.spark.Sql(ctx, sql)
		if err != nil {
			return err
		}
		out, err = collect(ctx, df.Collect)
		return err
	})
	return out, err
}

// collect turns the client's panics, on a stream without a batch, a batch that it
// cannot read or two columns of one name, into errors.
func collect(ctx context.Context, f func(context.Context) ([]types.Row, error)) (out []runner.Row, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the client could not read the result: %v; do two columns have one name?", p)
		}
	}()
	rows, err := f(ctx)
	if err != nil {
		return nil, err
	}
	return convert(rows)
}

// Describe analyses a query without running it and returns its columns. The
// text must be a query: Spark runs a command as soon as it analyses it.
func (s *Session) Describe(ctx context.Context, sql string) ([]runner.Column, error) {
	var out []runner.Column
	err := s.run(ctx, false, func(ctx context.Context) error {
		if s.wire.onStatement != nil {
			s.wire.onStatement(sql, KindDescribe)
		}
		plan := map[string]any{"root": map[string]any{"sql": map[string]any{"query": sql}}}
		var reply struct {
			Schema struct{ Schema dataType }
		}
		err := s.wire.invoke(ctx, s.conn, "AnalyzePlan", "AnalyzePlanRequest", "AnalyzePlanResponse",
			map[string]any{"schema": map[string]any{"plan": plan}}, &reply)
		if err != nil {
			return err
		}
		out, err = columns(reply.Schema.Schema)
		return err
	})
	return out, err
}

// run is the frame of every statement: one in flight, a heartbeat beside it,
// the server told to stop when its outcome is unknown, and one kind of error.
func (s *Session) run(ctx context.Context, effect bool, f func(context.Context) error) error {
	if err := s.lock(ctx); err != nil {
		return &runner.StatementError{Message: "the statement was stopped before it was sent", Err: err}
	}
	defer s.unlock()
	c := &call{}
	ctx = context.WithValue(ctx, callKey{}, c)
	stop := s.heartbeat(ctx)
	err := f(ctx)
	stop()
	if err == nil {
		return nil
	}
	e := s.wire.classify(ctx, c, effect, err)
	if operation, _ := c.state(); e.Unknown && operation != "" {
		e.Err = errors.Join(e.Err, s.stop(ctx, operation))
	}
	return e
}

// stop interrupts one operation. Neither a cancelled context nor a broken stream
// stops the server, which would go on and might commit much later.
func (s *Session) stop(ctx context.Context, operation string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), interruptTimeout)
	defer cancel()
	return s.interrupt(ctx, map[string]any{"interruptType": "INTERRUPT_TYPE_OPERATION_ID", "operationId": operation})
}

// Interrupt asks the server to stop everything that this session runs. It may be
// called beside a statement, which then fails.
func (s *Session) Interrupt(ctx context.Context) error {
	return s.interrupt(ctx, map[string]any{"interruptType": "INTERRUPT_TYPE_ALL"})
}

func (s *Session) interrupt(ctx context.Context, body map[string]any) error {
	// Not the statement's context value: an interrupt is no statement.
	ctx = context.WithValue(ctx, callKey{}, (*call)(nil))
	err := s.wire.invoke(ctx, s.conn, "Interrupt", "InterruptRequest", "InterruptResponse", body, nil)
	if err != nil {
		return fmt.Errorf("interrupting the session: %w", s.wire.classify(ctx, &call{}, false, err))
	}
	return nil
}

// heartbeat reads a setting from time to time until the returned function is
// called. Spark counts a session as idle from its last request, however long a
// statement runs, and closes it with everything in it after an hour.
func (s *Session) heartbeat(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(s.beat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				one, done := context.WithTimeout(ctx, s.beat)
				// A missed beat is no error: the statement itself will tell.
				_, _ = s.spark.Config().GetWithDefault(one, heartbeatKey, heartbeatDefault)
				done()
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// The setting that a heartbeat reads is one that every Spark knows; Spark checks
// the default as well, so it must be a value that the setting could have.
const (
	heartbeatKey     = "spark.sql.session.timeZone"
	heartbeatDefault = "UTC"
)

// lock waits for the statement in flight, or for ctx.
func (s *Session) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) unlock() { <-s.busy }
