package docs

import (
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen"
)

// promises are the five that a reader asks for first.
func promises(c *contracts.Contract, t *contracts.Table) []string {
	return []string{
		"**Grain.** " + Text(sentence(grain(t))) + " The key is " + Codes(t.Key) + ".",
		"**Required columns.** " + required(t),
		"**Allowed values.** " + allowed(t),
		"**Failure behaviour.** " + failure(t),
		"**Owner.** " + owner(c),
	}
}

func required(t *contracts.Table) string {
	var names []string
	for _, c := range t.Columns {
		if c.Required {
			names = append(names, c.Name)
		}
	}
	switch len(names) {
	case 0:
		return "None: every column may be empty."
	case len(t.Columns):
		return "All of them: " + Codes(names) + "."
	}
	return Codes(names) + "; every other column may be empty."
}

// allowed is what values of columns may be, beyond their type.
func allowed(t *contracts.Table) string {
	var out []string
	for _, c := range t.Columns {
		if what := limits(c); what != "" {
			out = append(out, Code(c.Name)+" "+what)
		}
	}
	if len(out) == 0 {
		return "Whatever the types of the columns allow: " + exactness(t) + "."
	}
	return strings.Join(out, "; ") + ". Beyond that the types decide: " + exactness(t) + "."
}

// exactness is how values are read as their types.
func exactness(t *contracts.Table) string {
	var lenient []string
	for _, c := range t.Columns {
		if c.Lenient {
			lenient = append(lenient, c.Name)
		}
	}
	out := "a text that is not exactly a value of its column's type is none"
	if t.Source.Typed {
		out = "a value that does not fit its column's type is none"
	}
	if len(lenient) > 0 {
		out += "; " + Codes(lenient) + " take whatever can be cast"
	}
	return out
}

// limits are the rules of a column behind its name.
func limits(c *contracts.Column) string {
	var out []string
	for _, r := range c.Rules {
		switch r.Option {
		case contracts.Enum:
			out = append(out, "is one of "+Codes(r.Values))
		case contracts.Pattern:
			out = append(out, "matches "+Code(r.Bound))
		default:
			out = append(out, Text(gen.Allows(c, r)))
		}
	}
	members := c.Members
	if c.Item != nil {
		members = []*contracts.Column{c.Item}
	}
	for _, m := range members {
		if what := limits(m); what != "" {
			name := "its " + Code(m.Name)
			if m == c.Item {
				name = "each item"
			}
			out = append(out, name+" "+what)
		}
	}
	return strings.Join(out, " and ")
}

// failure is what becomes of a broken row and of a broken batch.
func failure(t *contracts.Table) string {
	out := fmt.Sprintf("A row that breaks a promise goes to %s with [a reason](#reason-codes); none is guessed or dropped, and the rest of its batch goes on. ", Code(t.Quarantine.String()))
	empty := ""
	if gen.RefusesEmpty(t) {
		empty = "is empty, "
	}
	out += "A batch is refused as a whole when it " + empty + "lacks a source column or has no value in a required one"
	if t.Dedup.FailOnTie {
		out += ", when versions of a key tie"
	}
	if list := refusing(t); len(list) > 0 {
		out += ", or when one of these [rules](#rules) does not hold: " + Codes(list)
	}
	return out + ". A refused batch publishes nothing: readers keep what they had. " + publication(t)
}

// refusing are the rules and relationships that refuse a batch.
func refusing(t *contracts.Table) []string {
	var out []string
	for _, r := range t.Rules {
		if !r.Warn && !r.OnTarget {
			out = append(out, r.ID)
		}
	}
	for _, r := range t.Relationships {
		if r.OnViolation == contracts.FailBatch {
			out = append(out, r.ID)
		}
	}
	return out
}

func publication(t *contracts.Table) string {
	p := t.Publish
	switch {
	case p.Mode == contracts.WAP && p.Write == contracts.ReplacePartition:
		return fmt.Sprintf("Each run replaces one partition (%s) on the branch %s, and readers see it whole once it has passed its audits there.", Codes(t.Partition), Code(p.Branch))
	case p.Mode == contracts.WAP:
		return fmt.Sprintf("Rows are merged on the branch %s, and readers see them all at once when they have passed their audits there.", Code(p.Branch))
	case p.Mode == contracts.ReplacePartition:
		return fmt.Sprintf("Each run replaces one partition (%s) in one commit.", Codes(t.Partition))
	default:
		return "What passes is merged by key in one commit."
	}
}

func owner(c *contracts.Contract) string {
	switch {
	case c.Owner == "":
		return "The contract names none."
	case c.Team != "" && c.Team != c.Owner:
		return Text(c.Owner) + ", team " + Text(c.Team) + "."
	default:
		return Text(sentence(c.Owner))
	}
}
