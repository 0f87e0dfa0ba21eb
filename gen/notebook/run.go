package notebook

import "strings"

// part is a cell of the run: what happens there, and the calls.
type part struct {
	id, why string
	calls   []string
}

// parts are the cells of a run, in order. One that ends the run raises, so that
// those behind it are not reached.
func (b *book) parts() []part {
	out := []part{
		{"guard", "Reads the state of every table and compares it with the contract. Nothing is written before it passed.", []string{"guard_tables"}},
		{"ensure", "Creates what is missing, on a first run; records what a killed run of this batch published.", []string{"ensure_tables", "recover_runs"}},
		{"stage", "Every row of the batch, typed, with the codes of the rules that it breaks; then one pass over them.", []string{"stage_rows", "audit_rows"}},
		{"settle", "Verdicts that need other rows. Every row must be in exactly one place.", []string{"settle_rows"}},
		{"judge", "The batch's rejects go to quarantine, with their reasons; then the rules over the whole batch.", []string{"quarantine_rows", "judge_rules"}},
	}
	if b.plan.Branch != "" {
		out = append(out, part{"candidate", "The accepted rows, on a branch alone, and the proofs and rules of the contract over it. Readers of main see nothing of it.", []string{"write_candidate"}})
	}
	return append(out, part{"publish", "Makes the accepted rows readable, and proves by the table's own history that exactly they are.", []string{"publish_rows"}},
		part{"record", "The rules over the published table, and the audit-log row, which is the last thing of a run.", []string{"finish"}})
}

// calls are the functions of all parts, in order.
func (b *book) calls() []string {
	var out []string
	for _, p := range b.parts() {
		out = append(out, p.calls...)
	}
	return out
}

// run is the part of the notebook that sends statements.
func (b *book) run() {
	b.markdown("run-about", "## The run\n\nEach cell is a part of the run. Meanwhile the session has the settings of the contract; behind each it has its own again.")
	arguments := []string{"batch_id"}
	if b.plan.Replaces() {
		var values []string
		for _, c := range b.plan.Partition {
			values = append(values, quote(c.Name)+": "+c.Param)
		}
		arguments = append(arguments, "{"+strings.Join(values, ", ")+"}")
	}
	arguments = append(arguments, "accept_changed=accept_changed")
	if b.plan.Replaces() {
		arguments = append(arguments, "allow=allow")
	}
	begin := "run = Run(" + strings.Join(arguments, ", ") + ")"
	if b.tested {
		begin += ` if batch_id != "" else None`
	}
	b.code("run", begin)
	for _, p := range b.parts() {
		b.markdown("run-"+p.id+"-about", "### "+capital(p.id)+"\n\n"+p.why)
		b.code("run-"+p.id, "go(run, "+strings.Join(p.calls, ", ")+")")
	}
	b.code("summary", "summary(run)")
}

// widgets takes the parameters of a Databricks job, which come no other way.
func (b *book) widgets() string {
	var names []string
	for _, p := range b.parameters() {
		names = append(names, p.name)
	}
	return `if "dbutils" in globals() and hasattr(dbutils, "widgets"):  # parameters of a Databricks job
    for name in (` + strings.Join(quoteAll(names), ", ") + `,):
        dbutils.widgets.text(name, str(globals()[name]))
        globals()[name] = dbutils.widgets.get(name)`
}

// whole is the run as one function, for fixtures.
func (b *book) whole() string {
	var out strings.Builder
	out.WriteString("def run_batch(run):\n    \"\"\"All parts of a run.\"\"\"\n")
	for _, p := range b.parts() {
		out.WriteString("    go(run, " + strings.Join(p.calls, ", ") + ")\n")
	}
	return out.String()
}
