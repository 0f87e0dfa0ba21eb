package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/gen/plan"
)

// StepError is a step that did not finish: which statement, and why.
type StepError struct {
	Step, Statement string
	OnFailure       plan.Failure
	Err             error
}

func (e *StepError) Error() string {
	return fmt.Sprintf("running step %s, statement %s: %v", e.Step, e.Statement, e.Err)
}

func (e *StepError) Unwrap() error { return e.Err }

// unknown reports whether err leaves open if its statement took effect.
func unknown(err error) bool {
	var s *StatementError
	return errors.As(err, &s) && s.Unknown
}

// results are the rows of a step's queries by statement name; nil when the step was skipped.
type results map[string][]Row

// single is the one row of a statement.
func single(out results, name string) (Row, error) {
	if len(out[name]) != 1 {
		return nil, fmt.Errorf("reading %s: %d rows came back, not one", name, len(out[name]))
	}
	return out[name][0], nil
}

// step runs the named step of the plan, or skips it when its number is zero.
func (a *attempt) step(ctx context.Context, name string) (results, error) {
	s := a.plan.Step(name)
	if s == nil {
		return nil, nil // a plan without this step, such as one without lookups
	}
	if s.SkipIfZero != "" && a.numbers[s.SkipIfZero] == 0 {
		a.observe(Event{Step: s.Name, Why: s.Why, State: "skip", Number: a.index(name), Of: len(a.plan.Steps)})
		a.report.Steps = append(a.report.Steps, StepReport{Name: s.Name, Skipped: true})
		return nil, nil
	}
	a.observe(Event{Step: s.Name, Why: s.Why, State: "begin", Number: a.index(name), Of: len(a.plan.Steps)})
	began := time.Now()
	out, sent, err := a.statements(ctx, s)
	took := time.Since(began).Seconds()
	a.report.Steps = append(a.report.Steps, StepReport{Name: s.Name, Statements: sent, Seconds: took})
	a.observe(Event{Step: s.Name, State: "end", Seconds: took, Number: a.index(name), Of: len(a.plan.Steps)})
	return out, err
}

// statements runs a step's statements in order, its settings around them.
// The settings are taken back on a fresh context, so that a cancelled run does
// not leave userMetadata behind for the next commit of the session.
func (a *attempt) statements(ctx context.Context, s *plan.Step) (out results, sent int, err error) {
	for _, setting := range s.Settings {
		if err := a.session.Set(ctx, setting.Key, a.text(setting.Value)); err != nil {
			return nil, sent, &StepError{s.Name, "SET " + setting.Key, plan.FailRun, err}
		}
		defer func() {
			clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
			defer cancel()
			if unset := a.session.Unset(clean, setting.Key); unset != nil && err == nil {
				a.note(fmt.Sprintf("taking back the session setting %s: %v", setting.Key, unset))
			}
		}()
	}
	out = results{}
	for _, st := range s.Statements {
		rows, err := a.statement(ctx, st)
		if err != nil {
			return out, sent, &StepError{s.Name, st.Name, s.OnFailure, err}
		}
		sent++
		out[st.Name] = rows
	}
	return out, sent, nil
}

func (a *attempt) statement(ctx context.Context, st plan.Statement) ([]Row, error) {
	sql, left, err := a.plan.Bind(st.SQL, a.values)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("binding markers: nothing fills :%s", strings.Join(left, ", :"))
	}
	var rows []Row
	if st.Use == plan.Exec {
		err = a.session.Exec(ctx, sql)
	} else {
		rows, err = a.session.Query(ctx, sql)
	}
	if err == nil && a.options.AfterStatement != nil {
		err = a.options.AfterStatement(st)
	}
	return rows, err
}

// text fills the markers of a setting, whose value is plain text and no SQL.
// Batch and run ids match [A-Za-z0-9._:+-]+, so nothing needs escaping.
func (a *attempt) text(value string) string {
	return strings.NewReplacer(":batch_id", a.options.Batch, ":run_id", a.run).Replace(value)
}

func (a *attempt) index(name string) int {
	for i := range a.plan.Steps {
		if a.plan.Steps[i].Name == name {
			return i + 1
		}
	}
	return 0
}

func (a *attempt) observe(e Event) {
	if a.options.Observe != nil {
		a.options.Observe(e)
	}
}

func (a *attempt) note(text string) {
	a.report.Notes = append(a.report.Notes, text)
	a.observe(Event{State: "note", Text: text})
}
