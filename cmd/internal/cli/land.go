package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"sluice/cmd/internal/render"
	"sluice/contracts"
	"sluice/gen"
	"sluice/runner/land"

	ucli "github.com/urfave/cli/v2"
)

func landCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "land",
		Usage:     "put the files of a batch into its bronze table",
		ArgsUsage: "CONTRACT FILE…",
		Description: describe(`Lands delimited files as one batch, in one commit: every value as the text it was sent as,
with file, line, load time and batch id. Each file is read by its own header. Landing a
batch id again replaces its rows; with equal content it keeps its load time. Nothing is
landed when any file cannot be read to its end. Files that end in .gz are unpacked.

`+remoteHelp,
			"sluice land contracts/aviation/flights.odcs.yaml flights.csv --batch 2013-01-01",
			"sluice land orders.odcs.yaml part1.csv part2.csv --batch b1 --encoding windows-1252"),
		Flags: append([]ucli.Flag{
			&ucli.StringFlag{Name: "batch", Usage: "land as batch `ID` (required)"},
			tableFlag(),
			&ucli.StringFlag{Name: "encoding", Usage: "`NAME` of the files' encoding (default: utf-8)"},
			&ucli.StringFlag{Name: "delimiter", Usage: "the one `CHARACTER` between fields (default: a comma; a tab in .tsv and .tab)"},
			&ucli.BoolFlag{Name: "json", Usage: "print what was landed as JSON"},
			quietFlag(),
		}, remoteFlags()...),
		Action: func(c *ucli.Context) error { return landFiles(c, env) },
	}
}

func landFiles(c *ucli.Context, env Env) error {
	if err := arguments(c, 2, -1); err != nil {
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
	options, err := landOptions(c, j.table)
	if err != nil {
		return err
	}
	files, err := scan(c.Context, c.Args().Tail(), options)
	if err != nil {
		return err
	}
	log := logger(env, c.Bool("quiet"))
	session, err := target.open(c.Context, env, log)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	report, err := land.Run(c.Context, session, land.Request{
		Files: files, Options: options, Describe: gen.DescribeBronze(j.table), Plan: gen.Lander(j.contract, j.table, batch), Progress: log,
	})
	if err != nil {
		return fmt.Errorf("landing batch %s: %w", batch, err)
	}
	report = redacted(env.secrets, report)
	if c.Bool("json") {
		report.Added, report.Absent = append([]string{}, report.Added...), append([]string{}, report.Absent...)
		return render.JSON(env.Stdout, report)
	}
	render.Landing(env.Stdout, report, batch)
	return nil
}

func landOptions(c *ucli.Context, table *contracts.Table) (land.Options, error) {
	if table.Source.Table == nil {
		return land.Options{}, usagef("table %s has no source.table to land into", table.Target)
	}
	options := land.Options{Encoding: c.String("encoding"), Reserved: gen.Reserved(table)}
	if text := c.String("delimiter"); text == `\t` {
		options.Delimiter = '\t'
	} else if text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if size != len(text) {
			return land.Options{}, usagef("--delimiter %q is not one character", text)
		}
		options.Delimiter = r
	}
	return options, nil
}

// scan reads all files before anything is sent. A file that is not there, or of
// a kind that land does not read, is a mistake of the command line.
func scan(ctx context.Context, paths []string, options land.Options) ([]land.File, error) {
	files, err := land.Scan(ctx, paths, options)
	var unsupported *land.UnsupportedError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &unsupported) {
		return nil, &usageError{err}
	}
	return files, err
}
