package render

import (
	"fmt"
	"io"

	"sluice/runner"
)

// Progress writes one line a step. On a terminal the line begins with the step
// and is finished with its time; elsewhere it is written when the step ended,
// so that lines of a log stay whole. It is not safe for several runs at once.
type Progress struct {
	w        io.Writer
	terminal bool
	line     string // of the step that runs
	open     bool   // line is on the terminal without its end
}

// NewProgress returns a Progress that writes to w.
func NewProgress(w io.Writer, terminal bool) *Progress {
	return &Progress{w: w, terminal: terminal}
}

// Event shows one event of a run.
func (p *Progress) Event(e runner.Event) {
	switch e.State {
	case "begin":
		p.line = stepLine(e)
		if p.terminal {
			fmt.Fprint(p.w, p.line)
			p.open = true
		}
	case "end":
		if !p.open {
			fmt.Fprint(p.w, p.line)
		}
		fmt.Fprintf(p.w, " %6.1f s\n", e.Seconds)
		p.open = false
	case "skip":
		p.interrupt()
		fmt.Fprintf(p.w, "%s  skipped\n", stepLine(e))
	default:
		p.interrupt()
		fmt.Fprintf(p.w, "        %s\n", line(e.Text))
	}
}

// interrupt ends a line that waits for its time; the end will repeat it.
func (p *Progress) interrupt() {
	if p.open {
		fmt.Fprintln(p.w)
		p.open = false
	}
}

func stepLine(e runner.Event) string {
	return fmt.Sprintf("[%2d/%d] %-25s %-62s", e.Number, e.Of, cut(line(e.Step), 25), cut(line(e.Why), 62))
}
