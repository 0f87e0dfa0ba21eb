package runnertest_test

import (
	"fmt"
	"maps"
	"slices"

	"sluice/runner"
)

// key, version and row are what a row means, whatever its text: the model below
// reads no SQL and no text.
type key struct{ id, part string }

// version is a row's place in dedup.latestBy; both count from one.
type version struct{ at, revision int }

func (v version) newer(w version) bool {
	return v.at > w.at || v.at == w.at && v.revision > w.revision
}

// row is one input row. Its line is its name: no two rows of a lake share one.
type row struct {
	line     int64
	text     values // by source column
	raw      *string
	key      key
	version  version
	delivery int    // the tieBreak; zero, below all others, is NULL
	content  string // of every compared column
	codes    []string
	unplaced bool // its key or version cannot be read
}

// copies tells rows that differ in nothing that the design looks at. Which of
// them counts as the copy is open.
func (r row) copies() string {
	if len(r.codes) > 0 || r.raw != nil {
		return fmt.Sprintf("line %d", r.line)
	}
	return fmt.Sprint(r.key, r.version, r.delivery, r.content)
}

// publishedRow is a row of the table.
type publishedRow struct {
	version version
	content string
}

// model predicts runs. It is written from the design, "Row verdicts", "Between
// rows" and "Against the published row", and shares nothing with the statements.
type model struct {
	table map[key]publishedRow
	held  map[string]map[string]string // batches that were published: late and ambiguous copies, as quarantine holds them
}

func newModel() *model {
	return &model{table: map[key]publishedRow{}, held: map[string]map[string]string{}}
}

// prediction is a run by line, and what its report must say.
type prediction struct {
	verdict  map[int64]string
	warnings map[string]int64
	target   runner.Target
	reasons  map[string]int64
}

func (m *model) run(batch string, rows []row) prediction {
	p := prediction{verdict: map[int64]string{}, warnings: map[string]int64{}, reasons: map[string]int64{}}
	keys := map[key][]row{}
	for _, r := range rows {
		if len(r.codes) > 0 {
			p.verdict[r.line] = r.codes[0]
			if old, there := m.table[r.key]; there && !r.unplaced && old.version == r.version {
				p.warnings["rejected_but_published"]++
			}
			continue
		}
		keys[r.key] = append(keys[r.key], r)
	}
	held := map[string]string{}
	for _, versions := range keys {
		if r, one := settleKey(versions, p.verdict); one {
			p.verdict[r.line] = m.against(batch, r)
			if v := p.verdict[r.line]; v == "late_superseded" || v == "ambiguous_duplicate" {
				held[r.copies()] = v
			}
		}
	}
	m.held[batch] = held
	m.warn(rows, &p)
	p.count()
	return p
}

// settleKey judges the rows of a key within their batch. It returns the row that
// is left, if one is.
func settleKey(rows []row, verdict map[int64]string) (row, bool) {
	newest := slices.MaxFunc(rows, func(a, b row) int {
		switch {
		case a.version.newer(b.version):
			return 1
		case b.version.newer(a.version):
			return -1
		}
		return a.delivery - b.delivery
	})
	var peers []row
	conflict := false
	for _, r := range rows {
		verdict[r.line] = "duplicate_superseded"
		if r.version == newest.version && r.delivery == newest.delivery {
			conflict = conflict || r.content != newest.content
			peers = append(peers, r)
		}
	}
	if conflict {
		for _, r := range peers {
			verdict[r.line] = "ambiguous_duplicate"
		}
	}
	return newest, !conflict
}

// against judges a row against the published one, and publishes it where it is newer.
func (m *model) against(batch string, r row) string {
	old, there := m.table[r.key]
	before, again := m.held[batch]
	switch {
	case !there || r.version.newer(old.version):
		m.table[r.key] = publishedRow{r.version, r.content}
		if there {
			return "updated"
		}
		return "inserted"
	case r.version == old.version && r.content == old.content:
		return "unchanged"
	case r.version == old.version:
		return "ambiguous_duplicate"
	case before[r.copies()] != "":
		return before[r.copies()]
	case again:
		return "stale"
	default:
		return "late_superseded"
	}
}

// warn counts keys whose newest version was rejected while an older one is published.
func (m *model) warn(rows []row, p *prediction) {
	keys := map[key]bool{}
	for _, r := range rows {
		broken := len(r.codes) > 0 || p.verdict[r.line] == "ambiguous_duplicate"
		if old, there := m.table[r.key]; broken && !r.unplaced && there && r.version.newer(old.version) {
			keys[r.key] = true
		}
	}
	if len(keys) > 0 {
		p.warnings["newest_rejected"] = int64(len(keys))
	}
}

// count sums the verdicts as a report does.
func (p *prediction) count() {
	all := map[string]int64{}
	for _, v := range p.verdict {
		all[v]++
	}
	p.target = runner.Target{Inserted: all["inserted"], Updated: all["updated"], Unchanged: all["unchanged"], Stale: all["stale"]}
	maps.DeleteFunc(all, func(v string, _ int64) bool { return accepted(v) })
	p.reasons = all
}

// accepted verdicts are no rejects.
func accepted(verdict string) bool {
	return slices.Contains([]string{"inserted", "updated", "unchanged", "stale"}, verdict)
}
