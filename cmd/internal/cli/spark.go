package cli

import (
	"fmt"

	"sluice/cmd/internal/render"
	"sluice/runner/local"

	ucli "github.com/urfave/cli/v2"
)

func sparkCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:  "spark",
		Usage: "start, find and stop the local Spark",
		Description: describe(`A real Spark Connect server on this machine, with Delta and Iceberg, for laptops, tests and
CI. It needs Java 17 and Python 3, and stays up until it is stopped; tables survive that.`,
			"sluice spark start",
			"export SPARK_REMOTE=$(sluice spark start --spark 3.5)",
			"sluice spark status",
			"sluice spark stop"),
		Subcommands: []*ucli.Command{
			{
				Name: "start", Usage: "start it, or find the one that runs; prints its connection string",
				Description: describe("Starts the local Spark unless it runs, and prints its connection string.",
					"sluice spark start", "sluice spark start --spark 3.5 --port 15002"),
				Flags: []ucli.Flag{
					sparkFlag(),
					&ucli.IntFlag{Name: "port", Usage: "listen on port `N` (default: a free one)"},
					quietFlag(),
				},
				Action: func(c *ucli.Context) error { return startSpark(c, env) },
			},
			{
				Name: "stop", Usage: "stop it; its tables stay",
				Description: describe("Stops the local Spark, all versions unless --spark names one. Its tables stay.", "sluice spark stop"),
				Flags:       []ucli.Flag{sparkFlag(), quietFlag()},
				Action:      func(c *ucli.Context) error { return stopSpark(c, env) },
			},
			{
				Name: "status", Usage: "show whether it runs",
				Description: describe("Shows which local Sparks run, and where.",
					"sluice spark status", "sluice spark status --json"),
				Flags:  []ucli.Flag{&ucli.BoolFlag{Name: "json", Usage: "print the servers as a JSON array"}},
				Action: func(c *ucli.Context) error { return sparkStatus(c, env) },
			},
		},
	}
}

func (e Env) local(version string, log func(string)) local.Options {
	return local.Options{Version: version, Log: log, Getenv: e.Getenv}
}

func startSpark(c *ucli.Context, env Env) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	version, err := sparkVersion(c)
	if err != nil {
		return err
	}
	log := logger(env, c.Bool("quiet"))
	options := env.local(version, log)
	options.Port = c.Int("port")
	if options.Port < 0 || options.Port > 65535 {
		return usagef("--port %d is not a port", options.Port)
	}
	server, err := env.Spark.Start(c.Context, options)
	if err != nil {
		return fmt.Errorf("starting the local Spark: %w", err)
	}
	state := "started"
	if server.Reused {
		state = "already running"
		if options.Port != 0 && options.Port != server.Port {
			state += fmt.Sprintf(" (not on port %d; stop it first to move it)", options.Port)
		}
	}
	log(fmt.Sprintf("Spark %s %s, pid %d; its log is %s", server.Spark, state, server.PID, server.Log))
	fmt.Fprintln(env.Stdout, server.Remote)
	return nil
}

func stopSpark(c *ucli.Context, env Env) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	version, err := sparkVersion(c)
	if err != nil {
		return err
	}
	log := logger(env, c.Bool("quiet"))
	stopped, err := env.Spark.Stop(c.Context, env.local(version, log))
	for _, s := range stopped {
		fmt.Fprintf(env.Stdout, "stopped Spark %s, pid %d\n", s.Spark, s.PID)
	}
	if err != nil {
		return fmt.Errorf("stopping the local Spark: %w", err)
	}
	if len(stopped) == 0 {
		log("no local Spark runs")
	}
	return nil
}

func sparkStatus(c *ucli.Context, env Env) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	servers, err := env.Spark.Status(env.local("", nil))
	if err != nil {
		return fmt.Errorf("looking for the local Spark: %w", err)
	}
	if c.Bool("json") {
		return render.JSON(env.Stdout, append([]local.Server{}, servers...))
	}
	render.Servers(env.Stdout, servers)
	return nil
}
