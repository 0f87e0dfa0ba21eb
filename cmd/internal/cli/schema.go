package cli

import (
	"sluice/cmd/internal/render"
	"sluice/contracts/odcs"

	ucli "github.com/urfave/cli/v2"
)

func schemaCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:  "schema",
		Usage: "print a JSON Schema of contracts, fixtures or waivers, for editors",
		Description: describe(`Prints a JSON Schema (2019-09) by which an editor completes and checks a contract: the keys
of the standard in one version, and sluice's own customProperties with their values.
Save it beside the contracts and name it in the first line of each:

  # yaml-language-server: $schema=sluice.schema.json

An editor checks the form. What the parts mean together is for sluice lint.
--own leaves the standard's keys out, for editors that put several schemas on one file.
--fixtures describes <table>.fixtures.yaml files instead, --waivers <table>.waivers.yaml.`,
			"sluice schema > sluice.schema.json",
			"sluice schema --api-version v3.1.0 > sluice-3.1.schema.json",
			"sluice schema --own > sluice.own.schema.json",
			"sluice schema --fixtures > sluice.fixtures.schema.json",
			"sluice schema --waivers > sluice.waivers.schema.json"),
		Flags: []ucli.Flag{
			&ucli.StringFlag{Name: "api-version", Value: "v3.2.0", Usage: "describe contracts of `VERSION` of the standard"},
			&ucli.BoolFlag{Name: "own", Usage: "print only what is sluice's, to combine with the schema of the standard"},
			&ucli.BoolFlag{Name: "fixtures", Usage: "describe fixture files"},
			&ucli.BoolFlag{Name: "waivers", Usage: "describe waiver files"},
		},
		Action: func(c *ucli.Context) error { return printSchema(c, env) },
	}
}

func printSchema(c *ucli.Context, env Env) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	other, err := oneOf(c, "fixtures", "waivers")
	if err != nil {
		return err
	}
	if other != "" && (c.IsSet("own") || c.IsSet("api-version")) {
		return usagef("--%s excludes --own and --api-version: these files are sluice's own and have one form", other)
	}
	switch other {
	case "fixtures":
		return render.JSON(env.Stdout, odcs.FixtureSchema())
	case "waivers":
		return render.JSON(env.Stdout, odcs.WaiverSchema())
	}
	schema, err := odcs.JSONSchema(c.String("api-version"), c.Bool("own"))
	if err != nil {
		return &usageError{err}
	}
	return render.JSON(env.Stdout, schema)
}
