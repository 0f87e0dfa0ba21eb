package notebook

import (
	"fmt"

	"sluice/gen/docs"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// magic writes the statements of one batch as cells that begin with %%sql, for
// authors who paste: the plan has the batch's literals, and of its steps those that
// the occasion sends. Settings are Python, since a cell of SQL holds one statement.
func (b *book) magic(o Options) {
	p := b.plan
	b.markdown("about", fmt.Sprintf(`# Batch %s into %s, to paste

Contract %s, version %s, publish mode %s. Written by %s from %s for %s.

- Run the cells in order and read what each says before you go on: %s judges these numbers, a cell of SQL does not. A step lists its checks.
- A run id is used once, here %s. Write the notebook again with another `+"`--run`"+` for another attempt.%s`,
		docs.Code(o.Batch), docs.Code(p.Table), docs.Code(p.Contract), docs.Code(p.Version), docs.Code(p.Mode), docs.Code("sluice gen --notebook --format magic"), docs.Code(b.source),
		occasionText(o), docs.Code("sluice run"), docs.Code(o.Run), b.byHand(o.Occasion())))
	settings := plan.SessionSettings(true)
	b.markdown("settings-about", "## Session\n\nSettings under which a value means the same everywhere. The last cell unsets them.")
	b.code("settings", set(settings))
	if p.Catalog != "" {
		b.sqlCell("catalog", "SET CATALOG "+sparksql.Ident(p.Catalog))
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Sent(o.Occasion()) {
			b.pasted(s, i+1)
		}
	}
	b.markdown("reset-about", "## The settings of the cluster\n\nRun this also when a cell above has failed. What the session itself had set, or its catalog, it does not bring back.")
	b.code("reset", unset(settings))
}

func occasionText(o Options) string {
	if o.Existing {
		return "a table that is there"
	}
	return "a table that is not there yet (for one that is, add `--existing`)"
}

// byHand names the markers that only an earlier result fills.
func (b *book) byHand(o plan.Occasion) string {
	left := map[string]bool{}
	for _, s := range b.plan.Steps {
		for _, st := range s.Statements {
			for _, name := range markers(st.SQL) {
				left[name] = left[name] || s.Sent(o)
			}
		}
	}
	out := ""
	for _, p := range b.plan.Params {
		if left[p.Name] {
			out += fmt.Sprintf("\n- Put in by hand, from an earlier result: %s, %s.", docs.Code(":"+p.Name), docs.Text(p.Why))
		}
	}
	return out
}

func (b *book) pasted(s *plan.Step, number int) {
	b.markdown("step-"+s.Name+"-about", about(s, number, len(b.plan.Steps)))
	if len(s.Settings) > 0 {
		b.code("step-"+s.Name+"-set", set(s.Settings))
	}
	for _, st := range s.Statements {
		b.sqlCell("step-"+s.Name+"-"+st.Name, st.SQL)
	}
	if len(s.Settings) > 0 {
		b.code("step-"+s.Name+"-unset", "# Also when a cell of this step has failed: later statements must not run under its settings.\n"+unset(s.Settings))
	}
}

func (b *book) sqlCell(id, sql string) { b.code(id, "%%sql\n"+sql) }

func set(all []plan.Setting) string {
	var wanted dict
	for _, s := range all {
		wanted = append(wanted, pair{s.Key, s.Value})
	}
	return "for key, value in " + python(wanted, 0) + ".items():\n    spark.conf.set(key, value)"
}

func unset(all []plan.Setting) string {
	var keys []string
	for _, s := range all {
		keys = append(keys, s.Key)
	}
	return "for key in " + python(keys, 0) + ":\n    spark.conf.unset(key)"
}
