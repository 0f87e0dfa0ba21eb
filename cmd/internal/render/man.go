package render

import (
	"fmt"
	"io"
	"strings"
)

// Man is a manual page.
type Man struct {
	Name, Usage, Synopsis, Version, About string
	Examples                              []string
	Commands                              []ManCommand
	Exits, Environment                    [][2]string
}

// ManCommand is a command with all words that lead to it.
type ManCommand struct {
	Name, Arguments, Usage, About string
	Flags                         []ManFlag
	Examples                      []string
}

// ManFlag is a flag with its dashes.
type ManFlag struct {
	Names        []string
	Value, Usage string
}

// ManPage writes a page for man, in the macros that every implementation has. It has
// no date, so that the same binary prints the same page.
func ManPage(w io.Writer, m Man) {
	fmt.Fprintf(w, ".TH %s 1 \"\" %s \"User Commands\"\n.nh\n.ad l\n", manWord(strings.ToUpper(m.Name)), manWord(m.Name+" "+m.Version))
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", manText(m.Name), manText(m.Usage))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n", manText(m.Synopsis))
	fmt.Fprintln(w, ".SH DESCRIPTION")
	manParagraphs(w, m.About)
	manExamples(w, m.Examples)
	fmt.Fprintln(w, ".SH COMMANDS")
	for _, c := range m.Commands {
		fmt.Fprintf(w, ".SS %s\n", manWord(strings.TrimSpace(c.Name+" "+c.Arguments)))
		fmt.Fprintf(w, "%s.\n", manText(strings.ToUpper(c.Usage[:1])+c.Usage[1:]))
		if c.About != "" {
			fmt.Fprintln(w, ".PP")
			manParagraphs(w, c.About)
		}
		for _, f := range c.Flags {
			manFlag(w, f)
		}
		manExamples(w, c.Examples)
	}
	manList(w, "EXIT STATUS", m.Exits)
	manList(w, "ENVIRONMENT", m.Environment)
}

func manFlag(w io.Writer, f ManFlag) {
	names := make([]string, len(f.Names))
	for i, name := range f.Names {
		names[i] = `\fB` + manText(name) + `\fR`
		if f.Value != "" {
			names[i] += ` \fI` + manText(f.Value) + `\fR`
		}
	}
	fmt.Fprintf(w, ".TP\n%s\n%s\n", strings.Join(names, ", "), manText(f.Usage))
}

// manParagraphs keeps the lines of a paragraph; one that is indented stands as it is.
func manParagraphs(w io.Writer, text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			fmt.Fprintln(w, ".PP")
		}
		asItIs := strings.HasPrefix(paragraph, " ")
		if asItIs {
			fmt.Fprintln(w, ".nf")
		}
		for _, one := range strings.Split(paragraph, "\n") {
			fmt.Fprintln(w, manText(one))
		}
		if asItIs {
			fmt.Fprintln(w, ".fi")
		}
	}
}

func manExamples(w io.Writer, examples []string) {
	if len(examples) == 0 {
		return
	}
	fmt.Fprintln(w, ".PP\nExamples:\n.PP\n.RS 4\n.nf")
	for _, one := range examples {
		fmt.Fprintln(w, manText(one))
	}
	fmt.Fprintln(w, ".fi\n.RE")
}

func manList(w io.Writer, title string, entries [][2]string) {
	fmt.Fprintf(w, ".SH %s\n", title)
	for _, e := range entries {
		fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", manText(e[0]), manText(e[1]))
	}
}

// manText is text that no macro and no escape can begin in.
func manText(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "→", `\->`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(strings.TrimRight(text, " "))
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}

// manWord is an argument of a macro.
func manWord(text string) string { return `"` + strings.ReplaceAll(manText(text), `"`, `\(dq`) + `"` }
