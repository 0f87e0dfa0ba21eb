package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sluice/gen/plan"
)

// Impact is what another version of a contract would make of batches that are in
// bronze, by what a row says alone: its types and rules.
type Impact struct {
	Contract string          `json:"contract"`
	Table    string          `json:"table"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	Rows     ImpactRows      `json:"rows"`
	Changes  []ImpactChange  `json:"changes"` // the worst first
	Batches  []ImpactBatch   `json:"batches"` // as they were asked for
	Examples []ImpactExample `json:"examples"`
	Notes    []string        `json:"notes"`
}

// ImpactRows counts rows once each.
type ImpactRows struct {
	Input    int64 `json:"input"`
	Rejected int64 `json:"rejected"` // accepted before, rejected now
	Accepted int64 `json:"accepted"` // rejected before, accepted now
	Other    int64 `json:"otherReasons"`
}

// Effect is what a change of one code does to rows.
type Effect string

// The effects. A row with several codes counts for each.
const (
	Rejects Effect = "rejects" // rows that were accepted get this code
	Accepts Effect = "accepts" // rows that are accepted had this code
	Gains   Effect = "gains"   // rows that were rejected anyway get this code too
	Loses   Effect = "loses"   // rows that stay rejected lose this code
)

// ImpactChange is one code that comes or goes.
type ImpactChange struct {
	Effect  Effect   `json:"effect"`
	Code    string   `json:"code"`
	Column  string   `json:"column"` // "" = the row
	Rule    string   `json:"rule"`
	Rows    int64    `json:"rows"`
	Batches []string `json:"batches"`
}

// ImpactBatch is one batch before and after. Ceilings are the checks of the reject
// ceiling, null where the contract has none.
type ImpactBatch struct {
	Batch       string       `json:"batch"`
	Rows        int64        `json:"rows"`
	OldRejected int64        `json:"oldRejected"` // by the row's own rules
	NewRejected int64        `json:"newRejected"`
	OldCeiling  *CheckResult `json:"oldCeiling"`
	NewCeiling  *CheckResult `json:"newCeiling"`
}

// Refused reports whether the new version alone refuses the batch.
func (b ImpactBatch) Refused() bool {
	return failed(b.NewCeiling) && !failed(b.OldCeiling)
}

// Saved reports whether the old version alone refused the batch.
func (b ImpactBatch) Saved() bool { return failed(b.OldCeiling) && !failed(b.NewCeiling) }

func failed(r *CheckResult) bool { return r != nil && r.Result == "failed" }

// ImpactExample is a row whose verdict changes, as the source sent it.
type ImpactExample struct {
	Batch   string             `json:"batch"`
	Old     string             `json:"old"`
	New     string             `json:"new"`
	Gains   []string           `json:"gains"`
	Loses   []string           `json:"loses"`
	Row     map[string]*string `json:"row"`
	Columns []string           `json:"columns"` // of the row: the key, and what its codes are about
}

// ReadImpact compares two plans over batches: those that are named, else those
// that the query for the newest ones gives.
func ReadImpact(ctx context.Context, s Session, q plan.Impact, old, new *plan.Plan, named []string) (Impact, error) {
	j := impact{old: old, new: new, queries: q, named: named, recorded: map[string]map[string]int64{}}
	bind := func(sql string, batches []string) (string, error) {
		text, _, err := (&plan.Plan{Params: plan.ImpactParams()}).Bind(sql, plan.Values{"batches": batches})
		return text, err
	}
	sql, err := bind(q.Batches.SQL, named)
	if err != nil {
		return Impact{}, err
	}
	rows, err := s.Query(ctx, sql)
	switch {
	case NotFound(err):
	case err != nil:
		return Impact{}, fmt.Errorf("reading the batches of %s: %w", q.Table, err)
	default:
		if err := j.readBatches(rows); err != nil {
			return Impact{}, err
		}
	}
	if len(j.named) == 0 {
		return Impact{}, fmt.Errorf("reading the batches of %s: no run of it is recorded; name batches with --batch", q.Table)
	}
	if sql, err = bind(q.Compare.SQL, j.named); err != nil {
		return Impact{}, err
	}
	if rows, err = s.Query(ctx, sql); err != nil {
		return Impact{}, fmt.Errorf("comparing %s with %s over %d batches of %s: %w", old.Version, new.Version, len(j.named), q.Table, err)
	}
	return j.judge(rows)
}

// impact is a comparison under way.
type impact struct {
	old, new *plan.Plan
	queries  plan.Impact
	named    []string                    // batches in the order of the report
	recorded map[string]map[string]int64 // reasons of each batch's last run
	groups   []verdictGroup
}

// verdictGroup is a number of rows of one batch with the same two verdicts.
type verdictGroup struct {
	batch, old, new string
	gained, lost    []string
	rows            int64
	examples        []example
}

// example is a row as JSON, and read.
type example struct {
	text string
	row  map[string]*string
}

func (g verdictGroup) key() string {
	return strings.Join([]string{g.batch, g.old, g.new, strings.Join(g.gained, ";"), strings.Join(g.lost, ";")}, "\n")
}

// changed reports whether any code of the rows is another.
func (g verdictGroup) changed() bool { return len(g.gained)+len(g.lost) > 0 }

func (j *impact) readBatches(rows []Row) error {
	newest := len(j.named) == 0
	for _, r := range rows {
		reasons := map[string]int64{}
		if text := r.Text("reasons"); text != "" {
			if err := json.Unmarshal([]byte(text), &reasons); err != nil {
				return fmt.Errorf("reading the reasons of batch %s: %w", r.Text("batch_id"), err)
			}
		}
		j.recorded[r.Text("batch_id")] = reasons
		if newest {
			j.named = append(j.named, r.Text("batch_id"))
		}
	}
	return nil
}

func readGroup(r Row) (verdictGroup, error) {
	codes := func(name string) []string {
		if text := r.Text(name); text != "" {
			return strings.Split(text, "; ")
		}
		return []string{}
	}
	g := verdictGroup{batch: r.Text("batch_id"), old: r.Text("old_verdict"), new: r.Text("new_verdict"), gained: codes("gained"), lost: codes("lost")}
	var err error
	if g.rows, err = r.Number("rows"); err != nil {
		return g, err
	}
	if text := r.Text("example"); text != "" {
		one := example{text: text}
		err = json.Unmarshal([]byte(text), &one.row)
		g.examples = []example{one}
	}
	return g, err
}

// readGroups puts the places of one pair of verdicts together, the worst pair first.
func (j *impact) readGroups(rows []Row) error {
	at := map[string]int{}
	for _, r := range rows {
		g, err := readGroup(r)
		if err != nil {
			return err
		}
		if i, there := at[g.key()]; there {
			j.groups[i].rows += g.rows
			j.groups[i].examples = append(j.groups[i].examples, g.examples...)
			continue
		}
		at[g.key()] = len(j.groups)
		j.groups = append(j.groups, g)
	}
	for _, g := range j.groups {
		slices.SortFunc(g.examples, func(a, b example) int { return strings.Compare(a.text, b.text) })
	}
	slices.SortStableFunc(j.groups, worse)
	return nil
}

// judge sums the groups, which Spark has counted.
func (j *impact) judge(rows []Row) (Impact, error) {
	out := Impact{
		Contract: j.new.Contract, Table: j.queries.Table, From: j.old.Version, To: j.new.Version,
		Changes: []ImpactChange{}, Batches: []ImpactBatch{}, Examples: []ImpactExample{}, Notes: []string{},
	}
	if err := j.readGroups(rows); err != nil {
		return out, fmt.Errorf("reading the comparison of %s: %w", j.queries.Table, err)
	}
	for _, g := range j.groups {
		out.Rows.add(g)
	}
	out.Changes = j.changes()
	out.Examples = j.examples()
	for _, batch := range j.named {
		if b := j.batch(batch); b.Rows > 0 {
			out.Batches = append(out.Batches, b)
		} else {
			out.Notes = append(out.Notes, fmt.Sprintf("batch %s has no row in bronze", batch))
		}
	}
	out.Notes = append(out.Notes, j.notes(len(rows))...)
	return out, nil
}

func (r *ImpactRows) add(g verdictGroup) {
	r.Input += g.rows
	switch {
	case g.old == accepted && g.new != accepted:
		r.Rejected += g.rows
	case g.old != accepted && g.new == accepted:
		r.Accepted += g.rows
	case g.changed():
		r.Other += g.rows
	}
}

// accepted is the verdict of a row without a code.
const accepted = "accepted"
