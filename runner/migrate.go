package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/gen/plan"
)

// migrator is the state of one migration. waiting are the groups that cannot go
// on, with the step that holds them up.
type migrator struct {
	session Session
	plan    *plan.Plan
	options MigrateOptions
	report  *Migration
	waiting map[string]string
	decided map[string]bool // steps that are planned, done or wait, by name and group
	applied map[string]bool
}

// Migrate compares the published table of a plan with its contract and shows
// what is left to do, or does it. Each step is chosen from the live state, read
// anew after every statement: a migration that was killed goes on where it
// stopped, and one that is complete does nothing. What cannot run, because rows
// are in the way or because it would drop data, waits; so does what builds on it.
func Migrate(ctx context.Context, s Session, p *plan.Plan, o MigrateOptions) (Migration, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &migrator{
		session: s, plan: p, options: o, waiting: map[string]string{}, decided: map[string]bool{}, applied: map[string]bool{},
		report: &Migration{Contract: p.Contract, Version: p.Version, Table: p.Table, Steps: []MigrationStep{}, Failures: []string{}},
	}
	if err := m.do(ctx); err != nil {
		m.report.Result = Broken
		m.report.Failures = append(m.report.Failures, err.Error())
		return *m.report, err
	}
	return *m.report, nil
}

func (m *migrator) do(ctx context.Context) error {
	for {
		live, err := m.read(ctx)
		if err != nil {
			return err
		}
		next, err := m.options.Next(live)
		if m.report.From == "" && len(m.applied) == 0 {
			m.report.From = next.From
		}
		if err != nil {
			return err
		}
		if !live.Target.Exists {
			m.report.Result = NoTable
			return nil
		}
		if m.report.Protocol.Before == nil && next.Detail.SQL != "" {
			if m.report.Protocol.Before, err = m.protocol(ctx, next.Detail); err != nil {
				return err
			}
		}
		change, err := m.pick(ctx, next.Changes)
		if err != nil {
			return err
		}
		if change == nil {
			m.report.Result = m.result()
			if len(m.applied) > 0 && next.Detail.SQL != "" {
				m.report.Protocol.After, err = m.protocol(ctx, next.Detail)
			}
			return err
		}
		if err := m.apply(ctx, *change, len(next.Changes)); err != nil {
			return err
		}
	}
}

func (m *migrator) result() MigrationResult {
	switch {
	case len(m.report.Steps) == 0:
		return NothingToDo
	case !m.options.Apply:
		return Planned
	case len(m.waiting) > 0:
		return Left
	default:
		return Applied
	}
}

// read is the live state.
func (m *migrator) read(ctx context.Context) (plan.Live, error) {
	var live plan.Live
	if err := m.refresh(ctx); err != nil {
		return live, err
	}
	for role, state := range map[plan.Role]*plan.State{plan.TargetTable: &live.Target, plan.StagingTable: &live.Staging} {
		t := m.plan.TableOf(role)
		columns, err := m.session.Describe(ctx, t.Describe)
		switch {
		case NotFound(err):
		case err != nil:
			return live, fmt.Errorf("reading the columns of %s: %w", t.Name, err)
		default:
			*state = plan.State{Exists: true, Columns: stateColumns(columns)}
		}
	}
	if !live.Target.Exists {
		return live, nil
	}
	for _, s := range m.plan.Step("guard_published").Statements {
		if s.Name != "guard_properties" {
			continue
		}
		rows, err := m.session.Query(ctx, s.SQL)
		if err != nil {
			return live, fmt.Errorf("reading the properties of %s: %w", m.plan.Table, err)
		}
		live.Target.Properties = propertiesOf(rows)
	}
	return live, m.fields(ctx, &live.Target)
}

// protocol is what clients must know of the table now.
func (m *migrator) protocol(ctx context.Context, detail plan.Statement) (*Protocol, error) {
	rows, err := m.session.Query(ctx, detail.SQL)
	if err == nil && len(rows) != 1 {
		err = fmt.Errorf("%d rows came back, not one", len(rows))
	}
	p := &Protocol{Features: []string{}}
	if err == nil {
		p.Reader, err = rows[0].Number("minReaderVersion")
	}
	if err == nil {
		p.Writer, err = rows[0].Number("minWriterVersion")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the protocol of %s: %w", m.plan.Table, err)
	}
	if features, ok := rows[0]["tableFeatures"].([]any); ok {
		for _, f := range features {
			p.Features = append(p.Features, fmt.Sprint(f))
		}
		slices.Sort(p.Features)
	}
	return p, nil
}

// apply runs the statement of a change.
func (m *migrator) apply(ctx context.Context, c plan.Change, left int) error {
	if m.applied[c.Name] {
		return fmt.Errorf("applying %s: the statement ran, and the table is as it was; another writer may be changing it", c.Name)
	}
	sql, err := m.bind(*c.Statement)
	if err != nil {
		return fmt.Errorf("applying %s: %w", c.Name, err)
	}
	number := len(m.applied) + 1
	m.observe(Event{Step: c.Name, Why: c.Why, State: "begin", Number: number, Of: number + left - 1})
	began := time.Now()
	err = m.exec(ctx, sql, c.Settings)
	seconds := time.Since(began).Seconds()
	m.observe(Event{Step: c.Name, State: "end", Seconds: seconds, Number: number, Of: number + left - 1})
	if err != nil {
		return fmt.Errorf("applying %s: %w; the steps before it are done, and the same command goes on from here", c.Name, err)
	}
	m.applied[c.Name] = true
	step := &m.report.Steps[len(m.report.Steps)-1]
	step.State, step.Seconds = StepApplied, seconds
	if m.options.AfterStatement != nil {
		return m.options.AfterStatement(*c.Statement)
	}
	return nil
}

func (m *migrator) bind(s plan.Statement) (string, error) {
	values := plan.Values{"added_at": m.plan.Version + " " + m.options.Now().UTC().Format("2006-01-02 15:04:05")}
	sql, left, err := (&plan.Plan{Params: plan.MigrationParams()}).Bind(s.SQL, values)
	if err == nil && len(left) > 0 {
		err = errors.New("nothing fills the markers of the statement")
	}
	return sql, err
}

func (m *migrator) observe(e Event) {
	if m.options.Observe != nil {
		m.options.Observe(e)
	}
}
