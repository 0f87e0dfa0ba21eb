package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/runner/connect"
	"sluice/runner/local"

	ucli "github.com/urfave/cli/v2"
)

// remoteHelp ends the help of commands that connect.
const remoteHelp = `Spark is the one of --remote, else of SPARK_REMOTE, else of the contract's server when
--server names one; with none of them a local Spark is started and stays up. Secrets come
from the environment: SLUICE_TOKEN, SLUICE_TOKEN_FILE, or inside SPARK_REMOTE.`

func remoteFlags() []ucli.Flag {
	return append([]ucli.Flag{
		&ucli.StringFlag{Name: "remote", Usage: "connect to `sc://host:port/;key=value…`"},
		sparkFlag(),
		&ucli.StringFlag{Name: "ca-file", Usage: "trust the certificates in `FILE` as well (default: SLUICE_CA_FILE)"},
	}, contractFlags()...)
}

func sparkFlag() ucli.Flag {
	return &ucli.StringFlag{Name: "spark", Usage: "`VERSION` of the local Spark, 4.1 (default), 4.0 or 3.5"}
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
	if v != "" && !slices.Contains(local.Versions(), v) {
		return "", usagef("--spark %s is not known: choose one of %s", v, strings.Join(local.Versions(), ", "))
	}
	return v, nil
}

// target says which Spark is meant.
type target struct {
	config connect.Config // Remote is "" for the local Spark
	origin string         // for people: a connection string may hold secrets
	spark  string         // version of the local Spark
}

// targetOf finds the Spark of a command on a contract. --spark means the local
// one, so it wins over the environment but not over another flag.
func targetOf(c *ucli.Context, env Env, contract *contracts.Contract) (target, error) {
	version, err := sparkVersion(c)
	if err != nil {
		return target{}, err
	}
	ca := c.String("ca-file")
	if ca == "" {
		ca = env.Getenv("SLUICE_CA_FILE")
	}
	t := target{spark: version, config: connect.Config{Catalog: contract.Server.Catalog, CAFile: ca, Token: token(env)}}
	switch flag, variable := c.String("remote"), env.Getenv("SPARK_REMOTE"); {
	case flag != "" && version != "":
		return target{}, usagef("--remote and --spark exclude each other: --spark is the version of the local Spark")
	case flag != "":
		t.config.Remote, t.origin = flag, "the Spark of --remote"
	case version != "":
	case variable != "":
		t.config.Remote, t.config.RemoteFromEnv, t.origin = variable, true, "the Spark of SPARK_REMOTE"
	case c.IsSet("server"):
		return t.onServer(contract)
	}
	return t, nil
}

func (t target) onServer(contract *contracts.Contract) (target, error) {
	s := contract.Server
	if s.Host == "" {
		return target{}, usagef("server %q of %q has no host; name one there, or give --remote", s.Name, contract.File)
	}
	port := s.Port
	if port == "" {
		port = "15002"
	}
	t.config.Remote = "sc://" + net.JoinHostPort(s.Host, port)
	t.origin = fmt.Sprintf("%s, server %s of the contract", t.config.Remote, s.Name)
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
func (t target) open(ctx context.Context, env Env, log func(string)) (Session, error) {
	cfg, origin := t.config, t.origin
	if cfg.Remote == "" {
		server, err := env.Spark.Start(ctx, env.local(t.spark, log))
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

// connected opens the Spark that the flags of a command on a contract mean.
func connected(c *ucli.Context, env Env, contract *contracts.Contract) (Session, error) {
	t, err := targetOf(c, env, contract)
	if err != nil {
		return nil, err
	}
	return t.open(c.Context, env, logger(env, c.Bool("quiet")))
}

// logger writes progress lines to standard error.
func logger(env Env, quiet bool) func(string) {
	return func(line string) {
		if !quiet {
			fmt.Fprintln(env.Stderr, line)
		}
	}
}
