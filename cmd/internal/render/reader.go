package render

import (
	"fmt"
	"io"

	"sluice/runner"
)

// Pin writes what a reader found. The commits are shown for people; they decide nothing.
func Pin(w io.Writer, p runner.Pin) {
	if p.OK {
		fmt.Fprintf(w, "%s is at contract %s, within %s\n", line(p.Table), line(p.Found), p.Expects)
	} else {
		fmt.Fprintln(w, line(p.Text()))
	}
	if len(p.Commits) == 0 {
		return
	}
	rows := []string{"commit\tcontract\tbatch\trun"}
	for _, c := range p.Commits {
		commit := line(c.Snapshot)
		if commit == "" {
			commit = fmt.Sprint(c.Version)
		}
		rows = append(rows, fmt.Sprintf("  %s\t%s\t%s\t%s", commit, c.Contract, c.Batch, c.Run))
	}
	fmt.Fprintln(w)
	table(w, rows...)
}
