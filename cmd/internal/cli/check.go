package cli

import (
	"errors"
	"fmt"

	"sluice/cmd/internal/render"
	"sluice/contracts"
	"sluice/gen"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

func checkCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "check",
		Usage:     "compare a published table, and its rows, with the contract",
		ArgsUsage: "CONTRACT | --all [PATH…]",
		Description: describe(`Looks at the published table as the guard of a run does: columns, types, nullability,
constraints and contract.version. Then it judges the contract's rules over all published
rows: row rules by their codes, required columns, the key, library and sql rules ({object}
is the table), relationships. It only reads, and needs no batch. Exits 1 when a check found
something, 3 when one could not be made.

`+remoteHelp,
			"sluice check contracts/sales/orders.odcs.yaml",
			"sluice check contracts/sales/orders.odcs.yaml --metadata-only    # reads no row",
			"sluice check --all                                               # every table under contracts/",
			"sluice check --all contracts/aviation --junit > tables.xml       # or --json"),
		Flags: append([]ucli.Flag{
			&ucli.BoolFlag{Name: "all", Usage: "check every published table of the contracts under PATH (default: contracts/)"},
			tableFlag(),
			&ucli.BoolFlag{Name: "metadata-only", Usage: "compare the table alone; leave the rules over its rows out"},
			&ucli.BoolFlag{Name: "json", Usage: "print the reports as JSON, with --all as an array"},
			&ucli.BoolFlag{Name: "junit", Usage: "print JUnit XML, a test case a check"},
			quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return check(c, env) },
	}
}

func check(c *ucli.Context, env Env) error {
	format, err := oneOf(c, "json", "junit")
	if err != nil {
		return err
	}
	jobs, err := checked(c, env)
	if err != nil {
		return err
	}
	sessions := sessions{}
	defer sessions.close()
	var reports []runner.TableReport
	var failed error
	for _, j := range jobs {
		session, err := sessions.open(c, env, j.contract)
		if err != nil {
			return err
		}
		r, err := checkOne(c, env, session, j)
		if c.Context.Err() != nil {
			return err
		}
		failed = errors.Join(failed, err)
		reports = append(reports, redacted(env.secrets, r))
		if format == "" {
			render.TableReport(env.secrets.writer(env.Stdout), r)
		}
	}
	if err := showTables(env, format, reports, c.Bool("all")); err != nil {
		return err
	}
	return checkedAll(env, reports, failed)
}

func showTables(env Env, format string, reports []runner.TableReport, all bool) error {
	switch {
	case format == "junit":
		return render.TablesJUnit(env.Stdout, reports)
	case format == "json" && all:
		return render.JSON(env.Stdout, reports)
	case format == "json":
		return render.JSON(env.Stdout, reports[0])
	default:
		return nil
	}
}

func checkOne(c *ucli.Context, env Env, session Session, j job) (runner.TableReport, error) {
	p, err := gen.Check(j.contract, j.table)
	if err != nil {
		return runner.TableReport{}, &usageError{err}
	}
	options := runner.CheckOptions{MetadataOnly: c.Bool("metadata-only"), Migrate: j.migrate()}
	if !c.Bool("quiet") {
		options.Observe = render.NewProgress(env.Stderr, env.Terminal, env.Width).Event
	}
	return runner.Check(c.Context, session, p, options)
}

// checked are the tables meant: one, or with --all every published one whose
// kind sluice writes.
func checked(c *ucli.Context, env Env) ([]job, error) {
	if !c.Bool("all") {
		if err := arguments(c, 1, 1); err != nil {
			return nil, err
		}
		j, err := loadJob(c, env)
		if err == nil {
			_, err = j.plan()
		}
		return []job{j}, err
	}
	if c.IsSet("table") {
		return nil, usagef("--all and --table exclude each other: --all is every table")
	}
	opts, err := contractOptions(c, env)
	if err != nil {
		return nil, err
	}
	files, err := findContracts(pathsOr(c, "contracts"))
	if err != nil {
		return nil, err
	}
	loaded, err := contracts.LoadAll(files, opts)
	if err != nil {
		return nil, &usageError{err}
	}
	return supported(env, loaded)
}

// supported are the published tables of a kind that sluice writes.
func supported(env Env, loaded []*contracts.Contract) ([]job, error) {
	var jobs []job
	for _, contract := range loaded {
		for _, table := range contract.Published() {
			j := job{contract, table}
			_, err := j.plan()
			if errors.Is(err, gen.ErrUnsupported) { // a right contract that must not stop the others
				fmt.Fprintf(env.Stderr, "skipped %s: %v\n", contract.File, err)
				continue
			}
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 0 {
		return nil, usagef("checking tables: the contracts publish none that sluice writes")
	}
	return jobs, nil
}

// sessions are the open ones, by server and catalog.
type sessions map[string]Session

func (s sessions) open(c *ucli.Context, env Env, contract *contracts.Contract) (Session, error) {
	t, err := targetOf(c, env, contract)
	if err != nil {
		return nil, err
	}
	key := t.config.Remote + " " + t.config.Catalog
	if s[key] == nil {
		if s[key], err = t.open(c.Context, env, logger(env, c.Bool("quiet"))); err != nil {
			delete(s, key)
			return nil, err
		}
	}
	return s[key], nil
}

func (s sessions) close() {
	for _, one := range s {
		_ = one.Close()
	}
}

// checkedAll is the closing line, as an error when something was found or could
// not be looked at.
func checkedAll(env Env, reports []runner.TableReport, failed error) error {
	text, found := render.TableTally(reports)
	switch {
	case failed != nil:
		return fmt.Errorf("checking tables: %w", failed)
	case found > 0:
		return &findingError{text}
	default:
		fmt.Fprintln(env.Stderr, text)
		return nil
	}
}
