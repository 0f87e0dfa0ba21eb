package gen

import (
	"math/big"
	"strconv"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

func sameColumns(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	in := map[string]bool{}
	for _, c := range a {
		in[strings.ToLower(c)] = true
	}
	for _, c := range b {
		if !in[strings.ToLower(c)] {
			return false
		}
	}
	return true
}

// ruleChecks are the contract's rules in file order. In write-audit-publish the
// rules over rows are judged on the branch instead.
func ruleChecks(c *contracts.Contract, t *contracts.Table, wap bool) []plan.Check {
	var out []plan.Check
	if !emptyJudged(t) {
		out = append(out, plan.Check{
			Code: "empty_batch", Rule: "empty_batch", Kind: plan.CheckRowCount, Op: "mustBeGreaterThan", Bounds: []string{"0"},
			Severity: "error", Dimension: "coverage", Owner: oneLine(c.Owner),
		})
	}
	at := places(t)
	for _, r := range t.Rules {
		if r.OnTarget {
			continue
		}
		check := ruleCheck(t, r, at[r])
		if !wap || check.Kind == plan.CheckRowCount || check.Kind == plan.CheckCeiling || check.Kind == plan.CheckVolume {
			out = append(out, check)
		}
	}
	if t.Dedup.FailOnTie {
		out = append(out, plan.Check{
			Code: "audit_failed", Rule: "onConflictingTie", Kind: plan.CheckReason, Op: "ambiguous_duplicate",
			Severity: "error", Dimension: "uniqueness", Owner: oneLine(c.Owner),
		})
	}
	return out
}

// emptyJudged reports whether the contract itself says what an empty batch
// means: a rowCount rule that refuses it, that only warns, or whose lower bound
// lets it pass. Any other batch without a row is refused (design section 2).
func emptyJudged(t *contracts.Table) bool {
	for _, r := range t.Rules {
		if r.Kind == contracts.RowCount && !r.OnTarget && (r.Warn || refusesEmpty(r.Compare) || allowsEmpty(r.Compare)) {
			return true
		}
	}
	return false
}

// candidateChecks are the rules that look at rows, for the branch.
func candidateChecks(t *contracts.Table) []plan.Check {
	var out []plan.Check
	at := places(t)
	for _, r := range t.Rules {
		if c := ruleCheck(t, r, at[r]); !r.OnTarget && (c.Kind == plan.CheckValue || c.Kind == plan.CheckShare || c.Kind == plan.CheckKey || r.Kind == contracts.PartitionsUnchanged) {
			out = append(out, c)
		}
	}
	return out
}

// targetChecks are the rules over the published table, and how fresh it is.
func targetChecks(c *contracts.Contract, t *contracts.Table) []plan.Check {
	var out []plan.Check
	at := places(t)
	for _, r := range t.Rules {
		if r.OnTarget {
			check := ruleCheck(t, r, at[r])
			check.Code = "target_rule"
			out = append(out, check)
		}
	}
	for i, f := range c.Freshness(t) {
		out = append(out, plan.Check{
			Code: "freshness", Rule: "freshness_" + f.Column, Kind: plan.CheckAge, Statement: targetMetrics, Column: ageColumn(i), Op: "mustBeLessOrEqualTo",
			Bounds: []string{strconv.FormatInt(f.Seconds, 10)}, Severity: "warning", Dimension: "timeliness", Owner: oneLine(c.Owner),
		})
	}
	return out
}

func ruleCheck(t *contracts.Table, r *contracts.Rule, at place) plan.Check {
	c := plan.Check{Code: "audit_failed", Rule: r.ID, Kind: plan.CheckValue, Statement: at.statement, Column: at.column, Op: r.Compare.Op, Bounds: r.Compare.Bounds, Severity: "error", Dimension: r.Dimension, Owner: oneLine(r.Owner)}
	if r.Warn {
		c.Severity = "warning"
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch r.Kind {
	case contracts.RowCount:
		if r.OnTarget {
			return c
		}
		c.Kind = plan.CheckRowCount
		if refusesEmpty(r.Compare) {
			c.Code = "empty_batch"
		}
	case contracts.DuplicateValues:
		if c.Statement == "" {
			c.Kind = plan.CheckKey
		}
	case contracts.RejectRatio:
		c.Kind, c.Code, c.Bounds = plan.CheckCeiling, "reject_ceiling", []string{number(r.MaxPercent)}
	case contracts.VolumeRatio:
		c.Kind, c.Code, c.Bounds = plan.CheckVolume, "volume_out_of_range", []string{number(r.MinRatio), number(r.MaxRatio)}
	case contracts.NullValues, contracts.MissingValues, contracts.InvalidValues:
		if r.Percent {
			c.Kind = plan.CheckShare
		}
	case contracts.PartitionsUnchanged:
		c.Kind, c.Statement = plan.CheckFact, "prove_partitions"
	case contracts.SQLRule, contracts.RowExpression:
	}
	return segmentCheck(t, r, c)
}

func refusesEmpty(c contracts.Comparison) bool {
	switch c.Op {
	case "mustBeGreaterThan", "mustNotBe":
		return c.Bounds[0] == "0"
	case "mustBeGreaterOrEqualTo":
		return c.Bounds[0] == "1"
	default:
		return false
	}
}

// allowsEmpty: the author drew a lower bound and zero is not below it.
func allowsEmpty(c contracts.Comparison) bool {
	least, ok := new(big.Rat).SetString(c.Bounds[0])
	if !ok {
		return false
	}
	switch c.Op {
	case "mustBe":
		return least.Sign() == 0
	case "mustBeGreaterThan":
		return least.Sign() < 0
	case "mustBeGreaterOrEqualTo", "mustBeBetween":
		return least.Sign() <= 0
	default:
		return false
	}
}

func lookupChecks(c *contracts.Contract, t *contracts.Table) []plan.Check {
	var out []plan.Check
	names := lookupNames(t)
	for _, r := range t.Relationships {
		check := plan.Check{Code: "audit_failed", Rule: r.ID, Kind: plan.CheckLookup, Statement: names[r], Severity: "error", Dimension: "consistency", Owner: oneLine(c.Owner)}
		if r.OnViolation == contracts.WarnOnly {
			check.Severity = "warning"
		}
		if r.OnViolation != contracts.QuarantineRows {
			out = append(out, check)
		}
		check.Kind, check.Code, check.Severity = plan.CheckLookupOnce, "rows_not_conserved", "error"
		out = append(out, check)
	}
	return out
}

// proofs are what write-audit-publish proves whatever the contract says. Each is
// decided by the run protocol from the numbers of its statement.
func proofs(t *contracts.Table) []plan.Check {
	all := []struct{ rule, statement string }{
		{plan.ProofChain, "prove_chain"},
		{plan.ProofRows, "prove_rows"},
		{plan.ProofKeys, "prove_keys"},
		{plan.ProofPartitions, "prove_partitions"},
	}
	if !t.ReplacesPartition() {
		all = all[:len(all)-1]
	}
	var out []plan.Check
	for _, p := range all {
		out = append(out, plan.Check{Code: "rows_not_conserved", Rule: p.rule, Kind: plan.CheckFact, Statement: p.statement, Severity: "error"})
	}
	return out
}

// partitionChecks are what refuses to replace a partition by less or by older
// rows than it has.
func partitionChecks(c *contracts.Contract, t *contracts.Table) []plan.Check {
	if !t.ReplacesPartition() {
		return nil
	}
	var out []plan.Check
	for _, code := range []string{plan.NothingAccepted, plan.PartitionShrinks, plan.OlderDelivery} {
		out = append(out, plan.Check{Code: code, Rule: code, Kind: plan.CheckFact, Statement: "settle_scope", Severity: "error", Dimension: "coverage", Owner: oneLine(c.Owner)})
	}
	return out
}
