package cli

import (
	"sluice/cmd/internal/demo"
	"sluice/cmd/internal/render"

	ucli "github.com/urfave/cli/v2"
)

func demoCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:  "demo",
		Usage: "see everything at once, on sample data and a local Spark",
		Description: describe(`Starts the local Spark, lays out a contract and files, and takes three days of orders
through them: a clean day, one with every defect, one that is refused, and a replay.
It needs Java 17 and Python 3; the first start downloads Spark. Its tables are in schemas
that begin with demo_, which each demo makes anew.`,
			"sluice demo",
			"sluice demo --spark 3.5 --dir /tmp/sluice-demo"),
		Flags: []ucli.Flag{
			sparkFlag(),
			&ucli.StringFlag{Name: "dir", Value: "sluice-demo", Usage: "lay contract and files out in `FOLDER`"},
			quietFlag(),
		},
		Action: func(c *ucli.Context) error { return runDemo(c, env) },
	}
}

func runDemo(c *ucli.Context, env Env) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	version, err := sparkVersion(c)
	if err != nil {
		return err
	}
	log := logger(env, c.Bool("quiet"))
	session, err := target{spark: version}.open(c.Context, env, log)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	d := demo.Demo{Session: session, Dir: c.String("dir"), Out: env.Stdout, Log: log}
	if !c.Bool("quiet") {
		d.Observe = render.NewProgress(env.Stderr, env.Terminal, env.Width).Event
	}
	return d.Run(c.Context)
}
