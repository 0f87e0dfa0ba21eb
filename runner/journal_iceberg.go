package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sluice/gen/plan"
)

// readSnapshots is ReadJournal for Iceberg. A snapshot id is never given twice,
// so that it joins runs and commits by itself; stamps are only there on some
// runtimes.
func readSnapshots(ctx context.Context, s Session, h plan.History, o JournalOptions) (Journal, error) {
	if err := s.Exec(ctx, h.Refresh.SQL); err != nil {
		return Journal{}, fmt.Errorf("reading the snapshots of %s: %w", h.Table, err)
	}
	rows, err := s.Query(ctx, h.Commits.SQL)
	if err != nil {
		return Journal{}, fmt.Errorf("reading the snapshots of %s: %w", h.Table, err)
	}
	all, err := readLineage(rows)
	if err != nil {
		return Journal{}, err
	}
	ids := []string{}
	for _, one := range all {
		ids = append(ids, one.text())
	}
	runs, err := runsOf(ctx, s, h, plan.Values{"snapshots": ids})
	if err != nil {
		return Journal{}, err
	}
	return snapshotJournal(h, all, runs, o)
}

// tracing is main's lineage while runs are matched with it.
type tracing struct {
	replaces bool
	chain    []snapshot
	place    map[string]int // in chain, by id
	shown    map[string]bool
	runs     map[string]string // recorded snapshot by run
	whole    bool
}

func snapshotJournal(h plan.History, all []snapshot, runs []Row, o JournalOptions) (Journal, error) {
	t := tracing{replaces: h.Replaces, place: map[string]int{}, shown: map[string]bool{}, runs: map[string]string{}}
	t.chain, t.whole = lineage(all)
	j := Journal{Table: h.Table, Oldest: -1, More: !t.whole}
	for i, s := range t.chain {
		t.place[s.text()] = i
		j.Last = s.text()
	}
	entries := make([]Entry, 0, len(runs)+len(t.chain))
	for _, r := range runs {
		e, err := entryOfRun(r)
		if err != nil {
			return j, fmt.Errorf("reading the runs of %s: %w", h.Table, err)
		}
		if e.Commit != nil {
			t.runs[e.Run] = e.Commit.Snapshot
			t.join(&e, r.Text("partition") != "")
		}
		entries = append(entries, e)
	}
	for i := range t.chain { // newest first: what a run wrote is known before the delete below it
		if e, tell := t.entry(i, o.Quiet); tell {
			entries = append(entries, e)
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(b.micros, a.micros) })
	j.Entries = entries[:min(len(entries), o.Entries)]
	return j, nil
}

// join completes the snapshot of a run from main's lineage. A run that replaced
// a partition made two: what was deleted stands below what was appended, and no
// runtime stamps a DELETE that only drops files.
func (t *tracing) join(e *Entry, replaced bool) {
	i, found := t.place[e.Commit.Snapshot]
	if !found {
		if t.whole || len(t.chain) > 0 && e.micros > t.chain[len(t.chain)-1].Micros {
			e.Mark, e.Why = Lost, "main does not stand on this snapshot any more: it was rolled back, or the table was created anew"
		}
		return
	}
	s := t.chain[i]
	e.Commit.Operation, e.Commit.UserMetadata = s.Operation, s.UserMetadata
	t.shown[s.text()] = true
	if replaced {
		t.showBelow(i)
	}
}

func (t *tracing) showBelow(i int) {
	if s := t.chain[i]; s.Operation == "append" && i+1 < len(t.chain) && t.chain[i+1].removes() {
		t.shown[t.chain[i+1].text()] = true
	}
}

// entry is a snapshot of main that no recorded run made.
func (t *tracing) entry(i int, quiet bool) (e Entry, tell bool) {
	s := t.chain[i]
	if t.shown[s.text()] || !quiet && !s.changesRows() {
		return e, false
	}
	e = Entry{
		When: moment(s.Micros), Migration: s.Migration, Batch: s.Batch, Run: s.Run, Contract: s.Contract, micros: s.Micros,
		Commit: &TableCommit{Snapshot: s.text(), Operation: s.Operation, UserMetadata: s.UserMetadata},
	}
	batch, run, pinned := pinOf(s.Pin)
	if pinned && e.Run == "" {
		e.Batch, e.Run = batch, run
	}
	recorded, known := t.runs[e.Run]
	switch {
	case !s.changesRows(), s.Migration:
	case e.Run == "":
		e.Mark, e.Why = Stray, "no run of sluice wrote this"
	case known && recorded != s.text():
		e.Mark, e.Why = Stray, "it carries the stamp of a run whose snapshot is "+recorded
	default:
		e.Mark, e.Why = Unrecorded, "no audit row has this run id; run its batch again, which records it"
		if t.replaces {
			t.showBelow(i)
		}
	}
	return e, true
}
