package runner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sluice/gen/plan"
)

// worse orders groups: newly rejected rows first, then by rows.
func worse(a, b verdictGroup) int {
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.rows, a.rows), cmp.Compare(a.batch, b.batch), cmp.Compare(a.old+a.new, b.old+b.new))
}

func (g verdictGroup) rank() int {
	switch {
	case !g.changed():
		return 3
	case g.old == accepted:
		return 0
	case g.new == accepted:
		return 1
	default:
		return 2
	}
}

// effects are what coming and going codes do to the rows of the group.
func (g verdictGroup) effects() (gained, lost Effect) {
	gained, lost = Gains, Loses
	if g.old == accepted {
		gained = Rejects
	}
	if g.new == accepted {
		lost = Accepts
	}
	return gained, lost
}

var effectOrder = []Effect{Rejects, Accepts, Gains, Loses}

// changes are the codes that come or go, the worst effect and most rows first.
func (j *impact) changes() []ImpactChange {
	type key struct {
		effect Effect
		code   string
	}
	found := map[key]*ImpactChange{}
	out := []*ImpactChange{}
	count := func(effect Effect, codes []string, g verdictGroup) {
		for _, code := range codes {
			c := found[key{effect, code}]
			if c == nil {
				origin := j.queries.Origins[code]
				c = &ImpactChange{Effect: effect, Code: code, Column: origin.Column, Rule: origin.Rule}
				found[key{effect, code}] = c
				out = append(out, c)
			}
			c.Rows += g.rows
			if !slices.Contains(c.Batches, g.batch) {
				c.Batches = append(c.Batches, g.batch)
			}
		}
	}
	for _, g := range j.groups {
		gained, lost := g.effects()
		count(gained, g.gained, g)
		count(lost, g.lost, g)
	}
	slices.SortStableFunc(out, func(a, b *ImpactChange) int {
		return cmp.Or(cmp.Compare(slices.Index(effectOrder, a.Effect), slices.Index(effectOrder, b.Effect)), cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Code, b.Code))
	})
	list := make([]ImpactChange, len(out))
	for i, c := range out {
		slices.Sort(c.Batches)
		list[i] = *c
	}
	return list
}

// examples are rows of the largest groups, first of different codes.
func (j *impact) examples() []ImpactExample {
	out := []ImpactExample{}
	used := make([]int, len(j.groups))
	take := func(i int) {
		g := j.groups[i]
		if len(out) < plan.MostExamples && used[i] < len(g.examples) {
			row := g.examples[used[i]].row
			out = append(out, ImpactExample{Batch: g.batch, Old: g.old, New: g.new, Gains: g.gained, Loses: g.lost, Row: row, Columns: j.about(g, row)})
			used[i]++
		}
	}
	seen := map[string]bool{}
	for i, g := range j.groups {
		if codes := strings.Join(g.gained, ";") + "/" + strings.Join(g.lost, ";"); !seen[codes] {
			seen[codes] = true
			take(i)
		}
	}
	for round := range plan.MostExamples {
		for i := range j.groups {
			if used[i] <= round {
				take(i)
			}
		}
	}
	return out
}

// about are the source columns that tell a reader of an example why. A
// rule over several columns names none, so that all are shown.
func (j *impact) about(g verdictGroup, row map[string]*string) []string {
	out := slices.Clone(j.queries.Key)
	for _, code := range slices.Concat(g.gained, g.lost) {
		sources := j.queries.Origins[code].Sources
		if len(sources) == 0 {
			return slices.Sorted(maps.Keys(row))
		}
		for _, s := range sources {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// batch judges one batch by both versions.
func (j *impact) batch(id string) ImpactBatch {
	b := ImpactBatch{Batch: id}
	oldReasons, newReasons := map[string]int64{}, map[string]int64{}
	for _, g := range j.groups {
		if g.batch != id {
			continue
		}
		b.Rows += g.rows
		if g.old != accepted {
			oldReasons[g.old] += g.rows
			b.OldRejected += g.rows
		}
		if g.new != accepted {
			newReasons[g.new] += g.rows
			b.NewRejected += g.rows
		}
	}
	b.OldCeiling = j.ceiling(j.old, b, oldReasons)
	b.NewCeiling = j.ceiling(j.new, b, newReasons)
	return b
}

// ceiling judges the reject ceiling of a version. Verdicts that need other rows
// are taken as the batch's last run recorded them.
func (j *impact) ceiling(p *plan.Plan, b ImpactBatch, reasons map[string]int64) *CheckResult {
	step := p.Step("judge")
	if step == nil {
		return nil
	}
	i := slices.IndexFunc(step.Checks, func(c plan.Check) bool { return c.Kind == plan.CheckCeiling && len(c.By) == 0 })
	if i < 0 {
		return nil
	}
	for code, n := range j.recorded[b.Batch] {
		if _, own := j.queries.Origins[code]; !own {
			reasons[code] += n
		}
	}
	f := Facts{Input: b.Rows}
	f.countDirt(reasons, p.NotDirt)
	r := Judge(step.Checks[i], f)
	return &r
}

// notes say what the comparison does not see.
func (j *impact) notes(groups int) []string {
	out := []string{}
	if len(j.queries.Absent) > 0 {
		out = append(out, fmt.Sprintf("bronze has no column %s; it is read as NULL, and a run refuses the batch (missing_source_column) until the feed brings it", strings.Join(j.queries.Absent, ", ")))
	}
	if groups == plan.MostVerdicts {
		out = append(out, fmt.Sprintf("the rows have more than %d pairs of verdicts; what is beyond is not counted", groups))
	}
	if slices.ContainsFunc([]*plan.Plan{j.old, j.new}, func(p *plan.Plan) bool { return len(p.Groupings) > 0 }) {
		out = append(out, "rules by segment are not judged")
	}
	return append(out, "compared is what a row says alone; duplicates, lookups and late rows count as the last run of the batch recorded them")
}
