package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/gen/plan"
	"sluice/runner"
)

// Migration writes a migration: as a script that can be reviewed and pasted, or,
// once it was applied, as what was done and what is left.
func Migration(w io.Writer, r runner.Migration, command string) {
	switch r.Result {
	case runner.NothingToDo, runner.NoTable:
	case runner.Planned:
		migrationScript(w, r, command)
	case runner.Applied, runner.Left, runner.Broken:
		migrationDone(w, r)
	}
}

func migrationScript(w io.Writer, r runner.Migration, command string) {
	from := "which has no contract.version"
	if r.From != "" {
		from = "of contract " + line(r.From)
	}
	fmt.Fprintf(w, "-- %s %s: what brings table %s, %s, to this contract\n", line(r.Contract), line(r.Version), line(r.Table), from)
	fmt.Fprintf(w, "-- By %s; nothing was changed. With --apply it runs step by step, and may be\n", line(command))
	fmt.Fprintln(w, "-- stopped and run again. A step that waits is written as a comment.")
	if r.Protocol.Before != nil {
		fmt.Fprintf(w, "-- Protocol: %s\n", protocol(r.Protocol.Before))
	}
	fmt.Fprintln(w)
	for _, s := range plan.SessionSettings(true) {
		fmt.Fprintln(w, set(s))
	}
	for i, s := range r.Steps {
		migrationStep(w, s, i+1, len(r.Steps))
	}
}

func migrationStep(w io.Writer, s runner.MigrationStep, number, of int) {
	fmt.Fprintf(w, "\n-- %s\n-- [%d/%d] %s: %s\n", strings.Repeat("-", 77), number, of, line(s.Name), line(s.Why))
	if s.Destructive {
		fmt.Fprintln(w, "-- Drops or rewrites data, or is a part of that: --apply runs it only with --allow-destructive.")
	}
	if s.Warning != "" {
		fmt.Fprintf(w, "-- Warning: %s.\n", line(s.Warning))
	}
	if c := s.Count; c != nil {
		fmt.Fprintf(w, "-- First, %s: %s\n", line(c.What), rowsNow(c))
		if c.SQL != "" {
			fmt.Fprintln(w, terminated(c.SQL))
		}
	}
	if s.State == runner.StepWaits {
		fmt.Fprintf(w, "\n-- Waits: %s.\n", line(s.Reason))
		commented(w, s.Advice)
		if s.SQL != "" {
			commented(w, terminated(s.SQL))
		}
	} else {
		migrationStatement(w, s)
	}
	if s.Other != "" {
		fmt.Fprintln(w, "\n-- The other way, for all dropped and retyped columns at once (--rewrite):")
		commented(w, terminated(s.Other))
	}
}

func migrationStatement(w io.Writer, s runner.MigrationStep) {
	for _, one := range s.Settings {
		fmt.Fprintf(w, "\n%s\n", set(one))
	}
	fmt.Fprintf(w, "\n%s\n", terminated(s.SQL))
	for _, one := range s.Settings {
		fmt.Fprintf(w, "\nRESET %s;\n", settingKey(one.Key))
	}
}

func rowsNow(c *runner.Counted) string {
	if c.Rows == nil {
		return "counted when its turn comes"
	}
	return fmt.Sprintf("%d", *c.Rows)
}

func commented(w io.Writer, text string) {
	if text == "" {
		return
	}
	for _, one := range strings.Split(text, "\n") {
		fmt.Fprintf(w, "--   %s\n", line(one))
	}
}

func migrationDone(w io.Writer, r runner.Migration) {
	fmt.Fprintf(w, "%s  %s  contract %s\n", strings.ToUpper(string(r.Result)), line(r.Table), line(r.Version))
	if r.Protocol.Before != nil && r.Protocol.After != nil {
		fmt.Fprintf(w, "protocol before: %s\n", protocol(r.Protocol.Before))
		fmt.Fprintf(w, "protocol after:  %s\n", protocol(r.Protocol.After))
	}
	if len(r.Steps) > 0 {
		out := []string{"step\tstate\twhy"}
		for _, s := range r.Steps {
			why := s.Why
			if s.State == runner.StepWaits {
				why = s.Reason
			}
			out = append(out, fmt.Sprintf("  %s\t%s\t%s", line(s.Name), s.State, cut(line(why), 110)))
			if s.State == runner.StepWaits && s.Advice != "" {
				out = append(out, "\t\t"+line(s.Advice))
			}
		}
		fmt.Fprintln(w)
		table(w, out...)
	}
	for _, f := range r.Failures {
		fmt.Fprintf(w, "\nwhy\n  %s\n", line(f))
	}
}

func protocol(p *runner.Protocol) string {
	text := fmt.Sprintf("reader %d, writer %d", p.Reader, p.Writer)
	if len(p.Features) > 0 {
		text += " (" + line(strings.Join(p.Features, ", ")) + ")"
	}
	return text
}
