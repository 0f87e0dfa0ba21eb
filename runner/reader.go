package runner

import (
	"context"
	"fmt"

	"sluice/gen/plan"
)

// Pin is what a reader finds that was written for one major version of a contract.
type Pin struct {
	Table   string    `json:"table"`
	Expects string    `json:"expects"` // 2.x
	Found   string    `json:"found"`   // contract.version, "" where the table has none
	OK      bool      `json:"ok"`
	Commits []Written `json:"commits,omitempty"`
}

// Written is a commit of a run, and the contract that it was made by.
type Written struct {
	Version  int64  `json:"version"` // 0 on Iceberg
	Snapshot string `json:"snapshot,omitempty"`
	Contract string `json:"contract"`
	Batch    string `json:"batch"`
	Run      string `json:"run"`
}

// CheckPin reads contract.version of the published table and compares its major
// version. The property alone decides: a migration sets it before the writer
// ships, so that the newest commits may still be of the old version. They are
// only read with history.
func CheckPin(ctx context.Context, s Session, p *plan.Plan, major int, history bool) (Pin, error) {
	pin := Pin{Table: p.Table, Expects: fmt.Sprintf("%d.x", major)}
	rows, err := publishedBy(ctx, s, p, "guard_properties")
	if err != nil {
		return pin, err
	}
	pin.Found = propertiesOf(rows)[plan.VersionProperty]
	found, ok := plan.Major(pin.Found)
	pin.OK = ok && found == major
	if !history {
		return pin, nil
	}
	if rows, err = publishedBy(ctx, s, p, "guard_history"); err != nil {
		return pin, err
	}
	pin.Commits, err = written(rows)
	return pin, err
}

// publishedBy runs one statement of the guard on the published table.
func publishedBy(ctx context.Context, s Session, p *plan.Plan, name string) ([]Row, error) {
	step := p.Step("guard_published")
	for _, one := range step.Statements {
		if one.Name != name {
			continue
		}
		rows, err := s.Query(ctx, one.SQL)
		if err != nil {
			return nil, &StepError{step.Name, name, step.OnFailure, err}
		}
		return rows, nil
	}
	return nil, fmt.Errorf("reading %s of %s: the plan has no such statement", name, p.Table)
}

// newestWritten is how many commits show a reader what came last.
const newestWritten = 20

// WrittenSnapshots are the newest snapshots of runs: what CheckPin shows with
// history, for Iceberg.
func WrittenSnapshots(ctx context.Context, s Session, h plan.History) ([]Written, error) {
	j, err := ReadJournal(ctx, s, h, JournalOptions{Entries: newestWritten})
	var out []Written
	for _, e := range j.Entries {
		if e.Commit != nil && e.Run != "" && e.Mark != Stray && e.Mark != Lost {
			out = append(out, Written{Snapshot: e.Commit.Snapshot, Contract: e.Contract, Batch: e.Batch, Run: e.Run})
		}
	}
	return out, err
}

// Text says what was expected and what is there.
func (p Pin) Text() string {
	found := p.Found
	if found == "" {
		found = "no " + plan.VersionProperty
	}
	return fmt.Sprintf("expects %s contract %s, found %s", p.Table, p.Expects, found)
}

func written(rows []Row) ([]Written, error) {
	commits, err := history(rows)
	if err != nil {
		return nil, err
	}
	var out []Written
	for _, c := range commits {
		if c.Run != "" {
			out = append(out, Written{Version: c.Version, Contract: c.Contract, Batch: c.Batch, Run: c.Run})
		}
	}
	return out, nil
}
