package contracts

import (
	"regexp"
	"slices"
	"strings"

	"sluice/contracts/odcs"
)

// branchName keeps out what Iceberg would read as a snapshot id (VERSION AS OF
// '17'), and the main branch, which readers see.
var branchName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// publish reads how rows reach readers and whether the table can be written so.
func (t *tableLoader) publish(n *odcs.Node) {
	mode := n.Get("mode")
	if mode == nil {
		return
	}
	p := &t.table.Publish
	*p = Publish{
		Mode:   PublishMode(mode.Text()),
		Branch: n.Get("branch").Text(),
		Write:  PublishMode(n.Get("write").Text()),
	}
	if p.Mode == WAP {
		if p.Branch == "" {
			p.Branch = "audit"
		}
		if !branchName.MatchString(p.Branch) || strings.EqualFold(p.Branch, "main") {
			t.problem(n.Get("branch"), "bad-branch", "the branch %q is main, or no word of letters, digits, - and _ that begins with a letter", p.Branch)
		}
		if p.Write == "" {
			p.Write = ReplacePartition
		}
	} else {
		for _, key := range []string{"branch", "write"} {
			if other := n.Get(key); other != nil {
				t.problem(other, "useless-key", "publish.%s belongs to the mode wap; remove it", key)
			}
		}
	}
	t.publishable(mode)
}

func (t *tableLoader) publishable(mode *odcs.Node) {
	p := t.table.Publish
	server := t.contract.Server
	switch {
	case server.Name == "":
		t.problem(mode, "missing-server", "the table %q is published but the contract names no server; add servers with type custom and format delta or iceberg", t.table.Name)
	case server.Format == "":
		t.problem(mode, "missing-format", "the server %q does not say delta or iceberg; use type custom with a format", server.Name)
	case p.Mode == WAP && server.Format != Iceberg:
		t.problem(mode, "mode-needs-format", "the mode wap needs Iceberg branches, but the server %q is %s; use merge or replacePartition", server.Name, server.Format)
	case p.Mode != WAP && server.Format == Iceberg:
		t.problem(mode, "mode-needs-format", "a table on Iceberg is published by the mode wap; write {mode: wap, write: %s}", p.Mode)
	}
	if len(t.table.Key) == 0 {
		t.problem(mode, "missing-primary-key", "the table %q is published but has no key; mark its columns with primaryKey and primaryKeyPosition", t.table.Name)
	}
	if (p.Mode == ReplacePartition || p.Write == ReplacePartition) && len(t.table.Partition) == 0 {
		t.problem(mode, "missing-partition", "replacePartition needs a partition; mark its column with partitioned and partitionKeyPosition")
	}
}

// dedup reads the one declaration of the order of versions.
func (t *tableLoader) dedup(n *odcs.Node) {
	if n == nil {
		if t.published && !t.node.HadCustom("dedup") {
			t.problem(t.node, "missing-dedup", "the table %q is published but does not say which version of a key wins; add the property dedup with value {latestBy: [column]}", t.table.Name)
		}
		return
	}
	d := &t.table.Dedup
	d.LatestBy = t.columns(n.Get("latestBy"))
	d.TieBreak = t.columns(n.Get("tieBreak"))
	d.FailOnTie = n.Get("onConflictingTie").Text() == "fail"
	d.HoldBackBroken = n.Get("onBrokenNewest").Text() == "holdBack"
	if latest := n.Get("latestBy"); latest != nil && len(latest.Items()) == 0 {
		t.problem(latest, "empty-list", "latestBy names no column; name the one whose greatest value wins")
	}
	for i, name := range d.TieBreak {
		t.singleValue(at(n.Get("tieBreak"), i), name, "tieBreak")
	}
	for i, name := range d.LatestBy {
		t.singleValue(at(n.Get("latestBy"), i), name, "latestBy")
		if c := t.table.Column(name); c != nil && !c.Required {
			t.problem(at(n.Get("latestBy"), i), "order-not-required", "the order column %q may be missing, so some versions would have no place; add required: true to it", name)
		}
	}
	if compare := n.Get("compare"); compare != nil {
		d.Compare = t.columns(compare)
		if len(compare.Items()) == 0 && !compare.Shortened() {
			t.problem(compare, "empty-list", "compare names no column, so versions of one age would never differ; name columns, or remove it to compare all")
		}
		return
	}
	for _, c := range t.table.Columns {
		order := slices.Contains(d.LatestBy, c.Name) || slices.Contains(d.TieBreak, c.Name)
		if c.KeyPosition == 0 && !order && c.Metadata == "" {
			d.Compare = append(d.Compare, c.Name)
		}
	}
}

func at(list *odcs.Node, i int) *odcs.Node {
	if items := list.Items(); i < len(items) {
		return items[i]
	}
	return list
}
