package gen

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// partitionView is what the statements of a replaced partition and of an audit
// branch need. Iceberg's refs are always named: a session, or a cluster's own
// configuration, may have spark.wap.branch set, and a plain name would read it.
type partitionView struct {
	Replaces, Merges                      bool     // the write replaces a partition, or merges
	Published                             string   // the table as readers see it
	Candidate, Files, Refs                string   // Iceberg: the audit branch; the metadata tables
	Branch, Retain                        string   // Iceberg: quoted name, and how long it is kept
	TableLiteral, Catalog                 string   // Iceberg: schema.table as a literal, for a CALL
	Scripted                              bool     // for a printed script, which knows no snapshot
	PartitionColumns, PartitionValues     []string // Delta: of the static partition of an INSERT
	InPartition, InOtherPartition         string   // over t
	FilesOfOthers                         string   // over the metadata table of files
	WrongPartition                        string   // over staged columns, NULL if unreadable
	KeyLow, KeyHigh, FirstKey             string   // the batch's bounds of the first key column
	Rest, RestValues                      []string // columns beside the static partition
	SameRow, ElsewhereContent, LookupJoin string
	BranchLiteral                         string
	EmptyValues, EarlierValues            []string
	QuarantineSource                      []string
	WaitingKeys                           []string // Replaces: keys of rows in quarantine
	WaitingJoin, WaitingExample           string
	PartitionDDL                          []string
	Why                                   string
}

// partition names the columns that a run's --partition fills, with their markers.
func partition(t *contracts.Table) []plan.PartitionColumn {
	if !t.ReplacesPartition() {
		return nil
	}
	var out []plan.PartitionColumn
	taken := namer{}
	for i, name := range t.Partition {
		out = append(out, plan.PartitionColumn{
			Name: name, Type: t.Column(name).Type.String(),
			Param: taken.name("partition_" + slug(name, fmt.Sprintf("column_%d", i+1))),
		})
	}
	return out
}

// unreplaceable is a column by which no partition can be named: a text does not say
// its values exactly, or Spark cannot hand it to Delta as the partition to overwrite.
// Its optimizer makes of (b = true) a condition that is no filter (4.1.3).
func unreplaceable(c *contracts.Contract, t *contracts.Table) (plan.PartitionColumn, bool) {
	for _, p := range partition(t) {
		if !plan.Nameable(p.Type) || c.Server.Format == contracts.Delta && p.Type == "BOOLEAN" {
			return p, true
		}
	}
	return plan.PartitionColumn{}, false
}

// partitionParams are the markers of a replaced partition and of an audit branch.
func partitionParams(t *contracts.Table) []plan.Param {
	var out []plan.Param
	for _, p := range partition(t) {
		out = append(out, plan.Param{Name: p.Param, Type: plan.TextParam, Why: "the partition that the run replaces (--partition)"})
	}
	if t.ReplacesPartition() || t.Publish.Mode == contracts.WAP {
		for _, name := range []string{"key_low", "key_high"} {
			out = append(out, plan.Param{Name: name, Type: plan.TextParam, Why: "the bounds of the batch's keys, from settle_scope"})
		}
	}
	if t.Publish.Mode != contracts.WAP {
		return out
	}
	return append(out,
		plan.Param{Name: "main_snapshot", Type: plan.IntegerParam, Why: "the head of main that the verdicts were decided on"},
		plan.Param{Name: "audited_snapshot", Type: plan.IntegerParam, Why: "the head of the branch that was proven"},
		plan.Param{Name: "pin", Type: plan.NameParam, Why: "the tag of this run's audited snapshot, sluice/<batch>/<run>"},
		plan.Param{Name: "pin_name", Type: plan.TextParam, Why: "the same tag as a text"},
		plan.Param{Name: "commit_stamp", Type: plan.TextParam, Why: "contract, batch and run of the commit"},
	)
}

func (v *view) fillPartition() {
	t := v.table
	v.Replaces = t.ReplacesPartition()
	v.Merges = !v.Replaces
	v.Published = v.Target
	if t.Publish.Mode == contracts.WAP {
		v.fillBranch()
	}
	if v.Replaces {
		v.fillReplaced()
	}
}

// fillReplaced writes the conditions of the partition. Its values are markers.
func (v *view) fillReplaced() {
	t := v.table
	var inside, outside, files, wrong []string
	for _, p := range partition(t) {
		value := ":" + p.Param
		if p.Type != "STRING" {
			value = "CAST(" + value + " AS " + p.Type + ")"
		}
		name := ident(p.Name)
		inside = append(inside, "t."+name+" = "+value)
		outside = append(outside, "t."+name+" <=> "+value)
		files = append(files, "`partition`."+name+" <=> "+value)
		wrong = append(wrong, name+" <> "+value)
		v.PartitionColumns = append(v.PartitionColumns, name)
		v.PartitionValues = append(v.PartitionValues, name+" = :"+p.Param) // a constant, which Spark casts itself
	}
	v.InPartition = strings.Join(inside, "\n    AND ")
	v.InOtherPartition = "NOT (" + strings.Join(outside, " AND ") + ")"
	v.FilesOfOthers = "NOT (" + strings.Join(files, " AND ") + ")"
	v.WrongPartition = strings.Join(wrong, " OR ")
	v.keyBounds()
	same := []string{}
	for _, name := range t.Dedup.Compare {
		if !has(t.Partition, name) {
			c := t.Column(name)
			same = append(same, compared(c, "s")+" <=> "+compared(c, "t"))
		}
	}
	v.fillWaiting()
	v.ElsewhereContent = "true"
	if len(same) > 0 {
		v.ElsewhereContent = strings.Join(same, "\n      AND ")
	}
	for _, c := range t.Columns {
		if !has(t.Partition, c.Name) {
			v.Rest, v.RestValues = append(v.Rest, ident(c.Name)), append(v.RestValues, "s."+ident(c.Name))
		}
	}
}

func (v *view) keyBounds() {
	first := v.table.Column(v.table.Key[0])
	v.FirstKey, v.KeyLow, v.KeyHigh = "t."+ident(first.Name), bound(first, ":key_low"), bound(first, ":key_high")
}

// fillWaiting prepares the look for rows of other batches whose rival is gone.
// The quarantine holds keys as text.
func (v *view) fillWaiting() {
	var join, example []string
	for _, name := range v.table.Key {
		k, text := ident(name), "t."+ident(name)
		if v.table.Column(name).Type.Kind != sparksql.STRING {
			text = "CAST(" + text + " AS STRING)"
		}
		v.WaitingKeys = append(v.WaitingKeys, "q."+k)
		join = append(join, text+" = w."+k)
		example = append(example, "w."+k)
	}
	v.WaitingJoin = strings.Join(join, "\n      AND ")
	v.WaitingExample = "concat_ws(', ', " + strings.Join(example, ", ") + ")"
}

// bound is a text of the server as a value of the column again.
func bound(c *contracts.Column, marker string) string {
	if c.Type.Kind == sparksql.STRING {
		return marker
	}
	return "CAST(" + marker + " AS " + c.Type.String() + ")"
}

// batchDate is the marker of ${BATCH_DATE}: the replaced partition's day.
func batchDate(t *contracts.Table) (string, bool) {
	columns := partition(t)
	for _, p := range columns {
		if p.Type == "DATE" {
			return ":" + p.Param, true
		}
	}
	if len(columns) == 1 {
		return ":" + columns[0].Param, true
	}
	return "", false
}
