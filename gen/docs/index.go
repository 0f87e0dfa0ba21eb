package docs

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"sluice/contracts"
	"sluice/gen/sparksql"
)

type indexView struct {
	Header, Tables, Diagram, Relations, Described string
}

// Index writes the page over all contracts of a folder, in the order in which they
// are given.
func Index(all []*contracts.Contract, folder string) (string, error) {
	v := indexView{Header: Header, Tables: tables(all, folder), Relations: relations(all), Described: onlyDescribed(all, folder)}
	if d := diagram(all); d != "" {
		v.Diagram = fenced("mermaid", d)
	}
	return execute("index.md.tmpl", v)
}

func tables(all []*contracts.Contract, folder string) string {
	var rows [][]string
	for _, c := range all {
		for _, t := range c.Published() {
			page := relative(folder, filepath.Join(filepath.Dir(c.File), Name(c, t)))
			var readers []string
			for _, one := range c.Readers(t, nil) {
				readers = append(readers, Text(one.Name))
			}
			rows = append(rows, []string{
				link(Code(t.Target.String()), page), Text(sentence(grain(t))), Code(c.ID) + " " + c.Version.String(), Text(c.Owner), strings.Join(readers, ", "),
			})
		}
	}
	return table([]string{"Table", "What a row is", "Contract", "Owner", "Readers"}, rows)
}

// onlyDescribed are contracts that others refer to and that publish nothing here.
func onlyDescribed(all []*contracts.Contract, folder string) string {
	var rows [][]string
	for _, c := range all {
		if len(c.Published()) > 0 {
			continue
		}
		var described []string
		for _, t := range c.Tables {
			described = append(described, place(t).String())
		}
		path := relative(folder, c.File)
		rows = append(rows, []string{link(Code(path), path), Codes(described)})
	}
	return table([]string{"Contract", "Tables"}, rows)
}

// place is the name of a table; a contract without a server may not know it whole.
func place(t *contracts.Table) sparksql.Name {
	if t.Target == nil {
		return sparksql.Name{t.Name}
	}
	return t.Target
}

// relations are the arrows of the diagram in words.
func relations(all []*contracts.Contract) string {
	var rows [][]string
	for _, a := range arrows(all) {
		rows = append(rows, []string{Code(a.from.String()), Code(a.to.String()), a.words, a.otherwise})
	}
	return table([]string{"Table", "Refers to", "By", "Otherwise"}, rows)
}

// arrow leads from a published table to one that it is held against.
type arrow struct {
	from, to  sparksql.Name
	label     string // plain text
	words     string // the same as Markdown
	otherwise string
	rule      bool // a sql rule reads the table; no key refers to it
}

func arrows(all []*contracts.Contract) []arrow {
	var out []arrow
	for _, c := range all {
		for _, t := range c.Published() {
			for _, r := range t.Relationships {
				row := relation(c, r)
				out = append(out, arrow{from: t.Target, to: r.Table, label: strings.Join(r.Columns, ", "), words: Codes(r.Columns), otherwise: row.otherwise})
			}
			for _, r := range t.Rules {
				for _, name := range r.Tables() {
					if name.SQL() != t.Target.SQL() {
						out = append(out, arrow{t.Target, name, "rule " + r.ID, "the rule " + Code(r.ID), batchRule(t, r).otherwise, true})
					}
				}
			}
		}
	}
	return out
}

// diagram is the tables and arrows in Mermaid; "" without an arrow.
func diagram(all []*contracts.Contract) string {
	list := arrows(all)
	if len(list) == 0 {
		return ""
	}
	d := &drawing{ids: map[string]string{}}
	d.line("flowchart LR")
	for _, c := range all {
		for _, t := range c.Published() {
			d.node(t.Target, true)
		}
	}
	for _, a := range list {
		from, to := d.node(a.from, true), d.node(a.to, false)
		stroke := "-->"
		if a.rule {
			stroke = "-.->"
		}
		d.line(fmt.Sprintf("  %s %s|\"%s\"| %s", from, stroke, mermaid(a.label), to))
	}
	return d.text.String()
}

// drawing names its nodes itself, so that a table's name is only ever a label.
type drawing struct {
	text strings.Builder
	ids  map[string]string
}

func (d *drawing) line(s string) { d.text.WriteString(s + "\n") }

// node declares a table once: published ones as databases, others as plain boxes.
func (d *drawing) node(name sparksql.Name, published bool) string {
	key := strings.ToLower(name.SQL())
	if id, known := d.ids[key]; known {
		return id
	}
	id := "t" + strconv.Itoa(len(d.ids)+1)
	d.ids[key] = id
	shape := `  %s["%s"]`
	if published {
		shape = `  %s[("%s")]`
	}
	d.line(fmt.Sprintf(shape, id, mermaid(name.String())))
	return id
}

// mermaid is text inside of a quoted label: what is no letter, digit, blank, dot,
// comma or underscore is written as the code of the character.
func mermaid(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune(" ._,", r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "#%d;", r)
	}
	return b.String()
}
