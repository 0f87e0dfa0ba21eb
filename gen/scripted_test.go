package gen_test

import (
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// Every step is classed, and what a script sends of a Delta table has no marker left
// but those that the command line fills.
func TestScriptsAreWhole(t *testing.T) {
	given := map[string]bool{"batch_id": true, "run_id": true}
	for _, path := range []string{"../contracts/sales/orders.odcs.yaml", "../contracts/aviation/flights.odcs.yaml", "../contracts/retail/pos_line.odcs.yaml", "../runner/runnertest/partition/testdata/days.odcs.yaml", "testdata/stamped.odcs.yaml", "../runner/runnertest/testdata/holdback/stock.odcs.yaml"} {
		c, err := contracts.Load(path, contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range c.Published() {
			p, err := gen.Build(c, table)
			if err != nil {
				t.Fatal(err)
			}
			filled := map[string]bool{}
			for _, column := range p.Partition {
				filled[column.Param] = true
			}
			for i := range p.Steps {
				step := &p.Steps[i]
				occasion := step.Occasion()
				if occasion == "" {
					t.Errorf("%s: nobody has classed %q, by which step %s is skipped", path, step.SkipIfZero, step.Name)
				}
				if c.Server.Format != contracts.Delta || occasion == plan.RareRun {
					continue
				}
				for _, st := range step.Statements {
					sql, _, err := p.Bind(st.SQL, p.Scripted())
					if err != nil {
						t.Fatal(err)
					}
					for _, tok := range sparksql.Tokens(sql) {
						if tok.Kind == sparksql.Marker && !given[tok.Text[1:]] && !filled[tok.Text[1:]] {
							t.Errorf("%s: %s is left in %s", path, tok.Text, st.Name)
						}
					}
				}
			}
		}
	}
}
