package gen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

// ErrNewer says that a newer contract shaped the table. It is never taken back.
var ErrNewer = errors.New("a newer contract wrote the table")

// Migrator derives what is left to do between the live table and its contract,
// anew for each state that it is given. With rewrite set, columns are dropped and
// retyped by writing the table anew instead of by column mapping.
func Migrator(c *contracts.Contract, t *contracts.Table, rewrite bool) (func(plan.Live) (plan.Migration, error), error) {
	p, err := Build(c, t)
	if err != nil {
		return nil, err
	}
	if c.Server.Format != contracts.Delta {
		return nil, fmt.Errorf("migrating %s: tables of format %s are %w; delta works", t.Target, c.Server.Format, ErrUnsupported)
	}
	return func(live plan.Live) (plan.Migration, error) {
		m := newMigration(c, t, p, live, rewrite)
		if plan.Stand(p.Version, m.out.From).Older() {
			return m.out, fmt.Errorf("migrating %s: %w, %s, and this is %s; a table is never taken back, so migrate with the newer contract", p.Table, ErrNewer, m.out.From, p.Version)
		}
		if live.Target.Exists {
			m.changes()
		}
		if m.err != nil {
			return m.out, fmt.Errorf("migrating %s: %w", p.Table, m.err)
		}
		return m.out, nil
	}, nil
}

// migration collects the changes of one state.
type migration struct {
	contract *contracts.Contract
	table    *contracts.Table
	want     plan.Table
	staging  plan.Table
	checks   []plan.Constraint
	live     plan.Live
	standing plan.Standing
	drifts   []plan.Drift
	rewrite  bool

	rewriting bool // the table is written anew in this migration
	names     namer
	out       plan.Migration
	err       error
}

// migrationView is what the migrate_* templates see; names and values are quoted.
type migrationView struct {
	Target, Column, Name, Value, Condition string
	Items, Values                          []string
}

func newMigration(c *contracts.Contract, t *contracts.Table, p *plan.Plan, live plan.Live, rewrite bool) *migration {
	m := &migration{
		contract: c, table: t, want: *p.TableOf(plan.TargetTable), staging: *p.TableOf(plan.StagingTable), checks: p.Constraints,
		live: live, rewrite: rewrite, names: namer{},
		out: plan.Migration{Contract: p.Contract, Version: p.Version, Table: p.Table, From: live.Target.Properties[plan.VersionProperty]},
	}
	m.standing = plan.Stand(p.Version, m.out.From)
	m.out.Detail = *m.statement("migrate_detail", "detail", migrationView{})
	if live.Target.Exists {
		m.drifts = plan.Compare(m.want, m.checks, live.Target)
	}
	m.rewriting = rewrite && slices.ContainsFunc(m.drifts, m.needsMapping)
	return m
}

// changes are in the order in which nothing has to be done twice: what only
// loosens, what only adds, what moves data, what tightens. A version of the same
// major is set once the columns are there, so that the older writer goes on by
// the rule of extra optional columns; another major is set when all is done.
func (m *migration) changes() {
	m.dropChecks()
	m.dropNotNull()
	m.addColumns()
	if m.standing == plan.ContractAhead {
		m.version(false)
	}
	if m.rewriting {
		m.rewriteTable()
	} else {
		m.moveColumns()
	}
	m.require()
	m.addChecks()
	m.comments()
	m.setAside()
	m.forget()
	if m.standing != plan.ContractAhead && m.standing != plan.SameVersion {
		m.version(true)
	}
}

// add appends a change with its statement.
func (m *migration) add(c plan.Change, template, name string, view migrationView) *plan.Change {
	if template != "" {
		c.Statement = m.statement(template, name, view)
	}
	c.Name = name
	m.out.Changes = append(m.out.Changes, c)
	return &m.out.Changes[len(m.out.Changes)-1]
}

func (m *migration) statement(template, name string, view migrationView) *plan.Statement {
	view.Target = m.table.Target.SQL()
	var out strings.Builder
	err := templatesOf(m.contract.Server.Format).ExecuteTemplate(&out, template+".sql.tmpl", view)
	sql := strings.TrimSpace(out.String())
	if err == nil {
		err = sound(&plan.Plan{Params: plan.MigrationParams()}, sql)
	}
	if err != nil && m.err == nil {
		m.err = fmt.Errorf("writing statement %s: %w", name, err)
	}
	return &plan.Statement{Name: name, Use: plan.Exec, SQL: sql}
}

// count is the statement that counts rows by a condition; "" counts all.
func (m *migration) count(condition string) *plan.Statement {
	s := m.statement("migrate_count", "count", migrationView{Condition: condition})
	s.Use = plan.Query
	return s
}

func (m *migration) ofKind(kinds ...plan.DriftKind) []plan.Drift {
	var out []plan.Drift
	for _, d := range m.drifts {
		if slices.Contains(kinds, d.Kind) {
			out = append(out, d)
		}
	}
	return out
}

func (m *migration) version(last bool) {
	why := fmt.Sprintf("writers and readers go by the version; it is set before the writer of %s ships", m.out.Version)
	if last {
		why = fmt.Sprintf("version %s, when nothing else is left: it says that the table is as the contract has it", m.out.Version)
	}
	m.add(plan.Change{Why: why, Group: "version", Last: last}, "migrate_version", "set_version", migrationView{Value: lit(m.out.Version)})
}

// comments are set where the contract describes a column in other words.
func (m *migration) comments() {
	for _, w := range m.want.Columns {
		have := m.live.Target.Column(w.Name)
		if have == nil || w.Comment == "" || w.Comment == have.Comment || !plan.SameType(w.Type, have.Type) {
			continue // a column that is added or moved brings its comment
		}
		why := fmt.Sprintf("the contract describes %s in other words", oneLine(w.Name))
		m.add(plan.Change{Why: why, Group: "comment " + w.Name}, "migrate_comment", m.name("comment_", w.Name), migrationView{Column: ident(w.Name), Value: lit(w.Comment)})
	}
}

func (m *migration) name(stem, column string) string {
	return m.names.name(stem + slug(column, "column"))
}

func group(column string) string { return "column " + strings.ToLower(column) }
