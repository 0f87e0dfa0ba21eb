package gen

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

func ident(name string) string { return sparksql.Ident(name) }
func lit(text string) string   { return sparksql.String(text) }

// oneLine makes contract text safe inside a comment or a setting: no line
// break can end the comment, no control character hides text.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }), " ")
}

var plain = regexp.MustCompile(`[^a-z0-9]+`)

// slug is a lower-case word for statement and constraint names.
func slug(text string) string {
	return strings.Trim(plain.ReplaceAllString(strings.ToLower(text), "_"), "_")
}

func lookupStatement(r *contracts.Relationship) string {
	return "lookup_" + slug(strings.Join(r.Columns, "_"))
}

func schemaStatement(n sparksql.Name) string { return "ensure_schema_" + slug(n.String()) }

// schemas are the distinct schemas of the tables that ensure creates.
func schemas(t *contracts.Table) []sparksql.Name {
	var out []sparksql.Name
	seen := map[string]bool{}
	for _, n := range []sparksql.Name{t.Target, t.Staging, t.Verdict, t.Quarantine, t.AuditLog} {
		if s := n.Schema(); len(s) > 0 && !seen[s.String()] {
			seen[s.String()] = true
			out = append(out, s)
		}
	}
	return out
}

// ruleStatements names the statements of rules that need one.
func ruleStatements(t *contracts.Table) []string {
	var out []string
	for _, r := range t.Rules {
		if needsStatement(t, r) {
			out = append(out, "rule_"+slug(r.ID))
		}
	}
	return out
}

func needsStatement(t *contracts.Table, r *contracts.Rule) bool {
	switch r.Kind {
	case contracts.SQLRule:
		return true
	case contracts.DuplicateValues:
		return !sameColumns(r.Columns, t.Key)
	case contracts.RowCount, contracts.RejectRatio, contracts.VolumeRatio:
		return false
	default:
		return false
	}
}

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

// ruleChecks are the contract's rules in file order; an empty batch is refused
// even if no rule says so. In write-audit-publish the rules over rows are
// judged on the branch instead.
func ruleChecks(c *contracts.Contract, t *contracts.Table, wap bool) []plan.Check {
	var out []plan.Check
	counted := false
	for _, r := range t.Rules {
		check := ruleCheck(t, r)
		counted = counted || r.Kind == contracts.RowCount
		if !wap || check.Kind == plan.CheckRowCount || check.Kind == plan.CheckCeiling || check.Kind == plan.CheckVolume {
			out = append(out, check)
		}
	}
	if t.Dedup.FailOnTie {
		out = append(out, plan.Check{Code: "audit_failed", Rule: "onConflictingTie", Kind: plan.CheckReason, Op: "ambiguous_duplicate", Severity: "error", Dimension: "uniqueness", Owner: oneLine(c.Owner)})
	}
	if !counted {
		out = append([]plan.Check{{Code: "empty_batch", Rule: "empty_batch", Kind: plan.CheckRowCount, Op: "mustBeGreaterThan", Bounds: []string{"0"}, Severity: "error", Dimension: "coverage", Owner: oneLine(c.Owner)}}, out...)
	}
	return out
}

// candidateChecks are the rules that look at rows, for the branch.
func candidateChecks(_ *contracts.Contract, t *contracts.Table) []plan.Check {
	var out []plan.Check
	for _, r := range t.Rules {
		if c := ruleCheck(t, r); c.Kind == plan.CheckValue || c.Kind == plan.CheckKey {
			out = append(out, c)
		}
	}
	return out
}

func ruleCheck(t *contracts.Table, r *contracts.Rule) plan.Check {
	c := plan.Check{Code: "audit_failed", Rule: r.ID, Kind: plan.CheckValue, Op: r.Compare.Op, Bounds: r.Compare.Bounds, Severity: "error", Dimension: r.Dimension, Owner: oneLine(r.Owner)}
	if r.Warn {
		c.Severity = "warning"
	}
	if needsStatement(t, r) {
		c.Statement = "rule_" + slug(r.ID)
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch r.Kind {
	case contracts.RowCount:
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
	case contracts.SQLRule:
	}
	return c
}

func refusesEmpty(c contracts.Comparison) bool {
	return c.Op == "mustBeGreaterThan" && c.Bounds[0] == "0" || c.Op == "mustBeGreaterOrEqualTo" && c.Bounds[0] == "1"
}

func lookupChecks(c *contracts.Contract, t *contracts.Table) []plan.Check {
	var out []plan.Check
	for _, r := range t.Relationships {
		check := plan.Check{Code: "audit_failed", Rule: r.ID, Kind: plan.CheckLookup, Statement: lookupStatement(r), Severity: "error", Dimension: "consistency", Owner: oneLine(c.Owner)}
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

// proofs are what write-audit-publish proves whatever the contract says.
func proofs() []plan.Check {
	var out []plan.Check
	for _, p := range []struct{ rule, statement string }{
		{"chain_is_this_run", "prove_chain"},
		{"main_has_not_moved", "prove_chain"},
		{"partition_rows", "prove_rows"},
		{"no_key_twice", "prove_keys"},
		{"other_partitions_equal", "prove_partitions"},
	} {
		out = append(out, plan.Check{Code: "rows_not_conserved", Rule: p.rule, Kind: plan.CheckFact, Statement: p.statement, Severity: "error"})
	}
	return out
}
