package plan

import (
	"maps"
	"slices"
	"strings"
)

// Filled is a copy of the plan with values in place of their markers. A script for
// an occasion reads from the tables what a run would have counted; "" is no script.
func (p *Plan) Filled(values Values, on Occasion) (*Plan, error) {
	if on == "" {
		return p.filled(values)
	}
	read := p.Scripted()
	maps.DeleteFunc(read, func(marker string, _ any) bool { return values[marker] != nil })
	script, err := p.script().once().filled(read) // whose expressions hold markers of their own
	if err != nil {
		return nil, err
	}
	return script.filled(values)
}

// once is the plan of a script, whose second pass ends before it stages every row
// again under its run id.
func (p *Plan) once() *Plan {
	staging := p.TableOf(StagingTable)
	if staging == nil {
		return p
	}
	fresh := Statement{Name: "fresh_run", Use: Query, SQL: "-- A run id is used once.\nSELECT coalesce(CAST(assert_true(count(*) = 0, 'this run id was staged before; print another script, or choose another --run') AS BOOLEAN), true) AS `fresh`\nFROM " + staging.SQL + "\nWHERE `_run_id` = :run_id"}
	out := *p
	out.Steps = slices.Clone(p.Steps)
	for i, s := range out.Steps {
		if s.Kind == Stage {
			out.Steps[i].Statements = append([]Statement{fresh}, s.Statements...)
		}
	}
	return &out
}

// script is the plan with the statements that a script has in place of those that
// need what only a run knows.
func (p *Plan) script() *Plan {
	out := *p
	out.Steps = nil
	for _, s := range p.Steps {
		step := s
		step.Statements = nil
		for _, st := range s.Statements {
			switch st.Script {
			case LeftOut:
				continue
			case "":
			default:
				st.SQL = st.Script
			}
			step.Statements = append(step.Statements, st)
		}
		out.Steps = append(out.Steps, step)
	}
	return &out
}

// filled leaves settings plain text, which they are: ids match a grammar that needs
// no escape there.
func (p *Plan) filled(values Values) (*Plan, error) {
	if len(values) == 0 {
		return p, nil
	}
	text := func(marker string) string {
		if id, ok := values[marker].(string); ok {
			return id
		}
		return ":" + marker
	}
	settings := strings.NewReplacer(":batch_id", text("batch_id"), ":run_id", text("run_id"))
	out := *p
	out.Steps = nil
	for _, s := range p.Steps {
		step := s
		step.Statements, step.Settings = nil, nil
		for _, st := range s.Statements {
			var err error
			if st.SQL, _, err = p.Bind(st.SQL, values); err != nil {
				return nil, err
			}
			step.Statements = append(step.Statements, st)
		}
		for _, setting := range s.Settings {
			setting.Value = settings.Replace(setting.Value)
			step.Settings = append(step.Settings, setting)
		}
		out.Steps = append(out.Steps, step)
	}
	return &out, nil
}
