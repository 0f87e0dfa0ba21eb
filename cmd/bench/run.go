package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/connect"
	"sluice/runner/local"
)

//go:embed orders.odcs.yaml
var contract []byte

type bench struct {
	rows            int64
	pairs           int
	remote, version string
	memory          string
	out             io.Writer
	session         *connect.Session
	plan            *plan.Plan
	jobs            *jobs
	batches         int
}

type pair struct {
	floor, run         float64
	floorJobs, runJobs int
	report             runner.Report
	stepJobs           map[string]int
}

func (b *bench) run(ctx context.Context, profile string) error {
	if err := b.open(ctx); err != nil {
		return err
	}
	defer func() { _ = b.session.Close() }()
	profiles := []string{"messy", "daily"}
	if profile != "both" {
		profiles = []string{profile}
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	seed, err := b.seed(ctx)
	if err != nil {
		return err
	}
	for _, name := range profiles {
		if err := b.profile(ctx, name, seed); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) open(ctx context.Context) error {
	if b.remote == "" {
		server, err := local.Start(ctx, local.Options{Version: b.version, Memory: b.memory, UI: true, Log: func(s string) { fmt.Fprintln(os.Stderr, s) }})
		if err != nil {
			return err
		}
		b.remote = server.Remote
	}
	var err error
	if b.session, err = connect.Open(ctx, connect.Config{Remote: b.remote, RemoteFromEnv: true}); err != nil {
		return err
	}
	b.jobs = findJobs(ctx)
	path := filepath.Join(os.TempDir(), "sluice-bench.odcs.yaml")
	if err := os.WriteFile(path, contract, 0o600); err != nil {
		return err
	}
	c, err := contracts.Load(path, contracts.Options{})
	if err != nil {
		return err
	}
	b.plan, err = gen.Build(c, c.Published()[0])
	return err
}

// prepare makes the target through the plan's own ensure statements.
func (b *bench) prepare(ctx context.Context) error {
	for _, schema := range []string{"bench_bronze", "bench_silver", "bench_staging", "bench_quarantine", "bench_ops"} {
		for _, s := range []string{"DROP SCHEMA IF EXISTS " + schema + " CASCADE", "CREATE SCHEMA " + schema} {
			if err := b.session.Exec(ctx, s); err != nil {
				return err
			}
		}
	}
	for _, step := range b.plan.Steps {
		if step.Kind != plan.Ensure || step.SkipIfZero == "" || len(step.Statements) == 0 || step.Statements[0].Use != plan.Exec || slices.Contains([]string{"ensure_staging_columns", "ensure_quarantine_columns", "ensure_audit_log_columns"}, step.Name) {
			continue
		}
		for _, s := range step.Statements {
			if err := b.session.Exec(ctx, s.SQL); err != nil {
				return err
			}
		}
	}
	return b.session.Exec(ctx, fmt.Sprintf(target, b.rows*3/2))
}

func (b *bench) profile(ctx context.Context, name string, seed int64) error {
	if err := b.build(ctx, name); err != nil {
		return err
	}
	var measured []pair
	for i := 0; i <= b.pairs; i++ {
		p, err := b.pair(ctx, name, seed)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "%s pair %d: floor %.1f s, run %.1f s, ratio %.2f%s\n", name, i, p.floor, p.run, p.run/p.floor, map[bool]string{true: " (warm-up)", false: ""}[i == 0])
		if i > 0 {
			measured = append(measured, p)
		}
	}
	show(b.out, name, b.rows, measured)
	return nil
}

// seed is the version of the target to which every measurement returns.
func (b *bench) seed(ctx context.Context) (int64, error) {
	rows, err := b.session.Query(ctx, "DESCRIBE HISTORY bench_silver.orders LIMIT 1")
	if err != nil {
		return 0, err
	}
	return rows[0].Number("version")
}

// fresh restores the target and gives the batch's rows a new batch id by way of a view.
func (b *bench) fresh(ctx context.Context, profile string, seed int64) (string, error) {
	b.batches++
	id := fmt.Sprintf("%s-%d", profile, b.batches)
	for _, s := range []string{
		fmt.Sprintf("RESTORE TABLE bench_silver.orders TO VERSION AS OF %d", seed),
		fmt.Sprintf("CREATE OR REPLACE VIEW bench_bronze.orders AS SELECT *, '%s' AS _batch_id FROM bench_bronze.%s_rows", id, profile),
	} {
		if err := b.session.Exec(ctx, s); err != nil {
			return "", err
		}
	}
	return id, nil
}

func (b *bench) pair(ctx context.Context, profile string, seed int64) (pair, error) {
	var p pair
	id, err := b.fresh(ctx, profile, seed)
	if err != nil {
		return p, err
	}
	jobs := b.jobs.count()
	began := time.Now()
	if err := b.session.Exec(ctx, fmt.Sprintf(floor, id)); err != nil {
		return p, fmt.Errorf("running the floor: %w", err)
	}
	p.floor, p.floorJobs = time.Since(began).Seconds(), b.jobs.count()-jobs
	if id, err = b.fresh(ctx, profile, seed); err != nil {
		return p, err
	}
	p.stepJobs = map[string]int{}
	jobs = b.jobs.count()
	last := jobs
	began = time.Now()
	p.report, err = runner.Run(ctx, b.session, b.plan, runner.Options{Batch: id, Observe: func(e runner.Event) {
		if e.State == "end" {
			now := b.jobs.count()
			p.stepJobs[e.Step], last = now-last, now
		}
	}})
	if err != nil || p.report.Result != runner.Published {
		return p, fmt.Errorf("running the batch: %s %v: %w", p.report.Result, p.report.Failures, err)
	}
	p.run, p.runJobs = time.Since(began).Seconds(), last-jobs
	return p, nil
}
