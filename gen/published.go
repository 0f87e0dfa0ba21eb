package gen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

// Check derives the plan of a check: what the guard of a run reads, and then the
// contract's rules over the published table instead of a batch. One scan counts
// the row rules, the metrics and the age; keys, queries and relationships have a
// statement each. Nothing of it writes.
func Check(c *contracts.Contract, t *contracts.Table) (*plan.Plan, error) {
	p, err := Build(c, t)
	if err != nil {
		return nil, err
	}
	contract, table := published(c, t)
	v, err := newView(contract, table)
	if err != nil {
		return nil, fmt.Errorf("checking %s: %w", t.Target, err)
	}
	checks := append(v.storedChecks(), targetChecks(contract, table)...)
	for name, l := range v.lookups {
		l.OnTarget = true
		v.lookups[name] = l
	}
	s := skeleton{contract: contract, table: table}
	s.add(plan.Judge, "check_table", "the contract's rules over the published rows", "target_exists", checkStatements(contract, table)...).Checks = checks
	if lookups := publishedLookups(contract, table); len(lookups) > 0 {
		s.add(plan.Judge, "check_lookups", "published rows whose key a lookup does not have", "target_exists", lookupStatements(table)...).Checks = lookups
	}
	p.Steps = append([]plan.Step{*p.Step("guard_columns"), *p.Step("guard_published")}, s.steps...)
	p.Params = nil
	for i := range p.Steps[2:] {
		for j := range p.Steps[2+i].Statements {
			st := &p.Steps[2+i].Statements[j]
			if st.SQL, err = v.render(st.Name); err == nil {
				err = sound(p, st.SQL)
			}
			if err != nil {
				return nil, fmt.Errorf("checking %s: writing statement %s: %w", t.Target, st.Name, err)
			}
		}
	}
	return p, nil
}

// published is the contract as a promise about its published rows: what looks at
// a batch looks at the table, and what is about the batch as such (its volume,
// its rejects, its rows) is left out. The key is always looked at.
func published(c *contracts.Contract, t *contracts.Table) (*contracts.Contract, *contracts.Table) {
	contract, table := *c, *t
	table.Rules = nil
	keyed := false
	for _, r := range t.Rules {
		if !r.OnTarget && aboutBatch(r) {
			continue
		}
		rule := *r
		rule.OnTarget = true
		keyed = keyed || r.Kind == contracts.DuplicateValues && sameColumns(r.Columns, t.Key)
		table.Rules = append(table.Rules, &rule)
	}
	if !keyed {
		table.Rules = append(table.Rules, &contracts.Rule{
			ID: "primaryKey", Kind: contracts.DuplicateValues, Columns: t.Key, OnTarget: true, Dimension: "uniqueness", Owner: c.Owner,
			Compare: contracts.Comparison{Op: "mustBe", Bounds: []string{"0"}},
		})
	}
	contract.SLA = slices.Clone(c.SLA)
	for i := range contract.SLA {
		if contract.SLA[i].Table == t {
			contract.SLA[i].Table = &table
		}
	}
	return &contract, &table
}

// aboutBatch rules say nothing of a table at rest: how large a batch is, and how
// the table with it compares with the one before.
func aboutBatch(r *contracts.Rule) bool {
	switch r.Kind {
	case contracts.RowCount, contracts.RejectRatio, contracts.VolumeRatio, contracts.PartitionsUnchanged:
		return true
	case contracts.SQLRule:
		return batchDateMark.MatchString(r.Query) || publishedMark.MatchString(r.Query)
	default:
		return false
	}
}

// checkStatements are the metrics, which the row rules are among, and the rest.
func checkStatements(c *contracts.Contract, t *contracts.Table) []string {
	own := ruleStatements(c, t, true)
	if len(own) > 0 && own[0] == targetMetrics {
		return own
	}
	return append([]string{targetMetrics}, own...)
}

// storedChecks counts, for each code, the published rows that would have it, and
// judges that there is none. What several promises give one code is one count.
func (v *view) storedChecks() []plan.Check {
	var codes []string
	conditions := map[string][]string{}
	add := func(condition, code string) {
		if conditions[code] == nil {
			codes = append(codes, code)
		}
		conditions[code] = append(conditions[code], condition)
	}
	for _, c := range v.table.Columns {
		if c.Required {
			add(ident(c.Name)+" IS NULL", c.Codes.Missing)
		}
		valueCodes(c, add)
	}
	rowCodes(v.table, add)
	var out []plan.Check
	for _, code := range codes {
		condition, column := conditions[code][0], "_code_"+code // rules are named without a _ at the beginning
		if len(conditions[code]) > 1 {
			condition = "(" + strings.Join(conditions[code], ") OR (") + ")"
		}
		v.stored = append(v.stored, "count_if("+condition+") AS "+ident(column))
		out = append(out, plan.Check{
			Code: code, Rule: code, Kind: plan.CheckValue, Statement: targetMetrics, Column: column, Op: "mustBe", Bounds: []string{"0"},
			Severity: "error", Dimension: "validity", Owner: oneLine(v.contract.Owner),
		})
	}
	return out
}

// publishedLookups: a relationship that sets rows aside in a batch has let none
// of them through.
func publishedLookups(c *contracts.Contract, t *contracts.Table) []plan.Check {
	var out []plan.Check
	names := lookupNames(t)
	for _, r := range t.Relationships {
		check := plan.Check{Code: cmp.Or(r.Code, "audit_failed"), Rule: r.ID, Kind: plan.CheckLookup, Statement: names[r], Severity: "error", Dimension: "consistency", Owner: oneLine(c.Owner)}
		if r.OnViolation == contracts.WarnOnly {
			check.Severity = "warning"
		}
		out = append(out, check)
	}
	return out
}

func lookupStatements(t *contracts.Table) []string {
	var out []string
	names := lookupNames(t)
	for _, r := range t.Relationships {
		out = append(out, names[r])
	}
	return out
}
