package runnertest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
	"sluice/runner/runnertest"
)

// Contracts of testdata/hostile hold names, values and texts that try to leave
// their place in a statement. A whole run of each must mean what the contract
// says: allowed values are published unchanged, others are in quarantine with
// their code and their text; what the run did not need is explained.
func TestHostileContracts(t *testing.T) {
	runnertest.Once(t)
	t.Parallel()
	paths, err := filepath.Glob("testdata/hostile/*.odcs.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no hostile contracts: %v", err)
	}
	lake := runnertest.Spark(t)
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE SCHEMA ~silver")
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".odcs.yaml"), func(t *testing.T) {
			c := hostileContract(t, lake, path)
			h := &hostile{t: t, lake: lake, contract: c, table: c.Published()[0]}
			h.hostileFile = readHostileRows(t, strings.TrimSuffix(path, ".odcs.yaml")+".rows.yaml")
			h.play()
		})
	}
}

type hostile struct {
	hostileFile
	t        *testing.T
	lake     *runnertest.Lake
	contract *contracts.Contract
	table    *contracts.Table
}

func (h *hostile) play() {
	p, err := gen.Build(h.contract, h.table)
	if err != nil {
		h.t.Fatal(err)
	}
	h.land()
	sent := map[string]bool{}
	options := runner.Options{Batch: "h1", AfterStatement: func(s plan.Statement) error {
		sent[s.Name] = true
		return nil
	}}
	first := h.lake.Run(p, options)
	accepted, rejected := h.wanted()
	if first.Result != runner.Published || first.Rows.Accepted != accepted || first.Rows.Rejected != rejected {
		h.t.Errorf("%s, %+v, want %d accepted and %d rejected: %v, reasons %v", first.Result, first.Rows, accepted, rejected, first.Failures, first.Reasons)
	}
	for _, check := range first.Checks {
		if check.Result == "failed" {
			h.t.Errorf("check %s is %s, bound %s", check.Rule, check.Value, check.Bound)
		}
	}
	h.judgePublished()
	h.judgeQuarantine()
	h.judgeLog()
	again := h.lake.Run(p, options)
	if again.Result != runner.Published || again.Target.Unchanged != accepted || again.Commit != nil {
		h.t.Errorf("replay: %s, %+v, %v", again.Result, again.Target, again.Failures)
	}
	sameVerdicts(h.t, h.lake, h.contract, p, "h1", first)
	h.explain(p, sent)
}

func (h *hostile) wanted() (accepted, rejected int64) {
	for _, r := range h.Rows {
		if len(r.Codes) > 0 {
			rejected++
		} else {
			accepted++
		}
	}
	return accepted, rejected
}

// judgePublished reads every accepted row back, column by column.
func (h *hostile) judgePublished() {
	var list []string
	for _, c := range h.table.Columns {
		list = append(list, "CAST("+sparksql.Ident(c.Name)+" AS STRING) AS "+sparksql.Ident(c.Name))
	}
	got := map[string]runner.Row{}
	for _, row := range h.query("SELECT " + strings.Join(list, ", ") + " FROM " + h.table.Target.SQL()) {
		got[h.id(func(c *contracts.Column) *string { return cell(row, c.Name) })] = row
	}
	for i, r := range h.Rows {
		row, there := got[h.id(func(c *contracts.Column) *string { return h.text(r, c.Sources[0]) })]
		if there != (len(r.Codes) == 0) {
			h.t.Errorf("row %d, %v: published %t, want codes %v", i+1, r.Row, there, r.Codes)
		}
		for _, c := range h.table.Columns {
			want := h.text(r, c.Sources[0])
			if clean, changed := r.Clean[c.Name]; changed {
				want = clean
			}
			if got := cell(row, c.Name); there && c.Type.Kind != sparksql.TIMESTAMP && show(got) != show(want) {
				h.t.Errorf("row %d: %.40q is published as %s, want %s", i+1, c.Name, show(got), show(want))
			}
		}
	}
}

// judgeQuarantine finds every rejected row with its codes and the text that it came with.
func (h *hostile) judgeQuarantine() {
	list := []string{"_reject_reasons"}
	for _, source := range h.sources() {
		list = append(list, sparksql.Ident(contracts.RawName(source)))
	}
	got := map[string]runner.Row{}
	for _, row := range h.query("SELECT " + strings.Join(list, ", ") + " FROM " + h.table.Quarantine.SQL()) {
		got[h.id(func(c *contracts.Column) *string { return cell(row, contracts.RawName(c.Sources[0])) })] = row
	}
	for i, r := range h.Rows {
		row, there := got[h.id(func(c *contracts.Column) *string { return h.text(r, c.Sources[0]) })]
		if reasons := row.Text("_reject_reasons"); reasons != strings.Join(r.Codes, "; ") {
			h.t.Errorf("row %d, %v: in quarantine for %q, want %v", i+1, r.Row, reasons, r.Codes)
		}
		for _, source := range h.sources() {
			if got, want := cell(row, contracts.RawName(source)), h.text(r, source); there && show(got) != show(want) {
				h.t.Errorf("row %d: quarantine keeps %.40q as %s, want %s", i+1, source, show(got), show(want))
			}
		}
	}
}

// judgeLog: the audit log names contract and owner as they are written.
func (h *hostile) judgeLog() {
	rows := h.query("SELECT contract_id, owner FROM " + h.table.AuditLog.SQL() + " WHERE table_name = " + sparksql.String(h.table.Target.String()))
	if len(rows) != 1 {
		h.t.Errorf("the audit log holds %d rows of the run, want 1", len(rows))
	}
	for _, row := range rows {
		if row.Text("contract_id") != h.contract.ID || row.Text("owner") != h.contract.Owner {
			h.t.Errorf("the audit log holds %+q of %+q, want %+q of %+q", row.Text("contract_id"), row.Text("owner"), h.contract.ID, h.contract.Owner)
		}
	}
}

// id is the key of a row; the texts of a key come from a column of its own each.
func (h *hostile) id(text func(*contracts.Column) *string) string {
	var parts []string
	for _, key := range h.table.Key {
		parts = append(parts, show(text(h.table.Column(key))))
	}
	return strings.Join(parts, " ")
}

func cell(row runner.Row, name string) *string {
	if text, ok := row[name].(string); ok {
		return &text
	}
	return nil
}
