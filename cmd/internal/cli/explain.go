package cli

import (
	"bytes"
	"fmt"
	"strings"

	"sluice/cmd/internal/render"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

// explainPlan asks the cluster how it would run each statement that reads or writes
// rows. EXPLAIN only plans: nothing is run. A statement over a table that is not
// there yet says so in its place.
func explainPlan(c *ucli.Context, env Env, j job, p *plan.Plan) error {
	target, err := targetOf(c, env, j.contract)
	if err != nil {
		return err
	}
	found := rowStatements(p, c.String("step"))
	if len(found) == 0 {
		return unknownStep(p, c.String("step"))
	}
	session, err := target.open(c.Context, env, logger(env, c.Bool("quiet")))
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	var text bytes.Buffer
	for _, st := range found {
		sql, _, err := p.Bind(st.SQL, p.Samples())
		if err != nil {
			return fmt.Errorf("explaining %s: %w", st.Name, err)
		}
		rows, err := session.Query(c.Context, "EXPLAIN FORMATTED\n"+sql)
		if c.Context.Err() != nil {
			return c.Context.Err()
		}
		render.Explained(&text, st, explained(rows), err)
	}
	return env.read(c.Context, text.Bytes())
}

func explained(rows []runner.Row) string {
	var out []string
	for _, r := range rows {
		out = append(out, r.Text("plan"))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// rowStatements are those that read or write rows: EXPLAIN of the others says nothing.
func rowStatements(p *plan.Plan, step string) []plan.Statement {
	var out []plan.Statement
	for _, s := range p.Steps {
		for _, st := range s.Statements {
			chosen := step == "" || step == st.Name || step == s.Name || step == string(s.Kind)
			switch strings.ToUpper(sparksql.FirstWord(st.SQL)) {
			case "SELECT", "WITH", "INSERT", "MERGE", "DELETE":
				if chosen {
					out = append(out, st)
				}
			}
		}
	}
	return out
}
