// Package gen derives the plan of a run from a contract: it builds view structs
// whose every expression is a finished string, and executes the statement
// templates over them. It is pure: no clock, environment, network or logger, so
// the same contract gives the same bytes.
//
// Templates hold the shape of a statement, this package what depends on the
// contract, gen/sparksql every quote.
package gen

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/templates"
)

// ErrUnsupported says that a contract is right, but this version writes no SQL for it.
var ErrUnsupported = errors.New("not supported yet")

// statements are the templates of each table format.
var statements = map[contracts.Format]*template.Template{contracts.Delta: parse("delta"), contracts.Iceberg: parse("iceberg")}

// templatesOf are those of a format; a contract that publishes nothing may name none.
func templatesOf(f contracts.Format) *template.Template {
	return statements[cmp.Or(f, contracts.Delta)]
}

func parse(format string) *template.Template {
	root := template.New("sluice").Option("missingkey=error")
	root.Funcs(template.FuncMap{
		"ident":  ident,
		"lit":    lit,
		"join":   func(separator string, items []string) string { return strings.Join(items, separator) },
		"indent": indent,
		"outdent": func(by int, text string) string {
			return strings.ReplaceAll(text, "\n"+strings.Repeat(" ", by), "\n")
		},
		"include": func(name string, data any) (string, error) {
			var out strings.Builder
			err := root.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
	})
	return template.Must(root.ParseFS(templates.FS, "shared/*.tmpl", format+"/*.tmpl"))
}

// indent moves every line but the first to the right.
func indent(by int, text string) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", by))
}

// Build derives the plan of one published table.
func Build(c *contracts.Contract, t *contracts.Table) (*plan.Plan, error) {
	if t.Publish.Mode == "" {
		return nil, fmt.Errorf("planning %s: the contract does not publish it; add the customProperty publish", t.Target)
	}
	if (t.Publish.Mode == contracts.WAP) != (c.Server.Format == contracts.Iceberg) {
		return nil, fmt.Errorf("planning %s: publish mode %s on %s is %w; delta takes merge and replacePartition, iceberg takes wap", t.Target, t.Publish.Mode, c.Server.Format, ErrUnsupported)
	}
	if p, found := unreplaceable(c, t); found {
		return nil, fmt.Errorf("planning %s: replacing a partition by the column %q of type %s on %s is %w; partition by a DATE, INT, BIGINT or STRING", t.Target, p.Name, p.Type, c.Server.Format, ErrUnsupported)
	}
	v, err := newView(c, t)
	if err != nil {
		return nil, fmt.Errorf("planning %s: %w", t.Target, err)
	}
	p := &plan.Plan{
		Format: plan.Format, Contract: c.ID, Version: c.Version.String(), Table: t.Target.String(), Catalog: c.Server.Catalog, Mode: string(t.Publish.Mode), Owner: oneLine(c.Owner),
		Tables: v.tables(), Constraints: v.constraints(), SourceRead: v.hashed(), NotDirt: notDirt(t), Groupings: groupings(t), Params: params(t), Steps: Skeleton(c, t),
		Partition: partition(t), Branch: t.Publish.Branch,
	}
	for _, e := range c.Endings(t) {
		p.Endings = append(p.Endings, plan.Ending{Column: e.Column, EndOfLife: e.EndOfLife, Successor: e.Successor, Fail: e.Fail, Readers: readers(c, t, e)})
	}
	for _, column := range t.Columns {
		p.Columns = append(p.Columns, column.Name)
		if column.Required {
			p.Required = append(p.Required, column.Name)
		}
	}
	for i := range p.Steps {
		for j := range p.Steps[i].Statements {
			s := &p.Steps[i].Statements[j]
			if s.SQL, err = v.render(s.Name); err == nil {
				err = sound(p, s.SQL)
			}
			if err == nil {
				s.Script, err = v.script(s.Name)
			}
			if err != nil {
				return nil, fmt.Errorf("planning %s: writing statement %s: %w", t.Target, s.Name, err)
			}
		}
	}
	return p, nil
}

// readers are the consumers of what ends, with how to reach them.
func readers(c *contracts.Contract, t *contracts.Table, e contracts.Ending) []string {
	var out []string
	for _, one := range c.Readers(t, t.Find(e.Column)) {
		text := oneLine(one.Name)
		if one.Contact != "" {
			text += " (" + oneLine(one.Contact) + ")"
		}
		out = append(out, text)
	}
	return out
}

// render executes the template of a statement. A name with a suffix, such as
// rule_<id>, is one of several statements of a template.
func (v *view) render(name string) (string, error) {
	data := *v
	file := name
	switch {
	case strings.HasPrefix(name, "ensure_schema_"):
		return "CREATE SCHEMA IF NOT EXISTS " + v.schemas[name].SQL(), nil
	case strings.HasPrefix(name, "ensure_constraint_"):
		file = "ensure_constraint"
		data.Constraint = *find(v.constraints(), func(c plan.Constraint) bool { return "ensure_constraint_"+c.Name == name })
	case name == candidateMetrics, name == targetMetrics:
		file, data.Metrics = "metrics", v.metrics(name == targetMetrics)
	case strings.HasPrefix(name, "rule_"), strings.HasPrefix(name, "target_"):
		file = "rule"
		data.Rule = v.rules[name]
	case strings.HasPrefix(name, "settle_lookup_"):
		file = "settle_lookup"
		data.Lookup = v.lookups[strings.TrimPrefix(name, "settle_")]
	case strings.HasPrefix(name, "lookup_"):
		file = "lookup_rows"
		data.Lookup = v.lookups[name]
	case name == "settle_moved":
		file, data.AsOf = "settle_published", " VERSION AS OF :read_version"
	case name == "ensure_history":
		file = "guard_history"
	default:
		file, data.Why = v.file(name)
	}
	var out strings.Builder
	if err := templatesOf(v.contract.Server.Format).ExecuteTemplate(&out, file+".sql.tmpl", data); err != nil {
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

// file is the template of a statement that several steps share, or that the
// write of the table decides, and the reason that stands over it.
func (v *view) file(name string) (file, why string) {
	if why, isRefs := refs[name]; isRefs && v.Branch != "" {
		return "refs", why
	}
	switch {
	case refreshes[name]:
		return "refresh", ""
	case name == "branch_merge", name == "publish" && !v.Replaces:
		return "merge", ""
	case !v.Replaces:
		return name, ""
	}
	switch name {
	case "publish", "settle_scope", "settle_warnings":
		return name + "_partition", ""
	case "settle_published":
		return "settle_elsewhere", ""
	}
	return name, ""
}

func find[T any](items []T, is func(T) bool) *T {
	if i := slices.IndexFunc(items, is); i >= 0 {
		return &items[i]
	}
	return nil
}

// sound is the last look at a statement: whatever the contract holds, it must be
// one closed statement whose markers are all declared.
func sound(p *plan.Plan, sql string) error {
	for _, tok := range sparksql.Tokens(sql) {
		if tok.Kind == sparksql.Marker && find(p.Params, func(q plan.Param) bool { return ":"+q.Name == tok.Text }) == nil {
			return fmt.Errorf("binding %s: the plan does not declare it", tok.Text)
		}
	}
	return sparksql.Closed(sql)
}

// newestRejected is the code of a row that is held back, and the warning where
// an older version is published.
const newestRejected = "newest_rejected"

// notDirt are the codes that the reject ceiling does not count: redeliveries
// and rows that only wait for another one say nothing of the feed's quality.
func notDirt(t *contracts.Table) []string {
	out := []string{"duplicate_superseded", "late_superseded", "already_published"}
	if t.Dedup.HoldBackBroken {
		out = append(out, newestRejected) // the broken version beside it is counted
	}
	if t.IgnoreHeader {
		out = append(out, "header_row")
	}
	return out
}

// params declares every marker, for readers of a printed plan and for Bind.
func params(t *contracts.Table) []plan.Param {
	recorded := "a number of the run, for its audit-log row"
	list := []plan.Param{
		{Name: "batch_id", Type: plan.TextParam, Why: "the batch id of the run"},
		{Name: "run_id", Type: plan.TextParam, Why: "a fresh id for each attempt; staged rows carry it"},
		{Name: "missing_columns", Type: plan.ColumnsParam, Why: "the columns that a helper table of an older version lacks"},
		{Name: "read_version", Type: plan.IntegerParam, Why: "the version that the MERGE read, if another writer had committed before it"},
		{Name: "added_columns", Type: plan.TextsParam, Why: "columns that a migration added to the published table (contract.added.*), '' for none"},
		{Name: "started_at", Type: plan.TextParam, Why: "when the run began, UTC"},
		{Name: "batch_hash", Type: plan.TextParam, Why: "rows and two sums over the hashes of the source text"},
		{Name: "batch_columns", Type: plan.TextParam, Why: "the source columns under the hash"},
		{Name: "partition", Type: plan.TextParam, Why: "the partition that the run replaces, NULL without one"},
	}
	for _, name := range []string{"attempt", "input_rows", "accepted_rows", "rejected_rows", "refused_rows", "commit_version", "snapshot_id"} {
		list = append(list, plan.Param{Name: name, Type: plan.IntegerParam, Why: recorded})
	}
	for _, name := range []string{"reasons", "filled", "segments", "checks", "target_counts", "step_seconds", "failures"} {
		list = append(list, plan.Param{Name: name, Type: plan.JSONParam, Why: recorded + ", as JSON"})
	}
	for _, name := range []string{"passed", "published", "recovered"} {
		list = append(list, plan.Param{Name: name, Type: plan.BooleanParam, Why: recorded})
	}
	list = append(list, partitionParams(t)...)
	scripted(t, list)
	return list
}
