// Package notebook writes the run of a table as a Jupyter notebook that needs a
// Spark session and nothing else: the statements of the plan, each in a cell of its
// own, and the run protocol of package runner in Python, with the same codes and
// messages. Fabric, Databricks and Jupyter read the format (nbformat 4.5); papermill
// and Fabric pipelines fill the cell that is tagged parameters.
//
// A notebook is a function of its plan alone, so that CI can compare it.
package notebook

import (
	"cmp"
	"fmt"
	"strings"

	"sluice/gen/docs"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
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
- **The run** goes through the steps in order. What ends it is raised: `+"`Refused`"+` (the batch; nothing of it is published), `+"`Failed`"+` (nothing is published), `+"`Doubt`"+` (a person must look). The audit log has a row of each run, and the cells behind the one that raised do nothing.
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
	out := []string{"session", "judge", "guard", "rows"}
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
	}
	return "PLAN = " + python(plan, 0) + "\n\nSESSION = " + python(settings, 0) + "\n\nGUARD_COLUMNS = " + sqlText(p.Step("guard_columns").Statements[0].SQL)
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

// statements are a cell a step.
func (b *book) statements() {
	b.markdown("statements-about", "## Statements\n\nOne cell a step, in the order of a run. These cells only define.")
	for i := range b.plan.Steps {
		s := &b.plan.Steps[i]
		if s.Name == "guard_columns" {
			continue // analysed, not run: it stands with the contract
		}
		b.markdown("step-"+s.Name+"-about", about(s, i+1, len(b.plan.Steps)))
		b.code("step-"+s.Name, b.step(s))
	}
}

func about(s *plan.Step, number, of int) string {
	out := fmt.Sprintf("### [%d/%d] %s\n\n%s", number, of, docs.Code(s.Name), docs.Text(sentence(s.Why)))
	if s.SkipIfZero != "" {
		out += fmt.Sprintf(" Only if %s > 0.", docs.Code(s.SkipIfZero))
	}
	if len(s.Checks) > 0 {
		out += "\n"
	}
	for _, c := range s.Checks {
		out += "\n- " + docs.Text(c.Text())
	}
	return out
}

// sentence begins with a capital, unless with a name, and ends with a stop.
func sentence(text string) string {
	if first, _, _ := strings.Cut(text, " "); !strings.ContainsAny(first, "._") {
		text = capital(text)
	}
	if !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

func capital(text string) string {
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// step is the function that sends the statements of a step.
func (b *book) step(s *plan.Step) string {
	var out strings.Builder
	out.WriteString("@step(" + quote(s.Name))
	if s.SkipIfZero != "" {
		out.WriteString(", skip_if_zero=" + quote(s.SkipIfZero))
	}
	if len(s.Checks) > 0 {
		out.WriteString(", checks=" + python(checks(s.Checks), 0))
	}
	fmt.Fprintf(&out, ")\ndef sql_%s(run):\n", function(s.Name))
	indent := "    "
	if len(s.Settings) > 0 {
		var around dict
		for _, setting := range s.Settings {
			around = append(around, pair{setting.Key, call("run.text(" + quote(setting.Value) + ")")})
		}
		fmt.Fprintf(&out, "    with settings(%s):\n", python(around, 1))
		indent += indent
	}
	for _, st := range s.Statements {
		out.WriteString(indent + b.send(st) + "\n")
	}
	if len(s.Statements) == 0 {
		out.WriteString(indent + "pass  # its checks judge numbers that are known by now\n")
	}
	return out.String()
}

// function is a name of Python: those of steps are words, but for what a rule is called.
func function(name string) string {
	return cmp.Or(strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name), "_")
}

// send is the call of spark.sql for a statement, by run.sql where its markers can be args. Its rows are kept by name.
func (b *book) send(st plan.Statement) string {
	text := sqlText(st.SQL)
	names := markers(st.SQL)
	switch {
	case len(names) == 0:
		text = "spark.sql(" + text + ")"
	case b.takesArgs(st.SQL, names):
		text = "run.sql(" + text + ", " + strings.Join(quoteAll(names), ", ") + ")"
	default:
		text = "spark.sql(run.bound(" + text + "))"
	}
	if st.Use == plan.Query {
		return "run.keep(" + quote(st.Name) + ", " + text + ")"
	}
	return text
}

// markers are the names of the markers of a statement, each once.
func markers(sql string) []string {
	var out []string
	seen := map[string]bool{}
	for _, tok := range sparksql.Tokens(sql) {
		if tok.Kind == sparksql.Marker && !seen[tok.Text] {
			seen[tok.Text] = true
			out = append(out, tok.Text[1:])
		}
	}
	return out
}

// takesArgs reports whether the args of spark.sql can fill every marker: Spark
// takes them where an expression may stand, so not in CALL, in DDL, in the
// PARTITION of an INSERT, as a version of a table or in a typed literal (3.5), and as
// single values.
func (b *book) takesArgs(sql string, names []string) bool {
	for _, p := range b.plan.Params {
		if (p.Type == plan.ColumnsParam || p.Type == plan.NameParam || p.Type == plan.TextsParam) && contains(names, p.Name) {
			return false
		}
	}
	before, first, spec := "", true, false
	for _, tok := range sparksql.Tokens(sql) {
		if tok.Kind == sparksql.Space || tok.Kind == sparksql.Comment {
			continue
		}
		word := strings.ToUpper(tok.Text)
		if first && word != "SELECT" && word != "WITH" && word != "INSERT" && word != "MERGE" && word != "DELETE" {
			return false
		}
		first, spec = false, before == "PARTITION" && word == "(" || spec && word != ")"
		if tok.Kind == sparksql.Marker && (literalBehind[before] || spec) {
			return false
		}
		before = word
	}
	return true
}

// literalBehind are the words behind which only a literal may stand.
var literalBehind = map[string]bool{"OF": true, "DATE": true, "TIMESTAMP": true, "TIMESTAMP_NTZ": true, "INTERVAL": true, "=>": true}
