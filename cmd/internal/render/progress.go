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
	why      int    // characters of the reason, so that a line fits
	line     string // of the step that runs
	open     bool   // line is on the terminal without its end
}

const (
	stepWidth = 25
	longest   = 62 // of a reason
	around    = 8 + stepWidth + 1 + 9
)

// NewProgress returns a Progress that writes to w, in lines that a terminal of some
// width holds; 0 is any.
func NewProgress(w io.Writer, terminal bool, width int) *Progress {
	why := longest
	if width > 0 {
		why = max(1, min(longest, width-around))
	}
	return &Progress{w: w, terminal: terminal, why: why}
}

// Event shows one event of a run.
func (p *Progress) Event(e runner.Event) {
	switch e.State {
	case "begin":
		p.line = p.stepLine(e)
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
		fmt.Fprintf(p.w, "%s  skipped\n", p.stepLine(e))
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

func (p *Progress) stepLine(e runner.Event) string {
	return fmt.Sprintf("[%2d/%d] %-*s %-*s", e.Number, e.Of, stepWidth, cut(line(e.Step), stepWidth), p.why, cut(line(e.Why), p.why))
}
