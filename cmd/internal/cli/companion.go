package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/runner/companion"

	ucli "github.com/urfave/cli/v2"
)

func companionCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "companion",
		Usage:     "write the main file of a Spark job that runs sluice beside its driver",
		ArgsUsage: "[CONTRACT or FOLDER]",
		Description: describe(`Writes sluice_job.py, for clusters whose Spark cannot be reached from outside: as the main
file of a job (spark-submit, a Fabric Spark job definition, an EMR or Dataproc step) or in
a notebook it starts Spark Connect in the job's own driver, runs this program there with
the arguments that the job was given, and ends with its exit code.

--bundle lays out what is uploaded: the main file, the program for linux/amd64 and
linux/arm64, the contracts of the folder (default: contracts/), a job definition for Fabric
and a spark-submit line for CONTRACT, or the first contract that publishes a table. A
program is the one of --binary, else this one if it is static, else it is built from the
checkout that the current folder is in.`,
			"sluice companion",
			"sluice companion --bundle out contracts/aviation/flights.odcs.yaml",
			"sluice companion --bundle out --arch amd64 --binary sluice-linux-amd64 contracts",
			"spark-submit sluice_job.py --contracts contracts run flights.odcs.yaml --batch 2013-01-01"),
		Flags: append([]ucli.Flag{
			&ucli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: companion.Name, Usage: "write the main file to `FILE`, - for standard output"},
			&ucli.StringFlag{Name: "bundle", Usage: "lay out everything in `DIR`, which is new or empty"},
			&ucli.StringSliceFlag{Name: "binary", Usage: "take the sluice program for Linux in `FILE` (repeatable)"},
			&ucli.StringSliceFlag{Name: "arch", Usage: "only for processor `NAME`, amd64 or arm64 (repeatable; default: both)"},
		}, contractFlags()...),
		Action: func(c *ucli.Context) error {
			if c.IsSet("bundle") {
				return bundle(c, env)
			}
			return mainFile(c, env)
		},
	}
}

func mainFile(c *ucli.Context, env Env) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	for _, name := range []string{"binary", "arch"} {
		if c.IsSet(name) {
			return usagef("--%s is for --bundle; see %s --help", name, c.Command.HelpName)
		}
	}
	text := companion.Main(env.Version)
	path := c.String("output")
	if path == "-" {
		_, err := env.Stdout.Write(text)
		return err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return usagef("writing the main file: %w", err)
	}
	fmt.Fprintln(env.Stdout, path)
	return nil
}

func bundle(c *ucli.Context, env Env) error {
	if err := arguments(c, 0, 1); err != nil {
		return err
	}
	if c.IsSet("output") {
		return usagef("--output and --bundle exclude each other: a bundle holds %s", companion.Name)
	}
	b := companion.Bundle{Dir: c.String("bundle"), Version: env.Version}
	var err error
	if b.Contracts, b.Run, err = jobOf(c, env); err != nil {
		return err
	}
	named, arches, err := wantedBinaries(c)
	if err != nil {
		return err
	}
	if err := companion.Prepare(b.Dir); err != nil {
		return &usageError{err}
	}
	if b.Binaries, err = binaries(c.Context, env, b.Dir, named, arches); err != nil {
		return errors.Join(err, os.RemoveAll(b.Dir))
	}
	written, err := b.Write()
	if err != nil {
		return err
	}
	for _, name := range written {
		fmt.Fprintln(env.Stdout, filepath.Join(b.Dir, filepath.FromSlash(name)))
	}
	return nil
}

// jobOf are the contracts that a job needs, and its arguments. With a contract
// go those of its folder, which it may refer to.
func jobOf(c *ucli.Context, env Env) (files map[string]string, run []string, err error) {
	path := pathsOr(c, "contracts")[0]
	root, chosen := path, ""
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		root, chosen = filepath.Dir(path), path
	}
	found, err := findContracts([]string{root})
	if err != nil {
		return nil, nil, err
	}
	if chosen != "" && !slices.Contains(found, filepath.Clean(chosen)) {
		found = append(found, chosen)
	}
	opts, err := contractOptions(c, env)
	if err != nil {
		return nil, nil, err
	}
	loaded, err := contracts.LoadAll(found, opts)
	if err != nil {
		return nil, nil, &usageError{err}
	}
	files = map[string]string{}
	for i, contract := range loaded {
		inner, err := filepath.Rel(root, found[i])
		if err != nil {
			return nil, nil, usagef("placing %q: %w", found[i], err)
		}
		files[filepath.ToSlash(inner)] = found[i]
		wanted := chosen == "" || filepath.Clean(chosen) == filepath.Clean(found[i])
		if run == nil && wanted && len(contract.Published()) > 0 {
			run = runOf(c, filepath.ToSlash(inner), contract)
		}
	}
	if run == nil {
		return nil, nil, usagef("looking for a table to publish: no contract in %q publishes one", path)
	}
	return files, run, nil
}

// runOf are the arguments of the job, with what this command was told of the contract.
func runOf(c *ucli.Context, path string, contract *contracts.Contract) []string {
	run := []string{"run", path}
	if published := contract.Published(); len(published) > 1 {
		run = append(run, "--table", published[0].Name)
	}
	if c.IsSet("server") {
		run = append(run, "--server", c.String("server"))
	}
	for _, name := range []string{"var", "allow-env"} {
		for _, value := range c.StringSlice(name) {
			run = append(run, "--"+name, value)
		}
	}
	return run
}

func wantedBinaries(c *ucli.Context) (named []companion.Binary, arches []string, err error) {
	if arches = c.StringSlice("arch"); len(arches) == 0 {
		arches = companion.Arches()
	}
	for _, arch := range arches {
		if !slices.Contains(companion.Arches(), arch) {
			return nil, nil, usagef("--arch %s is not known: choose %s", arch, strings.Join(companion.Arches(), " or "))
		}
	}
	for _, path := range c.StringSlice("binary") {
		b, err := companion.Inspect(path)
		if err != nil {
			return nil, nil, &usageError{err}
		}
		if !slices.Contains(arches, b.Arch) {
			return nil, nil, usagef("--binary %s is for %s, which --arch leaves out", path, b.Arch)
		}
		named = append(named, b)
	}
	return named, arches, nil
}

func binaries(ctx context.Context, env Env, dir string, named []companion.Binary, arches []string) ([]companion.Binary, error) {
	var out []companion.Binary
	for _, arch := range slices.Compact(slices.Sorted(slices.Values(arches))) {
		b, err := companion.Choose(ctx, arch, named, env.Executable, dir)
		if err != nil {
			return nil, &usageError{err}
		}
		if !b.Static {
			fmt.Fprintf(env.Stderr, "%s needs the C library of the machine that it was built on; the driver may have another (CGO_ENABLED=0 builds one that needs none)\n", b.Path)
		}
		out = append(out, b)
	}
	return out, nil
}
