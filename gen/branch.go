package gen

import (
	"fmt"
	"math"
	"strings"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

// refs are the statements that read the heads, with why.
var refs = map[string]string{
	"guard_refs":    "The heads of the table, and tags of runs that were killed before they were recorded.",
	"ensure_refs":   "The head of main after creation.",
	"prove_chain":   "The branch, from its head back: exactly what this run wrote, on top of main's head.",
	"publish_refs":  "Is the branch still what was proven, and main what the verdicts were decided on?",
	"publish_proof": "What main is now.",
}

var refreshes = map[string]bool{"guard_refresh": true, "ensure_refresh": true, "prove_refresh": true, "publish_refresh": true, "proof_refresh": true}

func (v *view) fillBranch() {
	t := v.table
	v.Published = v.Target + " VERSION AS OF 'main'"
	v.Candidate = v.Target + " VERSION AS OF " + lit(t.Publish.Branch)
	v.Files, v.Refs = v.Target+".`files`", v.Target+".`refs`"
	v.Branch, v.Retain = ident(t.Publish.Branch), retain(int64(math.Ceil(t.Keep.Branch.Minutes())))
	v.Catalog, v.TableLiteral = callName(t.Target)
	v.SameRow = v.sameRow()
	v.LookupJoin = on("c", "s", "=", t.Key, "    ")
	v.BranchLiteral = lit(t.Publish.Branch)
	for _, c := range t.Columns {
		v.EmptyValues = append(v.EmptyValues, "CAST(NULL AS "+c.Type.String()+")")
	}
	if !v.Replaces {
		v.keyBounds()
	}
}

// callName parts a name for CALL catalog.system.…('schema.table'): procedures
// parse their argument as an identifier, so its parts are quoted inside of it.
func callName(n sparksql.Name) (catalog, table string) {
	catalog, rest := "spark_catalog", n
	if len(n) > 2 {
		catalog, rest = n[0], n[1:]
	}
	return ident(catalog), lit(rest.SQL())
}

// retain is the age in minutes at which a reference may expire, in Iceberg's
// units; 0 is never.
func retain(minutes int64) string {
	switch {
	case minutes <= 0:
		return ""
	case minutes%(24*60) == 0:
		return fmt.Sprintf(" RETAIN %d DAYS", minutes/(24*60))
	case minutes%60 == 0:
		return fmt.Sprintf(" RETAIN %d HOURS", minutes/60)
	default:
		return fmt.Sprintf(" RETAIN %d MINUTES", minutes)
	}
}

// sameRow compares every stored column of an accepted row with the branch's.
func (v *view) sameRow() string {
	var out []string
	for _, c := range v.table.Columns {
		out = append(out, compared(c, "s")+" <=> "+compared(c, "c"))
	}
	return strings.Join(out, "\n    AND ")
}

// candidate is the object of the rules that count rows: in write-audit-publish
// the replaced partition on the branch, else the accepted rows.
func (v *view) candidate() (from string, accepted bool) {
	if v.table.Publish.Mode == contracts.WAP && v.Replaces {
		return v.Candidate + " AS t\nWHERE " + strings.ReplaceAll(v.InPartition, "\n    ", "\n  "), false
	}
	return "accepted", true
}
