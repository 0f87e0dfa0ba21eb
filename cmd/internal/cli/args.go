package cli

import (
	"fmt"
	"strings"

	ucli "github.com/urfave/cli/v2"
)

// arrange moves the flags of a command before its arguments, because urfave v2
// stops reading flags at the first argument, and people write
// `sluice run CONTRACT --batch ID`. After -- everything is an argument.
func arrange(app *ucli.App, args []string) ([]string, error) {
	commands, flags := app.Commands, app.Flags
	path := args[:min(1, len(args))]
	rest := args[len(path):]
	var own *ucli.Command
	for len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		next := named(commands, rest[0])
		if next == nil {
			break
		}
		path, rest = append(path[:len(path):len(path)], rest[0]), rest[1:]
		own, commands, flags = next, next.Subcommands, next.Flags
	}
	if own == nil || len(commands) > 0 {
		return args, nil
	}
	front, arguments, err := split(own, flags, rest)
	if err == nil {
		front, arguments, err = nameContracts(own, front, arguments)
	}
	if err != nil {
		return nil, err
	}
	path = append(path[:len(path):len(path)], front...)
	return append(append(path, "--"), arguments...), nil
}

// split parts the words after a command into flags with their values and arguments.
func split(own *ucli.Command, flags []ucli.Flag, words []string) (front, arguments []string, err error) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			return front, append(arguments, words[i+1:]...), nil
		case len(word) < 2 || word[0] != '-':
			arguments = append(arguments, word)
		default:
			front = append(front, word)
			name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
			f := flagNamed(flags, name)
			if f == nil && name != "help" && name != "h" {
				return nil, nil, unknownFlag(own, flags, name)
			}
			if takesValue(f) && !hasValue {
				if i++; i == len(words) {
					return nil, nil, usagef("flag --%s of %s needs a value", name, own.Name)
				}
				front = append(front, words[i])
			}
		}
	}
	return front, arguments, nil
}

func unknownFlag(own *ucli.Command, flags []ucli.Flag, name string) error {
	hint := ""
	if best := nearest(name, flagNames(flags)); best != "" {
		hint = fmt.Sprintf("; did you mean --%s?", best)
	}
	return usagef("unknown flag --%s of %s%s", name, own.Name, hint)
}

func named(commands []*ucli.Command, name string) *ucli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func flagNamed(flags []ucli.Flag, name string) ucli.Flag {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

func takesValue(f ucli.Flag) bool {
	d, ok := f.(ucli.DocGenerationFlag)
	return ok && d.TakesValue()
}

func flagNames(flags []ucli.Flag) []string {
	var out []string
	for _, f := range flags {
		out = append(out, f.Names()...)
	}
	return out
}

func commandNames(commands []*ucli.Command) []string {
	var out []string
	for _, c := range commands {
		if !c.Hidden {
			out = append(out, c.Name)
		}
	}
	return out
}

// nearest is the candidate that is at most a third of its letters away, or "".
func nearest(word string, candidates []string) string {
	best, least := "", len(word)/3+2
	for _, c := range candidates {
		if d := distance(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance counts the edits between two words (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		above := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := above
			if a[i] != b[j] {
				cost = 1 + min(above, row[j], row[j+1])
			}
			above, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// arguments refuses a wrong number of arguments; most < 0 is any number.
func arguments(c *ucli.Context, least, most int) error {
	n := c.NArg()
	if n >= least && (most < 0 || n <= most) {
		return nil
	}
	if n > most && most >= 0 {
		return usagef("%s: unexpected argument %q; see %s --help", c.Command.HelpName, c.Args().Get(most), c.Command.HelpName)
	}
	return usagef("%s needs %s; see %s --help", c.Command.HelpName, c.Command.ArgsUsage, c.Command.HelpName)
}
