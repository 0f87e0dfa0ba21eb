package breaking

import (
	"fmt"
	"slices"
	"time"

	"sluice/contracts"
	"sluice/contracts/odcs"
)

// WaiverSuffixes end the names of waiver files: orders.waivers.yaml stands beside
// orders.odcs.yaml.
var WaiverSuffixes = []string{".waivers.yaml", ".waivers.yml"}

// Waiver is one change that somebody answers for, until a day.
type Waiver struct {
	Rule, Path, Owner, Reason string
	Until                     string // yyyy-MM-dd, the last day on which it holds
	Position                  contracts.Position
	used                      bool
}

// Waivers are those of one contract.
type Waivers struct {
	// Idle leaves waivers that meet nothing alone. A contract that did not change
	// has nothing to waive, and the waiver of its last change is no fault yet.
	Idle bool
	all  []*Waiver
}

// ParseWaivers reads a waiver file. The error is contracts.Problems.
func ParseWaivers(file string, data []byte) (*Waivers, error) {
	nodes, problems := odcs.ParseWaivers(file, data)
	report := &odcs.Report{}
	for _, p := range problems {
		report.Add(p)
	}
	out := &Waivers{}
	for _, n := range nodes {
		rule, until := n.Get("rule"), n.Get("until")
		if _, known := Explain(rule.Text()); rule != nil && !known {
			rule.Report(report, "bad-waiver", "no rule of breaking has the id %q%s", rule.Text(), odcs.Suggest(rule.Text(), IDs()))
		}
		if _, err := time.Parse(time.DateOnly, until.Text()); until != nil && err != nil {
			until.Report(report, "bad-waiver", "until is a day as yyyy-MM-dd, not %q", until.Text())
		}
		out.all = append(out.all, &Waiver{
			Rule: rule.Text(), Path: n.Get("path").Text(), Owner: n.Get("owner").Text(), Reason: n.Get("reason").Text(),
			Until: until.Text(), Position: n.Pos,
		})
	}
	if found := report.Problems(); len(found) > 0 {
		return nil, contracts.Problems(found)
	}
	return out, nil
}

// apply marks the changes that are waived, and reports the waivers that hold no
// longer or meet nothing: a mended contract should lose its excuses.
func (w *Waivers) apply(changes []Change, today string) []contracts.Problem {
	for _, waiver := range w.all {
		waiver.used = false
	}
	for i := range changes {
		j := slices.IndexFunc(w.all, func(one *Waiver) bool { return one.Rule == changes[i].Rule && one.Path == changes[i].Path })
		if j < 0 {
			continue
		}
		w.all[j].used = true
		if w.all[j].Until >= today {
			changes[i].Waiver = w.all[j]
		}
	}
	report := &odcs.Report{}
	for _, one := range w.all {
		at := &odcs.Node{Pos: one.Position, Path: one.Path}
		switch {
		case one.Until < today:
			at.Report(report, "expired-waiver", "the waiver of %s at %q by %s ended on %s; remove it, or let its owner renew it", one.Rule, one.Path, one.Owner, one.Until)
		case !one.used && !w.Idle:
			at.Report(report, "unused-waiver", "no change of rule %s is at %q%s; remove the waiver", one.Rule, one.Path, nearby(one, changes))
		}
	}
	return report.Problems()
}

// nearby names what the author may have meant.
func nearby(w *Waiver, changes []Change) string {
	var paths []string
	for _, c := range changes {
		if c.Rule == w.Rule {
			paths = append(paths, c.Path)
		}
		if c.Path == w.Path && c.Rule != w.Rule {
			return fmt.Sprintf(" (the change there is %s)", c.Rule)
		}
	}
	return odcs.Suggest(w.Path, paths)
}
