// Package cli is the command line: it reads flags into options, calls the
// package that does the work, hands the result to render, and maps errors to
// exit codes in one place. It decides nothing about contracts, SQL or Spark.
//
// Everything outside the process comes through Env, so that a test can run a
// command with buffers and a fake session:
//
//	code := cli.Main([]string{"sluice", "lint", "contracts"}, env)
package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	ucli "github.com/urfave/cli/v2"
)

// Main runs one command and returns the process's exit code. The first SIGINT
// or SIGTERM cancels the command, which then cleans up; a second one kills.
func Main(args []string, env Env) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	out := &output{w: env.Stdout}
	env.Stdout = out
	env.secrets = &secrets{}
	env.Stderr = env.secrets.writer(env.Stderr)
	app := App(env)
	if n := len(args); n > 1 && args[n-1] == completionFlag {
		complete(app, args[1:n-1], env.Stdout)
		return exitDone
	}
	args, err := arrange(app, args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	if err == nil && out.err != nil {
		err = fmt.Errorf("writing to standard output: %w", out.err)
	}
	if text := message(ctx, err); text != "" {
		fmt.Fprintln(env.Stderr, "sluice: "+text)
	}
	return exitCode(ctx, err)
}

// App is the tree of commands on env, built anew for each call.
func App(env Env) *ucli.App {
	app := &ucli.App{
		Name:      "sluice",
		HelpName:  "sluice",
		Usage:     "take raw batches to published Spark tables, by contract",
		UsageText: "sluice COMMAND [flags] [arguments]",
		Description: `A contract (ODCS YAML) says what a table promises. sluice generates every Spark SQL
statement that takes a raw batch to that table, and runs them through Spark Connect.
Every row of the batch ends in exactly one place, with a reason.

Examples:
  sluice lint contracts
  sluice plan contracts/aviation/flights.odcs.yaml
  sluice land contracts/aviation/flights.odcs.yaml flights.csv --batch 2013-01-01
  sluice run contracts/aviation/flights.odcs.yaml --batch 2013-01-01

Exit codes: 0 done; 1 a check found something; 2 usage or unreadable contract;
3 cannot connect or a statement failed, nothing published; 4 batch refused;
5 outcome unknown, or published but not recorded: a person must look; 130 interrupted.`,
		Version:                   env.Version,
		Writer:                    env.Stdout,
		ErrWriter:                 env.Stderr,
		Reader:                    env.Stdin,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*ucli.Context, error) {},
		Action:                    group,
		OnUsageError:              badUsage,
		Commands: []*ucli.Command{
			lintCommand(env), schemaCommand(env), planCommand(env), genCommand(env), docsCommand(env),
			landCommand(env), runCommand(env), testCommand(env), fixtureCommand(env), breakingCommand(env),
			checkCommand(env), migrateCommand(env), readerCommand(env), historyCommand(env), refsCommand(env), impactCommand(env),
			companionCommand(env), sparkCommand(env), demoCommand(env),
			versionCommand(env), completionCommand(env), manCommand(env),
		},
	}
	prepare(app.Commands)
	return app
}

// prepare gives every command what urfave does not inherit.
func prepare(commands []*ucli.Command) {
	for _, c := range commands {
		c.OnUsageError = badUsage
		c.HideHelpCommand = true
		if c.Action == nil {
			c.Action = group
		}
		prepare(c.Subcommands)
	}
}

// group is the action of a command that only holds others: without a word it
// shows them, and a mistyped word gets a suggestion.
func group(c *ucli.Context) error {
	if name := c.Args().First(); name != "" {
		return unknownCommand(c.Command, name)
	}
	c.App.Writer = c.App.ErrWriter
	if c.Command.HelpName == c.App.HelpName {
		_ = ucli.ShowAppHelp(c)
	} else {
		_ = ucli.ShowSubcommandHelp(c)
	}
	return usagef("%s needs a command", c.Command.HelpName)
}

func unknownCommand(parent *ucli.Command, name string) error {
	hint := ""
	if best := nearest(name, commandNames(parent.Subcommands)); best != "" {
		hint = fmt.Sprintf("; did you mean %q?", best)
	}
	return usagef("unknown command %q%s", name, hint)
}

func badUsage(c *ucli.Context, err error, _ bool) error {
	return usagef("%w; see %s --help", err, c.Command.HelpName)
}

// describe is a command's long help: what it does, then examples.
func describe(text string, examples ...string) string {
	return text + "\n\nExamples:\n  " + strings.Join(examples, "\n  ")
}
