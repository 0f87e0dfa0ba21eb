package cli

import (
	"regexp"
	"slices"
	"strings"

	"sluice/contracts"

	ucli "github.com/urfave/cli/v2"
)

// contractFlags are the flags of every command that reads contracts.
func contractFlags() []ucli.Flag {
	return []ucli.Flag{
		serverFlag(),
		&ucli.StringSliceFlag{Name: "var", Usage: "put VALUE in place of ${NAME} in the contract, `NAME=VALUE` (repeatable)"},
		&ucli.StringSliceFlag{Name: "allow-env", Usage: "let the contract use environment variable `NAME` as ${NAME} (repeatable)"},
	}
}

// contractOptions are what contracts are read with.
func contractOptions(c *ucli.Context, env Env) (contracts.Options, error) {
	vars, err := variables(c, env)
	if err != nil {
		return contracts.Options{}, err
	}
	env.secrets.hide(vars)
	return contracts.Options{Server: c.String("server"), Vars: vars}, nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Each run fills these markers itself, so a value from outside would be ignored.
var runVariables = []string{"BATCH_DATE", "PUBLISHED_TABLE"}

// variables are the values that the user gives. The environment is read only
// where it is named: a contract is text of somebody else.
func variables(c *ucli.Context, env Env) (map[string]string, error) {
	out, taken := map[string]string{}, map[string]bool{}
	for _, name := range c.StringSlice("allow-env") {
		if err := checkVariable("allow-env", name, taken); err != nil {
			return nil, err
		}
		if value := env.Getenv(name); value != "" { // else the default that the contract writes
			out[name] = value
		}
	}
	for _, text := range c.StringSlice("var") {
		name, value, found := strings.Cut(text, "=")
		if !found {
			return nil, usagef("--var takes NAME=VALUE; the = is missing")
		}
		if err := checkVariable("var", name, taken); err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

func checkVariable(flag, name string, taken map[string]bool) error {
	switch {
	case !variableName.MatchString(name):
		return usagef("--%s: a variable has a name of letters, digits and _, beginning with no digit", flag)
	case slices.Contains(runVariables, name):
		return usagef("--%s: %s is filled by each run; leave it out", flag, name)
	case taken[name]:
		return usagef("--%s: the variable %s is given twice; keep one", flag, name)
	}
	taken[name] = true
	return nil
}
