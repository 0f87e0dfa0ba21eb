package contracts

import (
	"strings"

	"sluice/contracts/odcs"
)

// property adds the column of one property. A measure is an expression that
// readers compute, so nothing is stored for it.
func (t *tableLoader) property(p *odcs.Node) {
	if measure := p.Get("semanticType"); measure.Text() == "measure" {
		t.problem(measure, "measure-not-stored", "%q is a measure, an expression that readers compute; nothing is stored or checked for it", p.Get("name").Text())
		return
	}
	if storedName(p) == "" {
		if name := p.Get("name"); name != nil {
			t.problem(name, "missing-key", "the name of a property is empty once its variables have their values; give them one")
		}
		return
	}
	c := t.newColumn(p, storedName(p))
	c.Expression = strings.TrimSpace(p.Get("transformLogic").Text())
	c.EmptyIsValue = p.Custom("emptyIs").Text() == "value"
	c.OnBatch = p.Custom("constraint").Text() == "batch"
	t.table.Columns = append(t.table.Columns, c)
	typed := t.columnType(p, c)
	if t.published { // elsewhere transformLogic is free text of the standard
		t.sources(p, c)
	} else {
		c.Sources = []string{c.Logical}
	}
	t.replaced(p, c)
	c.Metadata = t.metadata(c)
	t.nulls(p, c)
	t.codes(p, c)
	if !t.published {
		t.containers(p)
		t.declaredColumn(p, c)
		return
	}
	if !typed {
		return
	}
	t.formats(p, c)
	t.columnRules(p, c)
	t.propertyQuality(p, c)
	t.unique(p, c)
}

// newColumn reads what a column and a member of a nested one have alike.
func (t *tableLoader) newColumn(p *odcs.Node, stem string) *Column {
	return &Column{
		Name:        storedName(p),
		Logical:     p.Get("name").Text(),
		Required:    p.Get("required").True(),
		Description: p.Get("description").Text(),
		Deprecated:  p.Get("deprecated").True() || p.Custom("deprecated").True(),
		Lenient:     p.Custom("cast").Text() == "lenient",
		DefaultZone: "UTC",
		stem:        stem,

		Classification: p.Get("classification").Text(),
		Tags:           p.Get("tags").Texts(),
	}
}

// sources finds the bronze columns that the value is made of.
func (t *tableLoader) sources(p *odcs.Node, c *Column) {
	declared := p.Custom("sourceColumns")
	if c.Expression == "" {
		c.Sources = []string{c.Logical}
		if n := len(declared.Items()); n == 1 {
			c.Sources = declared.Texts()
		} else if declared != nil {
			t.problem(declared, "several-sources", "%d source columns make one value only by an expression; add transformLogic", n)
		}
		if replaced := t.find(p.Custom("replaces")); replaced != nil && declared == nil {
			c.Sources = t.sourcesOf(replaced)
			if len(c.Sources) > 1 {
				t.problem(p, "several-sources", "the replaced property reads %s; say by transformLogic how this one is made of them", strings.Join(c.Sources, " and "))
			}
		}
		return
	}
	logic := p.Get("transformLogic")
	found, err := expressionColumns(c.Expression)
	switch {
	case err != nil:
		t.problem(logic, "bad-expression", "%v", err)
	case declared != nil:
		c.Sources = declared.Texts()
		if len(c.Sources) == 0 {
			t.problem(declared, "empty-list", "sourceColumns names no column; name those that transformLogic reads")
		}
	case len(found) == 0:
		t.problem(logic, "no-source-column", "the expression reads no source column, so no raw value could be kept; name one")
	case len(found) > 1:
		t.problem(logic, "several-sources", "the expression reads %s; say so by the property sourceColumns: [%s]", strings.Join(found, " and "), strings.Join(found, ", "))
	default:
		c.Sources = found
	}
}

// sourcesOf is where a replaced property reads from; the two columns of a rename
// window are filled from one source.
func (t *tableLoader) sourcesOf(p *odcs.Node) []string {
	if declared := p.Custom("sourceColumns").Texts(); len(declared) > 0 {
		return declared
	}
	if found, err := expressionColumns(p.Get("transformLogic").Text()); err == nil && len(found) > 0 {
		return found
	}
	return []string{p.Get("name").Text()}
}

// find returns the property that n names, without a word when there is none.
func (t *tableLoader) find(n *odcs.Node) *odcs.Node {
	return t.nodes[strings.ToLower(t.stored[strings.ToLower(n.Text())])]
}

func (t *tableLoader) replaced(p *odcs.Node, c *Column) {
	n := p.Custom("replaces")
	if n == nil {
		return
	}
	c.Replaces = t.column(n)
	if c.Replaces == c.Name {
		t.problem(n, "replaces-itself", "the property %q cannot replace itself; name the old one", c.Logical)
	}
}

// metadata tells a column that the loader fills from one of the feed.
func (t *tableLoader) metadata(c *Column) MetadataKind {
	if c.Expression != "" || len(c.Sources) != 1 {
		return ""
	}
	s := t.table.Source
	if s.Table == nil {
		return ""
	}
	for kind, name := range map[MetadataKind]string{FileMetadata: s.File, LineMetadata: s.Line, LoadedAtMetadata: s.LoadedAt, BatchMetadata: s.Batch} {
		if name != "" && strings.EqualFold(name, c.Sources[0]) {
			return kind
		}
	}
	return ""
}

func (t *tableLoader) nulls(p *odcs.Node, c *Column) {
	if c.Metadata != "" {
		return
	}
	list := p.Custom("nullValues")
	if list == nil {
		list = t.node.Custom("nullValues")
	}
	c.NullValues = list.Texts()
}

// unique is the standard's shorthand for a duplicateValues rule on one column.
func (t *tableLoader) unique(p *odcs.Node, c *Column) {
	n := p.Get("unique")
	if !n.True() {
		return
	}
	t.table.Rules = append(t.table.Rules, &Rule{
		ID: codeName("unique_" + c.Name), Kind: DuplicateValues, Columns: []string{c.Name},
		Compare: Comparison{Op: "mustBe", Bounds: []string{"0"}}, Dimension: "uniqueness", Owner: t.contract.Owner, Position: n.Pos,
	})
}
