package contracts

import (
	"slices"

	"sluice/contracts/odcs"
	"sluice/gen/sparksql"
)

// Service levels that sluice looks at: it measures freshness and reads the dates.
var watched = append([]string{"freshness"}, milestones...)

// unwatched notes the service levels that nobody here measures.
func (l *loader) unwatched() {
	for _, n := range l.doc.Root.Get("slaProperties").Items() {
		if property := n.Get("property"); property != nil && !slices.Contains(watched, property.Text()) {
			l.problem(property, "not-enforced", "sluice does not measure %s; see to it elsewhere%s", property.Text(), misspelt(property.Text()))
		}
	}
}

// misspelt suggests the level that sluice does look at, where the name is close.
func misspelt(name string) string {
	if slices.Contains(spans, name) {
		return ""
	}
	return odcs.Suggest(name, slices.Concat(watched, spans))
}

// unenforced notes what the table promises and sluice holds nobody to.
func (t *tableLoader) unenforced() {
	if !t.published {
		lists := []*odcs.Node{t.node.Get("quality")}
		for _, p := range t.node.Get("properties").Items() {
			lists = append(lists, p.Get("quality"))
		}
		if i := slices.IndexFunc(lists, func(list *odcs.Node) bool { return len(list.Items()) > 0 }); i >= 0 {
			t.problem(lists[i], "not-enforced", "the table %q is not published here, so sluice reads its rules and runs none of them", t.table.Name)
		}
		return
	}
	t.textRules(t.node.Get("quality"))
	for _, p := range t.node.Get("properties").Items() {
		t.textRules(p.Get("quality"))
		for _, key := range []string{"classification", "encryptedName"} {
			if n := p.Get(key); n != nil {
				t.problem(n, "not-enforced", "%s is for readers and grants; sluice stores the column %q like any other", key, storedName(p))
			}
		}
	}
}

func (t *tableLoader) textRules(list *odcs.Node) {
	for _, n := range list.Items() {
		if n.Get("type").Text() == "text" {
			t.problem(n, "not-enforced", "%s is prose, which nothing can run; write a library or sql rule to enforce it", ruleName(n))
		}
	}
}

// onlyHere notes the promises of a published table that sluice alone enforces
// (datacontract-cli 1.2.8, measured): its green result says nothing about them.
func (t *tableLoader) onlyHere() {
	if n := t.node.Custom("dedup"); n != nil {
		t.only(n, "which version of a key wins (dedup)")
	}
	t.ownRules(t.node.Get("quality"))
	t.otherFiles(t.node.Get("relationships"))
	for _, p := range t.node.Get("properties").Items() {
		t.ownRules(p.Get("quality"))
		t.otherFiles(p.Get("relationships"))
		options := p.Get("logicalTypeOptions")
		for _, key := range []string{"multipleOf", "timezone", "defaultTimezone", "minProperties", "maxProperties", "required"} {
			if n := options.Get(key); n != nil {
				t.only(n, key+" of a column")
			}
		}
		format := options.Get("format")
		switch kind, _ := quietType(p); {
		case format == nil:
		case kind.Kind == sparksql.STRING && slices.Contains(TextFormats, format.Text()):
			t.only(format, "the format of a text")
		case kind.Kind == sparksql.BINARY:
			t.only(format, "the format of bytes")
		case kind.Dated():
			t.only(format, "the format of a date or moment")
		}
		if n := p.Custom("acceptFormats"); n != nil {
			t.only(n, "acceptFormats")
		}
	}
}

func (t *tableLoader) only(n *odcs.Node, what string) {
	t.problem(n, "only-sluice", "only sluice enforces %s; datacontract-cli passes over it", what)
}

func (t *tableLoader) ownRules(list *odcs.Node) {
	for _, n := range list.Items() {
		if n.Get("type").Text() == "custom" && n.Get("engine").Text() == "sluice" {
			t.only(n, ruleName(n)+" of the engine sluice")
		}
	}
}

func (t *tableLoader) otherFiles(list *odcs.Node) {
	for _, n := range list.Items() {
		for _, to := range single(n.Get("to")) {
			if ref, err := parseReference(to.Text()); err == nil && ref.file != "" {
				t.only(to, "a relationship to another file")
			}
		}
	}
}
