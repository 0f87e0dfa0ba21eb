package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sluice/gen/plan"
)

// counts is what the audit aggregate says of one run's staged rows.
type counts struct {
	Rows, Accepted int64
	WrongPartition int64            // accepted rows of another partition than the run replaces
	Reasons        map[string]int64 // rows by first code
	Filled         map[string]int64 // rows with a value, by column
	Hash           string           // rows:high:low, free of order
}

// readAudit adds up the aggregate's few result rows, one for each first code.
func readAudit(p *plan.Plan, rows []Row) (counts, error) {
	c := counts{Reasons: map[string]int64{}, Filled: map[string]int64{}}
	var high, low int64
	for _, r := range rows {
		n, err := r.Number("rows")
		if err != nil {
			return c, err
		}
		c.Rows += n
		if verdict := r.Text("verdict"); verdict == "accepted" {
			c.Accepted += n
			c.WrongPartition, _ = r["wrong_partition"].(int64)
		} else {
			c.Reasons[verdict] += n
		}
		for _, column := range p.Columns {
			filled, err := r.Number("filled_" + column)
			if err != nil {
				return c, err
			}
			c.Filled[column] += filled
		}
		h, err := r.Number("hash_high")
		if err != nil {
			return c, err
		}
		l, err := r.Number("hash_low")
		if err != nil {
			return c, err
		}
		high, low = high+h, low+l
	}
	c.Hash = fmt.Sprintf("%d:%d:%d", c.Rows, high, low)
	return c, nil
}

// stage counts the source, then writes every row of it to staging.
func (a *attempt) stage(ctx context.Context) error {
	out, err := a.step(ctx, "stage")
	if err != nil {
		return err
	}
	rows := out["stage_input"]
	if len(rows) != 1 {
		return fmt.Errorf("counting the source: %d rows came back, not one", len(rows))
	}
	a.facts.Input, err = rows[0].Number("rows")
	a.report.Rows.Input = a.facts.Input
	return err
}

func (a *attempt) audit(ctx context.Context) error {
	out, err := a.step(ctx, "audit")
	if err != nil {
		return err
	}
	if a.staged, err = readAudit(a.plan, out["audit"]); err != nil {
		return fmt.Errorf("reading the audit of staging: %w", err)
	}
	a.contentValues()
	judgeable := a.staged.Rows - a.staged.Reasons["malformed_row"] - a.staged.Reasons["header_row"]
	for _, column := range a.plan.Required {
		if judgeable > 0 && a.staged.Filled[column] == 0 {
			a.numbers["columns_without_value"]++
		}
	}
	a.vanished(judgeable)
	if out, err = a.step(ctx, "audit_missing"); err != nil || out == nil {
		return err
	}
	return a.readMissing(out["audit_missing"])
}

// vanished warns of optional columns that are empty in the whole batch although
// earlier batches had values: nothing else would show a column that the feed lost.
func (a *attempt) vanished(judgeable int64) {
	for _, column := range a.plan.Columns {
		if judgeable > 0 && a.staged.Filled[column] == 0 && a.valuedColumns[column] && !slices.Contains(a.plan.Required, column) {
			a.warning(warnVanished, 1)
			a.note(fmt.Sprintf("column_vanished: column %q has no value in the whole batch, earlier batches had some.%s", column, a.unreadColumns()))
		}
	}
}

// readMissing finds required columns whose source text is missing in every
// row. A column of texts that cannot be read is another matter: the ceiling's.
func (a *attempt) readMissing(rows []Row) error {
	if len(rows) != 1 {
		return fmt.Errorf("counting missing texts: %d rows came back, not one", len(rows))
	}
	for _, column := range a.plan.Required {
		if a.staged.Filled[column] != 0 {
			continue
		}
		texts, err := rows[0].Number("filled_" + column)
		if err != nil {
			return err
		}
		if texts == 0 {
			a.allNull = append(a.allNull, column)
		}
	}
	return nil
}

// sourceColumns is the list that the batch hash covers, as it is stored.
func (a *attempt) sourceColumns() string {
	columns := slices.Clone(a.plan.SourceRead)
	slices.Sort(columns)
	return strings.Join(columns, ",")
}
