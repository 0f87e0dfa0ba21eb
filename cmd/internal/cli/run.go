package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"sluice/cmd/internal/render"
	"sluice/gen/plan"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

func runCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "run",
		Usage:     "take one batch to the published table",
		ArgsUsage: "CONTRACT",
		Description: describe(`Runs the plan of a contract on one batch: types every row, gives each a verdict, stores
rejects with their reasons, judges the batch, publishes it in one commit, records it.
A batch that is refused publishes nothing. The same batch id may be run again at any time.

`+remoteHelp,
			"sluice run contracts/aviation/flights.odcs.yaml --batch 2013-01-01",
			"sluice run contracts/aviation/flights.odcs.yaml --batch 2013-01-01 --remote sc://spark:15002 --report out.json",
			"sluice run contracts/retail/pos_line.odcs.yaml --batch 2026-09-30 --partition upload_date=2026-09-30",
			"SPARK_REMOTE='sc://host:443/;token=…' sluice run orders.odcs.yaml --server prod --batch b1 --json"),
		Flags: append([]ucli.Flag{
			&ucli.StringFlag{Name: "batch", Usage: "run batch `ID` (required)"},
			tableFlag(),
			partitionFlag("replace the partition `COLUMN=VALUE[,COLUMN=VALUE]`, in the modes that replace one"),
			&ucli.StringSliceFlag{Name: "allow", Usage: "let the partition check `CODE` pass: nothing_accepted, partition_shrinks or older_delivery"},
			&ucli.BoolFlag{Name: "accept-changed", Usage: "publish a batch id that was published before with other content"},
			&ucli.StringFlag{Name: "report", Usage: "write the report as JSON to `FILE`"},
			&ucli.BoolFlag{Name: "json", Usage: "print the report as JSON instead of the summary"},
			quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return run(c, env) },
	}
}

func run(c *ucli.Context, env Env) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	batch, err := batchID(c)
	if err != nil {
		return err
	}
	j, err := loadJob(c, env)
	if err != nil {
		return err
	}
	target, err := targetOf(c, env, j.contract)
	if err != nil {
		return err
	}
	p, err := j.plan()
	if err != nil {
		return err
	}
	options := runner.Options{Batch: batch, AcceptChanged: c.Bool("accept-changed"), Migrate: j.migrate(), Rerun: j.rerun}
	if options.Partition, err = partition(c, p); err != nil {
		return err
	}
	if options.Allow, err = allowed(c, p); err != nil {
		return err
	}
	file, err := reportFile(c.String("report"))
	if err != nil {
		return err
	}
	report := redacted(env.secrets, execute(c, env, target, p, options))
	if c.Bool("json") {
		if err := render.JSON(env.Stdout, report); err != nil {
			return notWritten(report, err)
		}
	} else {
		render.Summary(env.secrets.writer(env.Stdout), report, p)
	}
	if err := writeReport(file, report); err != nil {
		return notWritten(report, err)
	}
	return outcome(report, c.Bool("json"))
}

// execute connects and runs the plan. A run that never got a session has a
// report as well: whoever reads reports must not find the last one instead.
func execute(c *ucli.Context, env Env, target target, p *plan.Plan, options runner.Options) runner.Report {
	log := logger(env, c.Bool("quiet"))
	session, err := target.open(c.Context, env, log)
	if err != nil {
		return unstarted(p, options.Batch, c.Context, err)
	}
	defer func() { _ = session.Close() }()
	if !c.Bool("quiet") {
		options.Observe = render.NewProgress(env.Stderr, env.Terminal, env.Width).Event
	}
	report, _ := runner.Run(c.Context, session, p, options) // its error is in the report
	return report
}

func unstarted(p *plan.Plan, batch string, ctx context.Context, err error) runner.Report {
	r := runner.Report{
		Contract: p.Contract, Version: p.Version, Table: p.Table, Batch: batch, Result: runner.Failed,
		Reasons: map[string]int64{}, Warnings: map[string]int64{}, Checks: []runner.CheckResult{}, Steps: []runner.StepReport{},
		Failures: []string{err.Error()},
	}
	if ctx.Err() != nil {
		r.Failures = append(r.Failures, "interrupted: "+context.Cause(ctx).Error())
	}
	return r
}

// outcome is nil for a published batch. With --json the failures are told to
// people as well; else the summary has them.
func outcome(r runner.Report, tell bool) error {
	if r.Result == runner.Published {
		return nil
	}
	text := fmt.Sprintf("batch %s is %s", r.Batch, r.Result)
	if r.Result != runner.Refused {
		text = fmt.Sprintf("the run of batch %s %s", r.Batch, map[runner.Result]string{
			runner.Failed: "failed", runner.Unknown: "has an unknown outcome: a person must look",
		}[r.Result])
	}
	if tell {
		text = strings.Join(append([]string{text}, r.Failures...), "\n  ")
	}
	return &resultError{r.Result, text}
}

// notWritten is a report that did not reach its reader. A published batch must
// not look like a failed one, so that the code is then 5.
func notWritten(r runner.Report, err error) error {
	result := r.Result
	if result == runner.Published {
		result = runner.Unknown
	}
	return &resultError{result, fmt.Sprintf("writing the report: %v; the batch is %s", err, r.Result)}
}

// reportFile is opened before the run, so that a wrong path costs nothing and
// the report of an earlier run is not taken for this one's.
func reportFile(path string) (io.WriteCloser, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, usagef("opening the report file: %w", err)
	}
	return f, nil
}

func writeReport(f io.WriteCloser, r runner.Report) error {
	if f == nil {
		return nil
	}
	if err := render.JSON(f, r); err != nil {
		return err
	}
	return f.Close()
}
