package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"sluice/gen/docs"
	"sluice/gen/plan"
)

// What stands in the SQL of fixtures for the prefix of scratch schemas and for the
// id of a batch, until a notebook runs. Neither may occur in a fixture.
const (
	Mark    = "sluice_scratch_"
	BatchID = "sluice_batch_id"
)

// Fixtures are small batches that the notebook tests itself with, in scratch
// schemas. All their SQL is finished up to Mark and BatchID; it was written with the
// names of the scratch schemas, as the statements of Scratch were.
type Fixtures struct {
	Scratch                           *plan.Plan // of the contract whose schemas begin with Mark
	Schemas                           []string   // quoted
	Tables                            []string   // statements that make schemas, source and lookups
	Live                              []string   // quoted tables that are empty before each fixture
	ReadEnds, ReadTable, ReadRejected string
	Cases                             []Case
}

// Case is one fixture.
type Case struct {
	Name, Why string
	Rows      bool     // it asks about rows alone
	Skipped   []string // kinds of checks that are not judged
	Prepare   []string
	Batches   []Batch
	End       State
}

// Batch is one run. Batches of one id are the same, landed again.
type Batch struct {
	ID, Rows      int
	Load          []string
	Partition     map[string]string
	AcceptChanged bool
	Allow         []string
	Expect        Expect
	State         State
}

// Expect is what must become of a batch; what is nil was not asked.
type Expect struct {
	Verdicts         []string
	Reasons          [][]string
	Clean            []Row
	Rejected         map[string]int64
	Refused, Failed  []string
	Says             string
	Target, Warnings map[string]int64
}

// State is what tables must hold; what is nil was not asked.
type State struct {
	Table      []Row
	Quarantine map[string]int64
}

// Row is expressions of text by column.
type Row []Cell

// Cell is one of them.
type Cell struct{ Column, SQL string }

func (b *book) fixtures(f *Fixtures) error {
	places, err := places(b.plan, f.Scratch)
	if err != nil {
		return err
	}
	text, err := module("fixtures")
	if err != nil {
		return err
	}
	b.markdown("fixtures-about", "## Fixtures\n\nSmall batches, and what must become of each row. They run through the statements above, in schemas of their own that are dropped at the end.")
	b.code("fixtures-places", "PLACES = "+python(places, 0)+"\n"+constants(f))
	b.code("run-whole", b.whole())
	b.hidden("protocol-fixtures", text)
	b.code("fixtures-none", "FIXTURES = {}")
	for i, c := range f.Cases {
		b.markdown(fmt.Sprintf("fixture-%d-about", i+1), "### "+strings.TrimSpace(docs.Text(c.Name)+"\n\n"+docs.Text(c.Why)))
		b.code(fmt.Sprintf("fixture-%d", i+1), "FIXTURES["+quote(c.Name)+"] = "+python(caseOf(c), 0))
	}
	b.code("fixtures-run", "if str(run_fixtures).lower() == \"true\" or batch_id == \"\":\n    play_fixtures(FIXTURES)")
	return nil
}

func constants(f *Fixtures) string {
	var out strings.Builder
	for _, one := range []struct {
		name  string
		value any
	}{
		{"MARK", Mark}, {"BATCH", BatchID}, {"SCHEMAS", f.Schemas}, {"LIVE_TABLES", f.Live}, {"SCRATCH_TABLES", sqlList(f.Tables)},
		{"READ_ENDS", sqlOf(f.ReadEnds)}, {"READ_TABLE", sqlOf(f.ReadTable)}, {"READ_QUARANTINE", sqlOf(f.ReadRejected)},
	} {
		out.WriteString(one.name + " = " + python(one.value, 0) + "\n")
	}
	return out.String()
}

// places are where the scratch prefix stands in each statement, in characters, by
// the hash of the statement. They come from two plans of one contract, whose
// statements differ in nothing else.
func places(p, scratch *plan.Plan) (dict, error) {
	out := map[string][]int{}
	add := func(name, sql, moved string) error {
		if strings.ReplaceAll(moved, Mark, "") != sql {
			return fmt.Errorf("placing the schemas of statement %s: the text %q stands in it for another reason; rename it", name, Mark)
		}
		var at []int
		before := 0
		for i, part := range strings.Split(moved, Mark) {
			if i > 0 {
				at = append(at, before)
			}
			before += utf8.RuneCountInString(part)
		}
		sum := sha256.Sum256([]byte(sql))
		out[hex.EncodeToString(sum[:8])] = at
		return nil
	}
	for i, s := range p.Steps {
		for j, st := range s.Statements {
			if err := add(st.Name, st.SQL, scratch.Steps[i].Statements[j].SQL); err != nil {
				return nil, err
			}
		}
	}
	for i, t := range p.Tables {
		if err := add("describe_"+t.Alias, t.Describe, scratch.Tables[i].Describe); err != nil {
			return nil, err
		}
	}
	var sorted dict
	for _, key := range slices.Sorted(maps.Keys(out)) {
		sorted = append(sorted, pair{key, out[key]})
	}
	return sorted, nil
}

func caseOf(c Case) dict {
	var batches block
	for _, b := range c.Batches {
		e := b.Expect
		batches = append(batches, dict{
			{"id", b.ID},
			{"rows", b.Rows},
			{"load", sqlList(b.Load)},
			{"partition", counts(b.Partition)},
			{"accept_changed", b.AcceptChanged},
			{"allow", b.Allow},
			{"expect", dict{
				{"verdicts", optional(e.Verdicts)},
				{"reasons", optionalLists(e.Reasons)},
				{"clean", rowsOf(e.Clean)},
				{"rejected", optionalCounts(e.Rejected)},
				{"refused", e.Refused},
				{"failed", e.Failed},
				{"says", e.Says},
				{"target", optionalCounts(e.Target)},
				{"warnings", optionalCounts(e.Warnings)},
			}},
			{"state", stateOf(b.State)},
		})
	}
	return dict{{"rows", c.Rows}, {"skipped", c.Skipped}, {"prepare", sqlList(c.Prepare)}, {"batches", batches}, {"end", stateOf(c.End)}}
}

func stateOf(s State) flat {
	return flat{{"table", rowsOf(s.Table)}, {"quarantine", optionalCounts(s.Quarantine)}}
}

func rowsOf(rows []Row) any {
	if rows == nil {
		return nil
	}
	out := block{}
	for _, r := range rows {
		one := flat{}
		for _, c := range r {
			one = append(one, pair{c.Column, c.SQL})
		}
		out = append(out, one)
	}
	return out
}

func optional(texts []string) any {
	if texts == nil {
		return nil
	}
	return texts
}

func optionalLists(lists [][]string) any {
	if lists == nil {
		return nil
	}
	return list(lists)
}

func optionalCounts(m map[string]int64) any {
	if m == nil {
		return nil
	}
	return counts(m)
}

func counts[V string | int64](m map[string]V) flat {
	out := flat{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, pair{key, m[key]})
	}
	return out
}

func sqlList(all []string) any {
	out := block{}
	for _, sql := range all {
		out = append(out, sqlOf(sql))
	}
	return out
}

func sqlOf(sql string) call { return call(sqlText(sql)) }
