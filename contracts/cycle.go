package contracts

import (
	"slices"
	"strings"

	"sluice/contracts/odcs"
)

// wait is a failBatch relationship to a published table: batches of one table
// need the rows of another.
type wait struct {
	to           *Table
	relationship *Relationship
}

// cycles reports published tables that wait for each other, or for themselves:
// their first batches could never pass, whatever order they run in.
func cycles(report *odcs.Report, contracts []*Contract, places map[*Table]*odcs.Node) {
	tables, waits := waiting(contracts)
	circle := circles(tables, waits)
	told := map[int]bool{}
	for _, t := range tables {
		for _, w := range waits[t] {
			if circle[t] != circle[w.to] || told[circle[t]] {
				continue
			}
			told[circle[t]] = true
			var names []string
			for _, one := range append([]*Table{t}, route(waits, w.to, t)...) {
				names = append(names, one.Name)
			}
			at := &odcs.Node{Pos: w.relationship.Position, Path: places[t].Path}
			at.Report(report, "relationship-cycle", "no first batch could pass, since each table waits for the next: %s; give one of these relationships onViolation warn or quarantine", strings.Join(names, " -> "))
		}
	}
}

func waiting(contracts []*Contract) ([]*Table, map[*Table][]wait) {
	var tables []*Table
	published := map[string]*Table{}
	for _, c := range contracts {
		for _, t := range c.Published() {
			tables = append(tables, t)
			published[strings.ToLower(t.Target.SQL())] = t
		}
	}
	waits := map[*Table][]wait{}
	for _, t := range tables {
		for _, r := range t.Relationships {
			if to := published[strings.ToLower(r.Table.SQL())]; to != nil && r.Table != nil && r.OnViolation == FailBatch {
				waits[t] = append(waits[t], wait{to, r})
			}
		}
	}
	return tables, waits
}

// circles numbers the tables so that two have one number exactly when each
// waits for the other in the end (Tarjan's strongly connected components, which
// a file with thousands of tables does not slow down).
func circles(tables []*Table, waits map[*Table][]wait) map[*Table]int {
	found := map[*Table]int{}
	order, low := map[*Table]int{}, map[*Table]int{}
	var open []*Table
	var visit func(t *Table)
	visit = func(t *Table) {
		order[t] = len(order) + 1
		low[t] = order[t]
		open = append(open, t)
		for _, w := range waits[t] {
			if order[w.to] == 0 {
				visit(w.to)
				low[t] = min(low[t], low[w.to])
			} else if found[w.to] == 0 {
				low[t] = min(low[t], order[w.to])
			}
		}
		if low[t] != order[t] {
			return
		}
		start := slices.Index(open, t)
		for _, member := range open[start:] {
			found[member] = order[t]
		}
		open = open[:start]
	}
	for _, t := range tables {
		if order[t] == 0 {
			visit(t)
		}
	}
	return found
}

// route is the tables from one to another, both included, along the waits.
func route(waits map[*Table][]wait, from, to *Table) []*Table {
	before := map[*Table]*Table{from: nil}
	for queue := []*Table{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			break
		}
		for _, w := range waits[queue[0]] {
			if _, seen := before[w.to]; !seen {
				before[w.to] = queue[0]
				queue = append(queue, w.to)
			}
		}
	}
	var out []*Table
	for t := to; t != nil; t = before[t] {
		out = append(out, t)
	}
	slices.Reverse(out)
	return out
}
