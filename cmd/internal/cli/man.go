package cli

import (
	"strconv"
	"strings"

	"sluice/cmd/internal/render"

	ucli "github.com/urfave/cli/v2"
)

func manCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:  "man",
		Usage: "print the manual page of all commands",
		Description: describe("Prints a page in the language of man, from the same tree of commands as the help.",
			"sluice man | man -l -",
			"sluice man > /usr/local/share/man/man1/sluice.1"),
		Action: func(c *ucli.Context) error {
			if err := arguments(c, 0, 0); err != nil {
				return err
			}
			render.ManPage(env.Stdout, manPage(c.App))
			return nil
		},
	}
}

// environment are the variables that commands read.
var environment = [][2]string{
	{"SPARK_REMOTE", "the Spark to connect to, sc://host:port/, where neither --remote nor --spark says"},
	{"SLUICE_TOKEN, SLUICE_TOKEN_FILE", "a token for it, or the file that holds one; it is sent only over TLS or to this machine"},
	{"SLUICE_CA_FILE", "further certificates of authorities, for TLS"},
	{"SLUICE_HOME", "where the local Spark is kept (default: the user's cache folder)"},
	{"SPARK_HOME", "a Spark of your own in place of the local one"},
	{"PAGER, NO_COLOR", "how SQL is shown in a terminal"},
}

// manPage is the command tree as a manual shows it.
func manPage(app *ucli.App) render.Man {
	about, examples := partExamples(app.Description)
	about, _, _ = strings.Cut(about, "\n\nExit codes:")
	page := render.Man{Name: app.Name, Usage: app.Usage, Synopsis: app.UsageText, Version: app.Version, About: about, Examples: examples, Environment: environment}
	for _, e := range exitMeanings() {
		page.Exits = append(page.Exits, [2]string{strconv.Itoa(e.code), e.means + ": " + e.do})
	}
	page.Commands = manCommands(nil, app.Name, app.Commands)
	return page
}

// manCommands lists commands with their own below each, without those that are hidden
// and those that only hold others.
func manCommands(out []render.ManCommand, path string, commands []*ucli.Command) []render.ManCommand {
	for _, c := range commands {
		if c.Hidden || c.Name == "help" {
			continue
		}
		name := path + " " + c.Name
		if len(c.Subcommands) > 0 {
			out = manCommands(out, name, c.Subcommands)
			continue
		}
		about, examples := partExamples(c.Description)
		one := render.ManCommand{Name: name, Arguments: c.ArgsUsage, Usage: c.Usage, About: about, Examples: examples}
		for _, f := range c.Flags {
			if flag, ok := f.(ucli.DocGenerationFlag); ok {
				one.Flags = append(one.Flags, manFlag(f, flag))
			}
		}
		out = append(out, one)
	}
	return out
}

func manFlag(f ucli.Flag, doc ucli.DocGenerationFlag) render.ManFlag {
	out := render.ManFlag{Usage: doc.GetUsage()}
	value := ""
	if before, rest, quoted := strings.Cut(out.Usage, "`"); quoted { // urfave takes the word in quotes for the value
		word, after, _ := strings.Cut(rest, "`")
		value, out.Usage = word, before+word+after
	}
	if doc.TakesValue() && value == "" {
		value = "VALUE"
	}
	if text := doc.GetDefaultText(); text != "" && doc.TakesValue() && !strings.Contains(out.Usage, "default") {
		out.Usage += " (default: " + strings.Trim(text, `"`) + ")"
	}
	for _, name := range f.Names() {
		dash := "--"
		if len(name) == 1 {
			dash = "-"
		}
		out.Names = append(out.Names, dash+name)
	}
	out.Value = value
	return out
}

// partExamples parts a description from its examples.
func partExamples(description string) (about string, examples []string) {
	about, rest, found := strings.Cut(description, "\n\nExamples:\n")
	if !found {
		return about, nil
	}
	rest, after, _ := strings.Cut(rest, "\n\n")
	for _, line := range strings.Split(rest, "\n") {
		examples = append(examples, strings.TrimSpace(line))
	}
	if after != "" {
		about += "\n\n" + after
	}
	return about, examples
}
