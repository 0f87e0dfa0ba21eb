package docs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sluice/contracts"
	"sluice/gen"
)

// consumers are who reads the table, and what of it.
func consumers(c *contracts.Contract, t *contracts.Table) string {
	var rows [][]string
	for _, one := range c.Consumers {
		columns, _ := t.Select(one.Columns)
		what := "all columns"
		if len(one.Columns) > 0 {
			what = Codes(names(columns))
		}
		if len(columns) == 0 {
			continue // its list is about another table of the contract
		}
		major := "not said"
		if one.Major > 0 {
			major = strconv.Itoa(one.Major) + ".x"
		}
		rows = append(rows, []string{Text(one.Name), Text(one.Contact), major, what})
	}
	return table([]string{"Reader", "To reach", "Reads version", "Columns"}, rows)
}

func names(columns []*contracts.Column) []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.Name)
	}
	return out
}

// contacts are the channels of the writers and the roles that readers ask for.
func contacts(c *contracts.Contract) string {
	var rows [][]string
	for _, s := range c.About.Support {
		about := []string{sentence(s.Scope), sentence(s.Description)}
		where := Text(s.Name)
		if s.Tool != "" {
			where += " (" + Text(s.Tool) + ")"
		}
		if s.URL != "" {
			where += " " + Code(s.URL)
		}
		rows = append(rows, []string{"Channel", where, Text(strings.Join(about, " "))})
	}
	for _, r := range c.About.Roles {
		about := sentence(r.Description)
		if r.Access != "" {
			about = "Access: " + sentence(r.Access) + " " + about
		}
		rows = append(rows, []string{"Role", Code(r.Name), Text(about)})
	}
	return table([]string{"What", "Name", "For"}, rows)
}

// endings is what is on its way out, with its day.
func endings(c *contracts.Contract, t *contracts.Table) string {
	var rows [][]string
	for _, e := range c.Endings(t) {
		what, until, instead, readers := "the table", "no day is set", "", ""
		if e.Column != "" {
			what = Code(e.Column)
		}
		if e.EndOfLife != "" {
			until = Text(e.EndOfLife)
		}
		if e.Successor != "" {
			instead = Code(e.Successor)
		}
		var still []string
		for _, one := range c.Readers(t, t.Find(e.Column)) {
			still = append(still, Text(one.Name))
		}
		readers = strings.Join(still, ", ")
		after := "each run warns"
		if e.Fail {
			after = "runs fail"
		}
		rows = append(rows, []string{what, until, instead, readers, after})
	}
	return table([]string{"Deprecated", "Last day", "Use instead", "Still read by", "After that day"}, rows)
}

// levels are the service levels of the table and of the contract as a whole; the
// ends of life stand by themselves.
func levels(c *contracts.Contract, t *contracts.Table) string {
	var rows [][]string
	for _, s := range c.SLA {
		if s.Table != nil && s.Table != t || s.Property == "endOfLife" {
			continue
		}
		about := "the contract"
		switch {
		case s.Member != "":
			about = Code(s.Member)
		case s.Column != "":
			about = Code(s.Column)
		case s.Table != nil:
			about = "the table"
		}
		value := Text(strings.TrimSpace(s.Value + " " + s.Unit))
		if s.Schedule != "" {
			value += ", " + Code(strings.TrimSpace(s.Scheduler+" "+s.Schedule))
		}
		held := "not measured by sluice"
		if s.Property == "freshness" && slices.ContainsFunc(c.Freshness(t), func(f contracts.Freshness) bool { return f.Column == s.Column }) {
			held = "each run measures it and warns"
		}
		rows = append(rows, []string{Text(s.Property), value, about, held})
	}
	return table([]string{"Service level", "Value", "Of", "Held by"}, rows)
}

// reader fills how to read: nobody who begins today should begin with a column
// that is about to go.
func (v *pageView) reader(c *contracts.Contract, t *contracts.Table) error {
	ending := map[string]bool{}
	for _, e := range c.Endings(t) {
		ending[e.Column] = true
	}
	r := gen.Reader{Major: c.Version.Major}
	var left []string
	for _, column := range t.Columns {
		if ending[column.Name] {
			left = append(left, column.Name)
			continue
		}
		r.Columns = append(r.Columns, column)
	}
	if len(r.Columns) == 0 {
		r.Columns, left = t.Columns, nil
	}
	if len(left) > 0 {
		v.Left = Codes(left)
	}
	for form, to := range map[gen.ReaderForm]*string{gen.ReaderPython: &v.Python, gen.ReaderSQL: &v.SQL} {
		out, err := gen.EmitReader(c, t, r, form)
		if err != nil {
			return fmt.Errorf("writing how to read %s: %w", t.Target, err)
		}
		*to = fenced(string(form), out)
	}
	return nil
}

// helpers are the tables beside the published one.
func helpers(t *contracts.Table) string {
	const day = 24 * 3600e9
	kept := func(nanoseconds int64) string {
		switch {
		case nanoseconds == 0:
			return "for good"
		case nanoseconds%day == 0:
			return count(nanoseconds/day, "day")
		default:
			return count(nanoseconds/3600e9, "hour")
		}
	}
	rows := [][]string{
		{Code(t.Source.Table.String()), "what was landed, a row for each row that was sent", "its owner decides"},
		{Code(t.Staging.String()), "every row of a run, typed, with the codes of what it breaks", kept(int64(t.Keep.Staging))},
		{Code(t.Verdict.String()), "the codes that need other rows", kept(int64(t.Keep.Staging))},
		{Code(t.Quarantine.String()), "rejected rows as they were sent, each with its codes", kept(int64(t.Keep.Quarantine))},
		{Code(t.AuditLog.String()), "one row for each run: its batch, counts, checks and commit", kept(int64(t.Keep.AuditLog))},
	}
	return table([]string{"Table", "What it holds", "Kept"}, rows)
}

// rejects is the query behind the most frequent question.
func rejects(t *contracts.Table) string {
	return fenced("sql", "SELECT _batch_id, _reject_reason, count(*) AS row_count\nFROM "+t.Quarantine.SQL()+"\nGROUP BY _batch_id, _reject_reason\nORDER BY _batch_id DESC, row_count DESC;")
}
