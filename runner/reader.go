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
	Version  int64  `json:"version"`
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
	step := p.Step("guard_published")
	rows, err := s.Query(ctx, step.Statements[0].SQL)
	if err != nil {
		return pin, &StepError{step.Name, step.Statements[0].Name, step.OnFailure, err}
	}
	pin.Found = propertiesOf(rows)[plan.VersionProperty]
	found, ok := plan.Major(pin.Found)
	pin.OK = ok && found == major
	if !history {
		return pin, nil
	}
	if rows, err = s.Query(ctx, step.Statements[1].SQL); err != nil {
		return pin, &StepError{step.Name, step.Statements[1].Name, step.OnFailure, err}
	}
	pin.Commits, err = written(rows)
	return pin, err
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
			out = append(out, Written{c.Version, c.Contract, c.Batch, c.Run})
		}
	}
	return out, nil
}
