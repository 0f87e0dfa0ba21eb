package plan

import (
	"maps"
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
	script, err := p.filled(read) // whose expressions hold markers of their own
	if err != nil {
		return nil, err
	}
	return script.filled(values)
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
