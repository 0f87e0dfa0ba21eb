package cli

import (
	"bytes"
	"maps"
	"strings"

	"sluice/cmd/internal/render"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

func planCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "plan",
		Usage:     "print the statements of a run, in run order",
		ArgsUsage: "CONTRACT",
		Description: describe(`Prints what run executes, as a script: every statement in run order, numbered, with
why it is there and when it is skipped. With --batch, --run and --partition their values
stand in the text, else markers such as :batch_id; those that stay are filled by what
earlier statements returned, as the head of the script says. Nothing is sent anywhere, but for --explain.

With --batch it is a script for a SQL shell or a notebook: a run id of its own, what a run counts read
from the tables, and what a first run (--existing: a later one) would not send as comments.`,
			"sluice plan contracts/aviation/flights.odcs.yaml",
			"sluice plan contracts/aviation/flights.odcs.yaml --step stage",
			"sluice plan contracts/retail/pos_line.odcs.yaml --grants",
			"sluice plan contracts/sales/orders.odcs.yaml --diff origin/main",
			"sluice plan contracts/sales/orders.odcs.yaml --explain --step publish --remote sc://spark:15002",
			"sluice plan orders --batch b1 > job.sql",
			"sluice plan orders --batch b2 --existing > job.sql"),
		Flags: append([]ucli.Flag{
			tableFlag(),
			&ucli.StringFlag{Name: "batch", Usage: "put batch `ID` in place of :batch_id"},
			&ucli.StringFlag{Name: "run", Usage: "put run `ID` in place of :run_id"},
			partitionFlag("put the partition `COLUMN=VALUE` in place of its markers"),
			&ucli.BoolFlag{Name: "existing", Usage: "write the script of --batch for a table that is there (default: for a first run)"},
			&ucli.StringFlag{Name: "step", Usage: "print only the statements of step, statement or kind `NAME`, bare"},
			&ucli.BoolFlag{Name: "grants", Usage: "print which identity needs which grant instead, with what each is for"},
			&ucli.BoolFlag{Name: "explain", Usage: "print how the cluster would run each statement, by EXPLAIN; nothing is run"},
			&ucli.StringFlag{Name: "diff", Usage: "print how the statements differ from those of the contract where this branch left `REF`"},
			&ucli.BoolFlag{Name: "json", Usage: "print the plan, or with --grants these, as JSON"},
			quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return showPlan(c, env) },
	}
}

func showPlan(c *ucli.Context, env Env) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	values, err := ids(c)
	if err != nil {
		return err
	}
	j, err := loadJob(c, env)
	if err != nil {
		return err
	}
	p, err := j.plan()
	if err != nil {
		return err
	}
	if c.Bool("grants") {
		return showGrants(c, env, j, p)
	}
	if c.IsSet("diff") {
		return showDiff(c, env, j, p)
	}
	occasion, err := scriptFor(c, values)
	if err != nil {
		return err
	}
	if occasion != "" && values["run_id"] == nil {
		values["run_id"] = runner.NewRunID()
	}
	if err := personal(c, p, values); err != nil {
		return err
	}
	if p, err = p.Filled(values, occasion); err != nil {
		return err
	}
	if c.Bool("explain") {
		return explainPlan(c, env, j, p)
	}
	return printPlan(c, env, p, j.contract.File, occasion)
}

// printPlan prints a bound plan, or what --step names of it.
func printPlan(c *ucli.Context, env Env, p *plan.Plan, source string, occasion plan.Occasion) error {
	var text bytes.Buffer
	switch step := c.String("step"); {
	case step != "":
		found := statements(p, step)
		if len(found) == 0 {
			return unknownStep(p, step)
		}
		if c.Bool("json") {
			return render.JSON(env.Stdout, found)
		}
		render.Statements(&text, found)
	case c.Bool("json"):
		return render.JSON(env.Stdout, p)
	default:
		render.Script(&text, p, source, occasion)
	}
	return env.read(c.Context, text.Bytes())
}

// showGrants prints what each identity needs; it is no part of a run's text.
func showGrants(c *ucli.Context, env Env, j job, p *plan.Plan) error {
	for _, other := range []string{"batch", "run", "partition", "step"} {
		if c.IsSet(other) {
			return usagef("--grants and --%s exclude each other: grants are the same for every run", other)
		}
	}
	grants, err := gen.Grants(j.contract, j.table)
	if err != nil {
		return usagef("listing the grants of %s: %w", j.table.Target, err)
	}
	if c.Bool("json") {
		return render.JSON(env.Stdout, grants)
	}
	render.Grants(env.Stdout, p, grants)
	return nil
}

// ids are the values that a user may give to markers. A run id is held to the
// grammar of batch ids: both end up in commit metadata.
func ids(c *ucli.Context) (plan.Values, error) {
	values := plan.Values{}
	for flag, marker := range map[string]string{"batch": "batch_id", "run": "run_id"} {
		if !c.IsSet(flag) {
			continue
		}
		id := c.String(flag)
		if err := plan.CheckBatchID(id); err != nil {
			return nil, usagef("--%s: %w", flag, err)
		}
		values[marker] = id
	}
	return values, nil
}

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

// personal adds the markers that the command line decides beside the ids: the
// partition, and the tag of a run on an audit branch.
func personal(c *ucli.Context, p *plan.Plan, values plan.Values) error {
	if c.IsSet("partition") {
		given, err := partition(c, p)
		if err != nil {
			return err
		}
		if err := place(p, values, given); err != nil {
			return err
		}
	}
	pins(p, values)
	return nil
}

// place fills in the partition that a run replaces, if it replaces one.
func place(p *plan.Plan, values plan.Values, given map[string]string) error {
	texts, text, err := p.BindPartition(given)
	if err != nil {
		return err
	}
	maps.Copy(values, texts)
	if text != "" {
		values["partition"] = text
	}
	return nil
}

// pins fills in the tag of a run on an audit branch.
func pins(p *plan.Plan, values plan.Values) {
	batch, _ := values["batch_id"].(string)
	run, _ := values["run_id"].(string)
	if p.Branch != "" && batch != "" && run != "" {
		values["pin"], values["pin_name"] = runner.PinName(batch, run), runner.PinName(batch, run)
	}
}

// statements are the one with that name, else those of the step with that name,
// else those of all steps of that kind.
func statements(p *plan.Plan, name string) []plan.Statement {
	var ofStep, ofKind []plan.Statement
	for _, s := range p.Steps {
		for _, st := range s.Statements {
			if st.Name == name {
				return []plan.Statement{st}
			}
		}
		if s.Name == name {
			ofStep = s.Statements
		}
		if string(s.Kind) == name {
			ofKind = append(ofKind, s.Statements...)
		}
	}
	if len(ofStep) > 0 {
		return ofStep
	}
	return ofKind
}

func unknownStep(p *plan.Plan, name string) error {
	var names []string
	for _, s := range p.Steps {
		if len(s.Statements) > 0 {
			names = append(names, s.Name)
		}
	}
	return usagef("the plan has no step %q with a statement; it has %s", name, strings.Join(names, ", "))
}
