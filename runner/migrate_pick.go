package runner

import (
	"context"
	"errors"
	"fmt"

	"sluice/gen/plan"
)

// pick goes through the changes in their order, decides each one that was not
// decided before, and returns the first that is to run now; without Apply none
// is, and all of them are shown.
func (m *migrator) pick(ctx context.Context, changes []plan.Change) (*plan.Change, error) {
	for i := range changes {
		c := &changes[i]
		if m.decided[c.Name] || m.decided[c.Name+" of "+c.Group] {
			continue
		}
		step, done, err := m.decide(ctx, *c)
		if err != nil {
			return nil, err
		}
		if done {
			m.decided[c.Name] = true
			continue
		}
		if step.State == StepWaits {
			m.decided[c.Name+" of "+c.Group] = true
			m.waiting[c.Group] = c.Name
		}
		m.report.Steps = append(m.report.Steps, step)
		if step.State != StepPlanned {
			continue
		}
		if m.options.Apply {
			return c, nil
		}
		m.decided[c.Name] = true
	}
	return nil, nil
}

// decide counts what a change counts and says whether it can run. A change whose
// work is done needs no step.
func (m *migrator) decide(ctx context.Context, c plan.Change) (step MigrationStep, done bool, err error) {
	if step, err = m.reviewed(c); err != nil {
		return step, false, err
	}
	waits := func(reason string) {
		if step.State == StepPlanned {
			step.State, step.Reason = StepWaits, reason
		}
	}
	if other := m.waitsFor(c); other != "" {
		waits(other + " has to be done first")
	}
	if c.Destructive && m.options.Apply && !m.options.AllowDestructive {
		waits("drops or rewrites data: --allow-destructive lets it run")
	}
	if step.State == StepWaits && m.options.Apply {
		return step, false, nil // no scan for what cannot run
	}
	rows, err := m.count(ctx, c, &step)
	if err != nil {
		return step, false, err
	}
	switch {
	case step.Count != nil && step.Count.Rows == nil && c.Count != nil:
		waits("cannot be counted")
	case c.Meaning == plan.Todo && c.Count != nil && rows == 0:
		return step, true, nil
	case c.Meaning == plan.Blocks && rows > 0:
		waits(fmt.Sprintf("%s: %d", c.Counts, rows))
	}
	if c.Statement == nil {
		waits(byHand(c, rows))
	}
	return step, false, nil
}

// reviewed is a change as it is shown, its statements without markers.
func (m *migrator) reviewed(c plan.Change) (step MigrationStep, err error) {
	step = MigrationStep{Name: c.Name, Why: c.Why, State: StepPlanned, Advice: c.Advice, Destructive: c.Destructive, Warning: c.Warning}
	if c.Statement != nil {
		step.Settings = c.Settings
		step.SQL, err = m.bind(*c.Statement)
	}
	if c.Other != nil && err == nil {
		step.Other, err = m.bind(*c.Other)
	}
	return step, err
}

func byHand(c plan.Change, rows int64) string {
	if c.Counts == "" {
		return "somebody has to do it by hand"
	}
	return fmt.Sprintf("%s: %d", c.Counts, rows)
}

func (m *migrator) waitsFor(c plan.Change) string {
	if c.Last && len(m.waiting) > 0 {
		return "everything else"
	}
	for _, group := range append([]string{c.Group}, c.After...) {
		if step := m.waiting[group]; step != "" {
			return step
		}
	}
	return ""
}

// count runs the count of a change. What Spark refuses to count, such as a cast
// that it does not know, is told beside the step and stops nothing else.
func (m *migrator) count(ctx context.Context, c plan.Change, step *MigrationStep) (int64, error) {
	if c.Counts != "" {
		step.Count = &Counted{What: c.Counts}
	}
	if c.Count == nil {
		return 0, nil
	}
	step.Count.SQL = c.Count.SQL
	rows, err := m.session.Query(ctx, c.Count.SQL)
	var refused *StatementError
	if errors.As(err, &refused) && !refused.Unknown && ctx.Err() == nil {
		step.Advice = "counting: " + refused.Message
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("counting %s for %s: %w", c.Counts, c.Name, err)
	}
	if len(rows) != 1 {
		return 0, fmt.Errorf("counting %s for %s: %d rows came back, not one", c.Counts, c.Name, len(rows))
	}
	n, err := rows[0].Number("rows")
	if err != nil {
		return 0, fmt.Errorf("counting %s for %s: %w", c.Counts, c.Name, err)
	}
	step.Count.Rows = &n
	return n, nil
}
