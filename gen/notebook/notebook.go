// Package notebook writes the run of a table as a Jupyter notebook that needs a
// Spark session and nothing else: the statements of the plan, each in a cell of its
// own, and the run protocol of package runner in Python, with the same codes and
// messages. Fabric, Databricks and Jupyter read the format (nbformat 4.5); papermill
// and Fabric pipelines fill the cell that is tagged parameters.
//
// A notebook is a function of its plan alone, so that CI can compare it.
package notebook

import (
	"fmt"
	"strings"

	"sluice/gen/docs"
	"sluice/gen/plan"
)

// Subject is what a notebook is written of. For Magic the plan has the literals of
// its batch.
type Subject struct {
	Plan     *plan.Plan
	File     string // the contract's, as a slash path
	Options  Options
	Fixtures *Fixtures // with Options.Fixtures
}

// Write returns the bytes of the notebook.
func Write(s Subject) ([]byte, error) {
	b := &book{plan: s.Plan, source: s.File, tested: s.Fixtures != nil}
	if s.Options.Format == Magic {
		b.magic(s.Options)
		return b.bytes(s.Options)
	}
	b.head()
	if err := b.protocol(); err != nil {
		return nil, err
	}
	b.statements()
	if s.Fixtures != nil {
		if err := b.fixtures(s.Fixtures); err != nil {
			return nil, err
		}
	}
	b.run()
	return b.bytes(s.Options)
}

// head says what the notebook is, and takes its parameters.
func (b *book) head() {
	p := b.plan
	b.markdown("about", fmt.Sprintf(`# One run of one batch into %s

Contract %s, version %s, publish mode %s. Written by %s from %s; do not edit it, write it again.

- **Parameters** are in the next cell. papermill, a Fabric pipeline or a Databricks job fill them.
- **Statements** only defines: a cell a step, with the SQL that %s sends. Nothing runs before **The run**.
- **The run** goes through the steps in order, each cell once; one out of its turn is refused, and changes nothing. What ends it is raised: `+"`Refused`"+` (the batch; nothing of it is published), `+"`Failed`"+` (nothing is published), `+"`Doubt`"+` (a person must look). The audit log has a row of each run that did not end in doubt, and the cells behind the one that raised do nothing.
- Run again with the same batch id at any time: what was published stays as it is.`,
		docs.Code(p.Table), docs.Code(p.Contract), docs.Code(p.Version), docs.Code(p.Mode), docs.Code("sluice gen --notebook"), docs.Code(b.source), docs.Code("sluice run")))
	b.markdown("parameters-about", "## Parameters\n\n"+strings.Join(b.parametersAbout(), "\n"))
	var values []string
	for _, one := range b.parameters() {
		values = append(values, one.name+" = "+one.value)
	}
	b.tagged("parameters", "parameters", strings.Join(values, "\n"))
	b.code("widgets", b.widgets())
}

// parameter is a name of the parameters cell: a scalar, as schedulers fill them.
type parameter struct{ name, value, why string }

func (b *book) parameters() []parameter {
	out := []parameter{{"batch_id", `""`, "the batch, as it was landed: 1 to 128 of the characters A-Z a-z 0-9 . _ : + -"}}
	for _, c := range b.plan.Partition {
		out = append(out, parameter{c.Param, `""`, fmt.Sprintf("the partition that the run replaces: its %s, a %s", docs.Code(c.Name), c.Type)})
	}
	out = append(out, parameter{"accept_changed", "False", "publish a batch id that came back with other content"})
	if b.plan.Replaces() {
		codes := []string{plan.NothingAccepted, plan.PartitionShrinks, plan.OlderDelivery}
		out = append(out, parameter{"allow", `""`, "codes that may fail, with commas between them: " + docs.Codes(codes)})
	}
	if b.tested {
		out = append(out, parameter{"run_fixtures", "False", "run the fixtures before the batch; without a batch id they run alone"})
	}
	return out
}

func (b *book) parametersAbout() []string {
	var out []string
	for _, one := range b.parameters() {
		out = append(out, fmt.Sprintf("- %s: %s", docs.Code(one.name), one.why))
	}
	return out
}

// protocol is the Python that every notebook shares, beside what it knows of the contract.
func (b *book) protocol() error {
	b.markdown("contract-about", "## The contract\n\nWhat guard and audits know of it, and the settings under which every statement is sent.")
	b.code("contract", b.contract())
	b.markdown("protocol-about", "## How a run goes\n\nPython alone, the same in each notebook: it sends no statement of its own.")
	for _, name := range b.modules() {
		text, err := module(name)
		if err != nil {
			return err
		}
		b.hidden("protocol-"+name, text)
	}
	return nil
}

// modules are the parts of the protocol that this plan needs.
func (b *book) modules() []string {
	out := []string{"session", "sql", "judge", "guard", "rows"}
	if len(b.plan.Groupings) > 0 {
		out = append(out, "segments")
	}
	if b.plan.Replaces() {
		out = append(out, "partition")
	}
	if b.plan.Branch != "" {
		return append(out, "iceberg", "record")
	}
	return append(out, "delta", "record")
}

// contract is the constants of a table.
func (b *book) contract() string {
	p := b.plan
	var settings dict
	for _, s := range plan.SessionSettings(true) {
		settings = append(settings, pair{s.Key, s.Value})
	}
	var constraints dict
	for _, c := range p.Constraints {
		constraints = append(constraints, pair{c.Name, c.Expression})
	}
	plan := dict{
		{"contract", p.Contract},
		{"version", p.Version},
		{"table", p.Table},
		{"catalog", p.Catalog},
		{"branch", p.Branch},
		{"stamp", stamp(p)},
		{"columns", p.Columns},
		{"required", p.Required},
		{"sourceRead", p.SourceRead},
		{"notDirt", p.NotDirt},
		{"groupings", list(p.Groupings)},
		{"partition", structs(p.Partition)},
		{"endings", structs(p.Endings)},
		{"constraints", constraints},
		{"tables", tables(p.Tables)},
		{"steps", b.steps()},
		{"parts", b.calls()},
	}
	return "PLAN = " + python(plan, 0) + "\n\nSESSION = " + python(settings, 0) + "\n\nGUARD_COLUMNS = " + sqlText(p.Step("guard_columns").Statements[0].SQL)
}

// steps are those that have a cell, all but the one that is analysed and not run.
func (b *book) steps() []string {
	var out []string
	for _, s := range b.plan.Steps {
		if s.Name != "guard_columns" {
			out = append(out, s.Name)
		}
	}
	return out
}

// tables are what the guard compares.
func tables(all []plan.Table) block {
	var out block
	for _, t := range all {
		var columns block
		for _, c := range t.Columns {
			columns = append(columns, flat{{"name", c.Name}, {"type", c.Type}, {"nullable", c.Nullable}})
		}
		out = append(out, dict{{"role", string(t.Role)}, {"alias", t.Alias}, {"name", t.Name}, {"noCheck", t.NoCheck}, {"describe", t.Describe}, {"columns", columns}})
	}
	return out
}

// stamp is the userMetadata of the publishing commit.
func stamp(p *plan.Plan) string {
	for _, s := range p.Steps {
		for _, setting := range s.Settings {
			if strings.HasSuffix(setting.Key, "userMetadata") {
				return setting.Value
			}
		}
	}
	return ""
}
