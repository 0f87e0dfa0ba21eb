// Package demo takes three days of sample orders through sluice on a real
// Spark: a clean day, a day with every defect of the first bad inputs, a day
// whose feed renamed a column, and the second day once more. Its data was
// written for it.
package demo

import (
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/land"
)

//go:embed files
var files embed.FS

// Demo is what the demo needs of its surroundings.
type Demo struct {
	Session land.Session
	Dir     string // where contract and files are laid out, for the user to look at
	Out     io.Writer
	Log     func(string)
	Observe func(runner.Event)
}

// act is one scene.
type act struct {
	day, title, lesson string
	land               bool
	want               runner.Result
}

var acts = []act{
	{"2026-03-20", "a clean day", "every row is published", true, runner.Published},
	{"2026-03-21", "a day with rejects", "good rows are published; each other row waits in quarantine with its reason", true, runner.Published},
	{"2026-03-22", "a day that is refused", "the feed renamed amount to total overnight: nothing is published, the table stays as it was", true, runner.Refused},
	{"2026-03-21", "the second day once more", "a replay changes nothing", false, runner.Published},
}

// Run plays the acts from an empty start and tells what happened. It returns
// an error when an act does not end as it should.
func (d Demo) Run(ctx context.Context) error {
	contract, err := d.layOut()
	if err != nil {
		return err
	}
	c, err := contracts.Load(contract, contracts.Options{})
	if err != nil {
		return err
	}
	table := c.Published()[0]
	p, err := gen.Build(c, table)
	if err != nil {
		return err
	}
	for _, schema := range []string{"demo_bronze", "demo_silver", "demo_staging", "demo_quarantine", "demo_ops"} {
		if err := d.Session.Exec(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
			return fmt.Errorf("clearing what an earlier demo left: %w", err)
		}
	}
	var reports []runner.Report
	for i, a := range acts {
		d.Log(fmt.Sprintf("act %d of %d: %s", i+1, len(acts), a.title))
		r, err := d.play(ctx, c, p, a)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	return d.tell(ctx, contract, reports)
}

func (d Demo) play(ctx context.Context, c *contracts.Contract, p *plan.Plan, a act) (runner.Report, error) {
	if a.land {
		if err := d.landDay(ctx, c, a.day); err != nil {
			return runner.Report{}, fmt.Errorf("landing %s: %w", a.day, err)
		}
	}
	r, err := runner.Run(ctx, d.Session, p, runner.Options{Batch: a.day, Observe: d.Observe})
	if err != nil {
		return r, fmt.Errorf("running %s: %w", a.day, err)
	}
	if r.Result != a.want {
		return r, fmt.Errorf("running %s: it was %s, not %s: %v", a.day, r.Result, a.want, r.Failures)
	}
	return r, nil
}

func (d Demo) landDay(ctx context.Context, c *contracts.Contract, day string) error {
	table := c.Published()[0]
	options := land.Options{Reserved: gen.Reserved(table)}
	scanned, err := land.Scan(ctx, []string{filepath.Join(d.Dir, "orders_"+day+".csv")}, options)
	if err != nil {
		return err
	}
	_, err = land.Run(ctx, d.Session, land.Request{
		Files: scanned, Options: options, Describe: gen.DescribeBronze(table),
		Plan: gen.Lander(c, table, day),
	})
	return err
}

// layOut writes contract and files to Dir and returns the contract's path.
func (d Demo) layOut() (string, error) {
	entries, err := files.ReadDir("files")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(d.Dir, 0o755); err != nil {
		return "", fmt.Errorf("laying out the demo: %w", err)
	}
	for _, e := range entries {
		text, err := files.ReadFile("files/" + e.Name())
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(d.Dir, e.Name()), text, 0o644); err != nil {
			return "", fmt.Errorf("laying out the demo: %w", err)
		}
	}
	return filepath.Join(d.Dir, "orders.odcs.yaml"), nil
}
