package cli

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sluice/contracts/breaking"
	"sluice/contracts/odcs"
	"sluice/gen"
	"sluice/runner/companion"
	"sluice/runner/local"

	ucli "github.com/urfave/cli/v2"
)

// completionFlag ends a command line that a shell wants completed. The word
// before it is the one being typed, possibly empty. urfave's own completion is
// not used: it reads os.Args and the environment.
const completionFlag = "--generate-bash-completion"

// complete prints the candidates for the last word, a line each. Where it
// prints none, the shell offers file names: so it does for a contract whose path
// is being typed.
func complete(app *ucli.App, words []string, w io.Writer) {
	typed := ""
	if n := len(words); n > 0 {
		words, typed = words[:n-1], words[n-1]
	}
	commands, flags, arguments, command := app.Commands, app.Flags, 0, &ucli.Command{}
	var previous ucli.Flag
	for _, word := range words {
		switch next := named(commands, word); {
		case takesValue(previous):
			previous = nil
		case strings.HasPrefix(word, "-"):
			previous = flagNamed(flags, strings.TrimLeft(word, "-"))
		case next != nil && arguments == 0:
			commands, flags, command = next.Subcommands, next.Flags, next
		default:
			arguments++
		}
	}
	var candidates []string
	switch {
	case takesValue(previous):
		candidates = valuesOf(command.Name, previous)
	case strings.HasPrefix(typed, "-"):
		for _, name := range append(flagNames(flags), "help") {
			candidates = append(candidates, "--"+name)
		}
	case arguments < contractWords(command):
		candidates = contractStems()
	case arguments == 0 && command.Name == "completion":
		candidates = slices.Sorted(maps.Keys(completionScripts))
	case arguments == 0:
		candidates = commandNames(commands)
	}
	for _, c := range candidates {
		if strings.HasPrefix(c, typed) {
			fmt.Fprintln(w, c)
		}
	}
}

// contractStems are the short names of the contracts under contracts/, as far as the
// name of a file tells.
func contractStems() []string {
	files, err := walk(contractFolder, contractSuffixes)
	if err != nil {
		return nil
	}
	var out []string
	for _, file := range files {
		out = append(out, filepath.Base(contractStem(file)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func valuesOf(command string, f ucli.Flag) []string {
	switch f.Names()[0] {
	case "spark":
		return local.Versions()
	case "api-version":
		return odcs.Versions()
	case "arch":
		return companion.Arches()
	case "emit":
		return gen.ReaderForms()
	case "perspective":
		return breaking.Perspectives()
	case "explain":
		if command == "breaking" {
			return append(breaking.IDs(), "all")
		}
		return append(problemIDs(), "all")
	}
	return nil
}

var completionScripts = map[string]string{
	"bash": `# sluice completion for bash: source <(sluice completion bash)
_sluice() {
  local cur="${COMP_WORDS[COMP_CWORD]}"
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[@]:0:COMP_CWORD}" "$cur" ` + completionFlag + ` 2>/dev/null))
}
complete -o bashdefault -o default -F _sluice sluice
`,
	"zsh": `#compdef sluice
# sluice completion for zsh: source <(sluice completion zsh)
_sluice() {
  local -a candidates
  candidates=("${(@f)$("${(@)words[1,CURRENT-1]}" "${words[CURRENT]}" ` + completionFlag + ` 2>/dev/null)}")
  candidates=(${candidates:#})
  if (( ${#candidates} )); then
    compadd -a candidates
  else
    _files
  fi
}
compdef _sluice sluice
`,
	"fish": `# sluice completion for fish: sluice completion fish | source
function __sluice_candidates
  set -l words (commandline -opc) (commandline -ct)
  $words ` + completionFlag + ` 2>/dev/null
end
complete -c sluice -a '(__sluice_candidates)'
`,
}

func completionCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell",
		ArgsUsage: "bash|zsh|fish",
		Description: describe("Prints a script that completes commands, flags, their values, names of contracts and files.",
			"source <(sluice completion bash)",
			"sluice completion fish > ~/.config/fish/completions/sluice.fish"),
		Action: func(c *ucli.Context) error {
			if err := arguments(c, 1, 1); err != nil {
				return err
			}
			script, ok := completionScripts[c.Args().First()]
			if !ok {
				return usagef("no completion for %q: choose bash, zsh or fish", c.Args().First())
			}
			fmt.Fprint(env.Stdout, script)
			return nil
		},
	}
}

func versionCommand(env Env) *ucli.Command {
	return &ucli.Command{
		Name:        "version",
		Usage:       "print the version",
		Description: describe("Prints the version of this binary.", "sluice version"),
		Action: func(c *ucli.Context) error {
			if err := arguments(c, 0, 0); err != nil {
				return err
			}
			fmt.Fprintln(env.Stdout, "sluice version "+env.Version)
			return nil
		},
	}
}
