package cli

import (
	"maps"
	"strings"

	"sluice/gen/plan"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

// scriptFor says for which state of the tables a script is written: one of a named
// batch is there to be run. What is printed for machines, in part or as EXPLAIN is none.
func scriptFor(c *ucli.Context, values plan.Values) (plan.Occasion, error) {
	whole := values["batch_id"] != nil && !c.Bool("json") && !c.IsSet("step") && !c.Bool("explain")
	switch {
	case c.Bool("existing") && !whole:
		return "", usagef("--existing is for the script of a batch: add --batch, and leave --step, --json and --explain away")
	case !whole:
		return "", nil
	case c.Bool("existing"):
		return plan.LaterRun, nil
	}
	return plan.FirstRun, nil
}

// filled is the plan with its values. A script reads from the tables what a run
// would have counted.
func filled(p *plan.Plan, values plan.Values, occasion plan.Occasion) (*plan.Plan, error) {
	if occasion != "" {
		read := p.Scripted()
		maps.DeleteFunc(read, func(marker string, _ any) bool { return values[marker] != nil })
		var err error
		if p, err = bound(p, read); err != nil {
			return nil, err
		}
	}
	return bound(p, values)
}

// personal adds the markers that the command line decides beside the ids: the
// partition, and the tag of a run on an audit branch.
func personal(c *ucli.Context, p *plan.Plan, values plan.Values) error {
	if c.IsSet("partition") {
		given, err := partition(c, p)
		if err != nil {
			return err
		}
		texts, text, err := p.BindPartition(given)
		if err != nil {
			return err
		}
		maps.Copy(values, texts)
		values["partition"] = text
	}
	batch, run := textOr(values["batch_id"], ""), textOr(values["run_id"], "")
	if p.Branch != "" && batch != "" && run != "" {
		values["pin"], values["pin_name"] = runner.PinName(batch, run), runner.PinName(batch, run)
	}
	return nil
}

func textOr(value any, instead string) string {
	if text, ok := value.(string); ok {
		return text
	}
	return instead
}

// bound is a copy of the plan with values in place of their markers. Settings
// are plain text and no SQL; ids match a grammar that needs no escape there.
func bound(p *plan.Plan, values plan.Values) (*plan.Plan, error) {
	if len(values) == 0 {
		return p, nil
	}
	text := strings.NewReplacer(":batch_id", textOr(values["batch_id"], ":batch_id"), ":run_id", textOr(values["run_id"], ":run_id"))
	out := *p
	out.Steps = nil
	for _, s := range p.Steps {
		step := s
		step.Statements, step.Settings = nil, nil
		for _, st := range s.Statements {
			sql, _, err := p.Bind(st.SQL, values)
			if err != nil {
				return nil, err
			}
			st.SQL = sql
			step.Statements = append(step.Statements, st)
		}
		for _, setting := range s.Settings {
			setting.Value = text.Replace(setting.Value)
			step.Settings = append(step.Settings, setting)
		}
		out.Steps = append(out.Steps, step)
	}
	return &out, nil
}
