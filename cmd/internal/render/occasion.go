package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/gen/plan"
)

// written says for what the script was written, and what nobody judges in it.
func written(w io.Writer, occasion plan.Occasion) {
	if occasion == plan.FirstRun {
		fmt.Fprintln(w, "--\n-- Written for a table that is not there yet; for one that is, print it with --existing.")
	} else {
		fmt.Fprintln(w, "--\n-- Written for a table that is there.")
	}
	fmt.Fprintln(w, "-- Steps of other cases stand as comments. From top to bottom it publishes the batch whatever the")
	fmt.Fprintln(w, "-- checks below would say: sluice run judges them, a SQL shell does not. The run id is of this")
	fmt.Fprintln(w, "-- script alone: print another one for another attempt.")
}

// scriptOf is the plan without the steps that stand as comments.
func scriptOf(p *plan.Plan, occasion plan.Occasion) *plan.Plan {
	if occasion == "" {
		return p
	}
	out := *p
	out.Steps = nil
	for _, s := range p.Steps {
		if own := s.Occasion(); own == plan.EveryRun || own == occasion {
			out.Steps = append(out.Steps, s)
		}
	}
	return &out
}

// leftOut writes a step as a comment, without semicolons: simple clients part
// statements at those, wherever they stand.
func leftOut(w io.Writer, s *plan.Step) {
	var text strings.Builder
	step(&text, s)
	fmt.Fprintln(w, "-- left out of this script:")
	for _, one := range strings.Split(strings.TrimSpace(text.String()), "\n") {
		fmt.Fprintln(w, strings.TrimRight("--   "+strings.TrimRight(one, ";"), " "))
	}
}
