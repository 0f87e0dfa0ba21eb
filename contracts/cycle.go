package contracts

import (
	"strings"

	"sluice/contracts/odcs"
)

// wait is a failBatch relationship between two published tables: the batches of
// one table need the rows of the other.
type wait struct {
	from, to     *Table
	relationship *Relationship
}

// cycles reports published tables that wait for each other, or for themselves:
// their first batches could never pass, whatever order they run in.
func cycles(contracts []*Contract, places map[*Table]*odcs.Node) Problems {
	report := &odcs.Report{}
	waits := waiting(contracts)
	told := map[*Table]bool{}
	for _, w := range waits {
		if told[w.from] {
			continue
		}
		way := route(waits, w.to, w.from)
		if way == nil {
			continue
		}
		var names []string
		for _, t := range append([]*Table{w.from}, way...) {
			told[t] = true
			names = append(names, t.Name)
		}
		at := &odcs.Node{Pos: w.relationship.Position, Path: places[w.from].Path}
		at.Report(report, "relationship-cycle", "no first batch could pass, since each table waits for the next: %s; give one of these relationships onViolation warn or quarantine", strings.Join(names, " -> "))
	}
	return report.Problems()
}

func waiting(contracts []*Contract) []wait {
	published := map[string]*Table{}
	for _, c := range contracts {
		for _, t := range c.Published() {
			published[strings.ToLower(t.Target.SQL())] = t
		}
	}
	var out []wait
	for _, c := range contracts {
		for _, t := range c.Published() {
			for _, r := range t.Relationships {
				if to := published[strings.ToLower(r.Table.SQL())]; to != nil && r.Table != nil && r.OnViolation == FailBatch {
					out = append(out, wait{t, to, r})
				}
			}
		}
	}
	return out
}

// route is the tables from one to another, both included, along the waits; nil
// when there is no way.
func route(waits []wait, from, to *Table) []*Table {
	before := map[*Table]*Table{from: nil}
	for queue := []*Table{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == to {
			var out []*Table
			for t := to; t != nil; t = before[t] {
				out = append([]*Table{t}, out...)
			}
			return out
		}
		for _, w := range waits {
			if _, seen := before[w.to]; w.from == at && !seen {
				before[w.to] = at
				queue = append(queue, w.to)
			}
		}
	}
	return nil
}
