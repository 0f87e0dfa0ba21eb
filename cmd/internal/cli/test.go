package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"sluice/cmd/internal/render"
	"sluice/contracts"
	spec "sluice/contracts/fixture"
	"sluice/runner/fixture"

	ucli "github.com/urfave/cli/v2"
)

func testCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "test",
		Usage:     "run the fixtures of contracts on a real Spark",
		ArgsUsage: "[PATH…]",
		Description: describe(`Runs <table>.fixtures.yaml files: small batches written by hand, and what must become of
each row. They go through the production statements of the contract, in scratch schemas
that are dropped at the end. Folders are searched for *.fixtures.yaml; of a contract the
file beside it is taken; without a path, contracts/ is searched. Exits 1 when a fixture
does not hold, 2 when a file has problems.

`+remoteHelp,
			"sluice test",
			"sluice test contracts/sales/orders.odcs.yaml",
			"sluice test contracts/sales/orders.fixtures.yaml --run 'tie|late'",
			"sluice test --junit > fixtures.xml      # or --json",
			"sluice test --run 'null on either side' --keep"),
		Flags: append([]ucli.Flag{
			&ucli.StringFlag{Name: "run", Usage: "run only fixtures whose name matches `REGEXP`"},
			&ucli.IntFlag{Name: "parallel", Value: 2, Usage: "run `N` files side by side, a session each"},
			&ucli.BoolFlag{Name: "keep", Usage: "leave the scratch schemas for a look"},
			&ucli.BoolFlag{Name: "json", Usage: "print the outcome as JSON"},
			&ucli.BoolFlag{Name: "junit", Usage: "print JUnit XML, a test case a fixture"},
			quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return test(c, env) },
	}
}

func test(c *ucli.Context, env Env) error {
	format, err := oneOf(c, "json", "junit")
	if err != nil {
		return err
	}
	only, err := namePattern(c.String("run"))
	if err != nil {
		return err
	}
	files, err := loadFixtures(c, env)
	if err != nil {
		return err
	}
	target, err := targetOf(c, env, files[0].Contract)
	if err != nil {
		return err
	}
	if only != nil && !slices.ContainsFunc(files, func(f *spec.File) bool { return hasFixture(f, only) }) {
		return usagef("no fixture has a name that matches %q", c.String("run"))
	}
	log := logger(env, c.Bool("quiet"))
	suite := suite{target: target, env: env, log: log, options: fixture.Options{Only: only, Keep: c.Bool("keep"), Observe: log}}
	if format == "" {
		suite.done = func(r fixture.Report) { render.Fixtures(env.Stdout, r) }
	}
	if err := suite.run(c.Context, files, c.Int("parallel")); err != nil {
		return err
	}
	return tested(env, format, suite.reports)
}

// hasFixture reports whether a file has a fixture of such a name.
func hasFixture(file *spec.File, only *regexp.Regexp) bool {
	return slices.ContainsFunc(file.Fixtures, func(f *spec.Fixture) bool { return only.MatchString(f.Name) })
}

func namePattern(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	only, err := regexp.Compile(text)
	if err != nil {
		return nil, usagef("--run: %w", err)
	}
	return only, nil
}

// tested prints the outcome for machines and closes with the count.
func tested(env Env, format string, reports []fixture.Report) error {
	var err error
	switch format {
	case "json":
		err = render.JSON(env.Stdout, reports)
	case "junit":
		err = render.FixturesJUnit(env.Stdout, reports)
	}
	if err != nil {
		return err
	}
	text, failed := render.FixtureTally(reports)
	if failed > 0 {
		return &findingError{text}
	}
	fmt.Fprintln(env.Stderr, text)
	return nil
}

// loadFixtures reads every fixture file meant; all problems come in one message.
func loadFixtures(c *ucli.Context, env Env) ([]*spec.File, error) {
	opts, err := contractOptions(c, env)
	if err != nil {
		return nil, err
	}
	paths, err := findFixtures(pathsOr(c, "contracts"))
	if err != nil {
		return nil, err
	}
	var files []*spec.File
	var problems contracts.Problems
	for _, path := range paths {
		file, err := spec.Load(path, opts)
		var found contracts.Problems
		switch {
		case asProblems(err, &found):
			problems = append(problems, found...)
		case err != nil:
			return nil, &usageError{err}
		default:
			files = append(files, file)
		}
	}
	if len(problems) > 0 {
		return nil, usagef("the fixtures have problems:\n%w", problems)
	}
	return files, nil
}

// findFixtures lists fixture files. Beside a contract it is the file of the same
// stem: orders.fixtures.yaml of orders.odcs.yaml.
func findFixtures(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, &usageError{fmt.Errorf("looking for fixtures: %w", err)}
		case info.IsDir():
			found, err := walk(path, spec.Suffixes)
			if err != nil {
				return nil, &usageError{err}
			}
			out = append(out, found...)
		case !hasSuffix(path, contractSuffixes):
			out = append(out, path)
		default:
			beside, err := besideContract(path)
			if err != nil {
				return nil, &usageError{err}
			}
			out = append(out, beside)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func besideContract(path string) (string, error) {
	stem := contractStem(path)
	for _, s := range spec.Suffixes {
		if info, err := os.Stat(stem + s); err == nil && info.Mode().IsRegular() {
			return stem + s, nil
		}
	}
	return "", fmt.Errorf("looking for fixtures: %q has no %s beside it", path, filepath.Base(stem)+spec.Suffixes[0])
}
