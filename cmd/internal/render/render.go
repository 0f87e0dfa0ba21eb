// Package render turns plans, problems, reports and landings into text and
// JSON. It is the only package that formats for people; it decides nothing and
// looks nothing up. Text of contracts and data is shown with its control
// characters made visible, so that it cannot move a cursor or end a comment.
//
//	render.Summary(os.Stdout, report, plan)
package render

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"
	"unicode"

	"sluice/contracts"
	"sluice/runner/land"
	"sluice/runner/local"

	"github.com/rogpeppe/go-internal/diff"
)

// JSON writes v indented, with one final newline.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Count is "1 problem", "2 problems".
func Count[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Problem is a problem of a contract as JSON has it.
type Problem struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Text     string `json:"text"`
}

// ProblemList is the JSON form of problems; never null.
func ProblemList(problems []contracts.Problem) []Problem {
	out := []Problem{}
	for _, p := range problems {
		out = append(out, Problem{p.Position.File, p.Position.Line, p.Position.Column, p.ID, string(p.Severity), p.Path, p.Text})
	}
	return out
}

// Problems writes a line each: file:line:column: id: text.
func Problems(w io.Writer, problems []contracts.Problem) {
	for _, p := range problems {
		fmt.Fprintln(w, line(p.String()))
	}
}

// Change is a generated file that differs from its contract.
type Change struct {
	Name             string // slash path below the output folder
	Old, New         string
	Created, Removed bool
}

// Verb says what gen did with the file.
func (c Change) Verb() string {
	switch {
	case c.Created:
		return "created"
	case c.Removed:
		return "removed"
	default:
		return "updated"
	}
}

// Changes writes the unified diff that gen would apply to folder out.
func Changes(w io.Writer, out string, changes []Change) {
	for _, c := range changes {
		name := path.Join(out, c.Name)
		from, to := name, name
		if c.Created {
			from = "/dev/null"
		}
		if c.Removed {
			to = "/dev/null"
		}
		_, _ = w.Write(diff.Diff(from, []byte(c.Old), to, []byte(c.New)))
	}
}

// Landing writes what a landing did.
func Landing(w io.Writer, r land.Report, batch string) {
	fmt.Fprintf(w, "landed batch %s: %s of %s in %s\n", line(batch), Count(r.Rows, "row"), Count(r.Files, "file"), line(r.Table))
	switch {
	case r.Same:
		fmt.Fprintf(w, "  the batch was there with the same content, so it keeps its load time\n")
	case r.Replaced > 0:
		fmt.Fprintf(w, "  replaced %s that the batch had before\n", Count(r.Replaced, "row"))
	}
	if r.Malformed > 0 {
		fmt.Fprintf(w, "  malformed: %s; a run rejects what does not fit its header as malformed_row\n", Count(r.Malformed, "row"))
	}
	if len(r.Added) > 0 {
		fmt.Fprintf(w, "  new columns: %s\n", line(strings.Join(r.Added, ", ")))
	}
	if len(r.Absent) > 0 {
		fmt.Fprintf(w, "  columns that no file has, landed as NULL: %s\n", line(strings.Join(r.Absent, ", ")))
	}
}

// Servers writes the local Sparks that run.
func Servers(w io.Writer, servers []local.Server) {
	if len(servers) == 0 {
		fmt.Fprintln(w, "no local Spark runs; start it with: sluice spark start")
		return
	}
	rows := []string{"SPARK\tREMOTE\tPID\tSTARTED\tLOG"}
	for _, s := range servers {
		rows = append(rows, fmt.Sprintf("%s\t%s\t%d\t%s\t%s", s.Spark, s.Remote, s.PID, s.Started.Format("2006-01-02 15:04:05"), s.Log))
	}
	table(w, rows...)
}

// table writes rows of tab-separated cells in columns, without blanks at the ends of lines.
func table(w io.Writer, rows ...string) {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, row)
	}
	_ = t.Flush() // a strings.Builder takes everything
	for _, one := range strings.SplitAfter(b.String(), "\n") {
		if text := strings.TrimRight(one, " \n"); one != "" {
			fmt.Fprintln(w, text)
		}
	}
}

// line is text on one line, without characters that act on a terminal.
func line(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
			return '\uFFFD'
		default:
			return r
		}
	}, text)
}

// cut shortens text to n characters.
func cut(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return strings.TrimRight(string(runes[:n-1]), " ") + "…"
}
