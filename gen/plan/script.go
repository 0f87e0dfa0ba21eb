package plan

import "strings"

// Expression is SQL that stands for the value of a marker.
type Expression string

// Occasion says in which runs a step has something to do.
type Occasion string

// The occasions. A step of EveryRun may be sent by a person who does not know its
// number: where there is nothing to do its statements change nothing.
const (
	EveryRun Occasion = "every run"
	FirstRun Occasion = "first run" // while tables are not there
	LaterRun Occasion = "later run" // once they are
	RareRun  Occasion = "rare run"  // after a refusal, another writer, another version of the contract
)

// occasions are those of the numbers by which steps are skipped. A missing table or
// constraint is of a first run.
var occasions = map[string]Occasion{
	"":                      EveryRun,
	"columns_without_value": EveryRun, "repeated_keys": EveryRun, "held_back_keys": EveryRun, "batch_keys": EveryRun,
	"reachable_keys": EveryRun, "dirty_rows": EveryRun, "quarantine_rows": EveryRun, "changing_rows": EveryRun, "pinned": EveryRun,
	"version_absent": FirstRun, "main_absent": FirstRun,
	"target_exists": LaterRun, "audit_log_exists": LaterRun, "segments_logged": LaterRun,
	"new_staging_columns": RareRun, "new_quarantine_columns": RareRun, "new_audit_log_columns": RareRun, "wap_disabled": RareRun,
	"refused": RareRun, "moved": RareRun, "version_raised": RareRun, "unstamped": RareRun, "orphans_possible": RareRun,
}

// Occasion is "" for a number that nobody has classed.
func (s Step) Occasion() Occasion {
	if strings.HasPrefix(s.SkipIfZero, "missing_") {
		return FirstRun
	}
	if s.SkipIfZero == "" && len(s.Statements) > 0 && s.Statements[0].Use == Describe {
		return LaterRun // it names every table, and on a first run most are not there
	}
	return occasions[s.SkipIfZero]
}

// Sent reports whether a script for an occasion sends the step; "" is every one.
func (s Step) Sent(on Occasion) bool {
	own := s.Occasion()
	return on == "" || own == EveryRun || own == on
}

// Scripted are expressions for the markers whose value a run would have counted or
// known: in a printed script they read it from the tables.
func (p *Plan) Scripted() Values {
	out := Values{}
	for _, param := range p.Params {
		if param.Script != "" {
			out[param.Name] = param.Script
		}
	}
	return out
}
