package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner/connect"
	"sluice/runner/local"
)

// remoteHelp ends the help of commands that connect.
const remoteHelp = `Spark is the one of --remote, else of SPARK_REMOTE, else of the contract's server when
--server names one; with none of them a local Spark is started and stays up. Secrets come
from the environment: SLUICE_TOKEN, SLUICE_TOKEN_FILE, or inside SPARK_REMOTE.`

// sparkVersions are the local Sparks; the first is the default.
var sparkVersions = []string{"4.1", "3.5"}

func remoteFlags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.StringFlag{Name: "remote", Usage: "connect to `sc://host:port/;key=value…`"},
		serverFlag(),
		sparkFlag(),
		&ucli.StringFlag{Name: "ca-file", Usage: "trust the certificates in `FILE` as well"},
	}
}

func sparkFlag() ucli.Flag {
	return &ucli.StringFlag{Name: "spark", Usage: "`VERSION` of the local Spark, 4.1 (default) or 3.5"}
}

func quietFlag() ucli.Flag {
	return &ucli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress on standard error"}
}

func batchID(c *ucli.Context) (string, error) {
	if !c.IsSet("batch") {
		return "", usagef("--batch is missing; see %s --help", c.Command.HelpName)
	}
	id := c.String("batch")
	if err := plan.CheckBatchID(id); err != nil {
		return "", usagef("--batch: %w", err)
	}
	return id, nil
}

func sparkVersion(c *ucli.Context) (string, error) {
	v := c.String("spark")
	if v != "" && !slices.Contains(sparkVersions, v) {
		return "", usagef("--spark %s is not known: choose %s", v, strings.Join(sparkVersions, " or "))
	}
	return v, nil
}

// target says which Spark is meant, before a contract is read.
type target struct {
	config connect.Config // Remote is "" when it is the contract's server or local
	origin string         // for people; a connection string may hold secrets
	server bool           // --server was given
	local  bool           // --spark was given
	spark  string
}

func remoteOf(c *ucli.Context, env Env) (target, error) {
	version, err := sparkVersion(c)
	if err != nil {
		return target{}, err
	}
	t := target{server: c.IsSet("server"), local: version != "", spark: version}
	t.config = connect.Config{CAFile: c.String("ca-file"), Token: token(env)}
	switch remote := c.String("remote"); {
	case remote != "" && t.local:
		return target{}, usagef("--remote and --spark exclude each other: --spark is the local Spark's version")
	case remote != "":
		t.config.Remote, t.origin = remote, "the Spark of --remote"
	case t.local:
	case env.Getenv("SPARK_REMOTE") != "":
		t.config.Remote, t.config.RemoteFromEnv, t.origin = env.Getenv("SPARK_REMOTE"), true, "the Spark of SPARK_REMOTE"
	}
	return t, nil
}

// token reads a secret from the environment or a file, anew for each call: a
// file may be refreshed while a run goes on.
func token(env Env) func(context.Context) (string, error) {
	if text := env.Getenv("SLUICE_TOKEN"); text != "" {
		return func(context.Context) (string, error) { return text, nil }
	}
	path := env.Getenv("SLUICE_TOKEN_FILE")
	if path == "" {
		return nil
	}
	return func(context.Context) (string, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("reading SLUICE_TOKEN_FILE: %w", err)
		}
		return strings.TrimSpace(string(text)), nil
	}
}

// open connects to the target and says so.
func (t target) open(ctx context.Context, env Env, contract *contracts.Contract, log func(string)) (Session, error) {
	cfg, origin := t.config, t.origin
	cfg.Catalog = contract.Server.Catalog
	switch host := contract.Server.Host; {
	case cfg.Remote != "":
	case t.server && !t.local && host != "":
		port := contract.Server.Port
		if port == "" {
			port = "15002"
		}
		cfg.Remote = "sc://" + net.JoinHostPort(host, port)
		origin = fmt.Sprintf("%s, server %s of the contract", cfg.Remote, contract.Server.Name)
	case t.server && !t.local:
		return nil, usagef("server %q of %q has no host; name one there, or give --remote", contract.Server.Name, contract.File)
	default:
		server, err := env.Spark.Start(ctx, local.Options{Version: t.spark, Log: log})
		if err != nil {
			return nil, fmt.Errorf("starting the local Spark: %w", err)
		}
		cfg.Remote, cfg.Token, origin = server.Remote, nil, "the local Spark, "+server.Remote
	}
	session, err := env.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	log(fmt.Sprintf("connected to %s (Spark %s)", origin, session.Version()))
	return session, nil
}

// logger writes progress lines to standard error.
func logger(env Env, quiet bool) func(string) {
	return func(line string) {
		if !quiet {
			fmt.Fprintln(env.Stderr, line)
		}
	}
}
