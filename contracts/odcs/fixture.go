package odcs

// fixtureShapes is the form of <table>.fixtures.yaml, in the notation of shapes.
// A row is a mapping of columns to texts; counts are rows by code. The format
// grew from the first bad inputs of an orders table and has no standard behind it.
const fixtureShapes = `
object fixtureFile
  contract!                text
  table                    text
  defaults                 row
  types                    map
  lookups                  tables
  fixtures!                [{fixture}]

object fixture
  name!                    text
  why                      text
  given                    [row] or text
  without                  [text]
  published                [row]
  history                  [int]
  partition                row
  allow                    [text] or text
  lookups                  tables
  batches                  [{fixtureBatch}]
` + expectations + `
object fixtureBatch
  given                    [row] or text
  replay                   int
  partition                row
  allow                    [text] or text
  acceptChanged            bool
` + expectations + `
object fixtureTarget
  inserted                 int
  updated                  int
  backfilled               int
  unchanged                int
  stale                    int
  deleted                  int
`

// expectations are the keys of a batch that say what must come of it. A fixture of
// one batch has them itself.
const expectations = `  verdicts                 [text]
  reasons                  [[text]]
  clean                    [row]
  rejected                 counts
  refused                  [text] or text
  failed                   [text] or text
  says                     text
  target                   {fixtureTarget}
  warnings                 counts
  table                    [row]
  quarantine               counts
`

const expectationHelp = `  verdicts                 One for each row, in order: accepted, the first code, or "a or b".
  reasons                  All codes of each row, in order; [] for an accepted one.
  clean                    The accepted rows, as typed values; only the columns that matter.
  rejected                 Rejected rows by first code, all of them.
  refused                  The codes that refuse the batch, all of them; [] for a batch that every check lets through. Without refused or history, checks of size (rowCount, rejectRatio, volumeRatio) are not judged.
  failed                   The codes by which the run fails although the batch is not at fault.
  says                     A text that the message of the refusal or failure holds.
  target                   What became of accepted rows in the published table; a count that is left out is 0.
  warnings                 Warnings of the run, all of them but what the day of the run decides: ages and ends of life.
  table                    The rows of the published table after it, as typed values; only the columns that matter.
  quarantine               Rows of quarantine after it by first code, all batches together.
`

const fixtureHelp = `
object fixtureFile
  contract                 The contract under test, as a path from this file.
  table                    Which table, where the contract publishes several: its name or id.
  defaults                 Texts of source columns for every given row that does not name them.
  types                    Types of a typed source's columns, where they are not the contract's, and as table.column of what sql rules read elsewhere.
  lookups                  Rows of the tables that relationships refer to and sql rules read, by table name; a fixture's own rows replace those of a table.
  fixtures                 The fixtures, each on its own: none sees the rows of another.

object fixture
  name                     What happens, as a sentence; unique in the file.
  why                      What a reader would otherwise ask.
  given                    The rows of one batch as the source has them, or the path of a CSV file. Of a row that names no value, defaults has it.
  without                  Source columns that the source table lacks.
  published                Rows that the published table has before the first batch, as typed values. What a row leaves out comes from defaults, where a column is its source column as it is.
  history                  Input rows of earlier published batches, oldest first: the usual volume. Checks of size are then judged.
  partition                The partition that a run replaces, as --partition names it, where the table replaces one; else the defaults of its columns.
  allow                    Partition checks that may fail, as --allow: nothing_accepted, older_delivery, partition_shrinks.
  lookups                  Rows of lookup tables, in place of the file's.
  batches                  Several batches, run in order.
` + expectationHelp + `
object fixtureBatch
  given                    The rows of this batch, or the path of a CSV file; with replay, other content under the earlier batch id.
  replay                   Run this earlier batch again, counted from 1, under its batch id.
  partition                The partition that this batch replaces; else that of the batch which it replays, of the fixture, or of the defaults.
  allow                    Partition checks that may fail, as --allow.
  acceptChanged            Run with --accept-changed.
` + expectationHelp + `
object fixtureTarget
  inserted                 Rows of new keys.
  updated                  Rows newer than the published ones.
  backfilled               Rows that differ only in columns added later.
  unchanged                Rows that the table has already.
  stale                    Rows of a batch published before that are older than the table's.
  deleted                  Rows removed with a replaced partition.
`

// ParseFixtures reads a fixture file: its keys and types are those of the table
// above. What its names mean is for package contracts/fixture. The root is nil
// when nothing in the file can be trusted.
func ParseFixtures(file string, data []byte) (*Node, []Problem) {
	report := &Report{}
	root := read(file, data, report)
	if root == nil {
		return nil, report.Problems()
	}
	if root.Kind != Map {
		root.Report(report, "wrong-type", "a fixture file is a mapping; start it with contract and fixtures")
		return nil, report.Problems()
	}
	(&checker{report: report, release: newest}).value(root, named("fixtureFile"), "")
	return root, report.Problems()
}

// FixtureSchema describes a fixture file to an editor.
func FixtureSchema() map[string]any {
	s := &schemer{release: newest, defs: map[string]any{}}
	root := s.ref("fixtureFile")
	return map[string]any{"$schema": Dialect, "title": "Fixtures of a table, for sluice test", "$ref": root["$ref"], "$defs": s.defs}
}

// data checks a mapping whose keys are data: columns, codes or tables.
func (c *checker) data(n *Node, kind, place string) bool {
	if n.Kind != Map {
		return c.wrong(n, place, map[string]string{
			"row": "a mapping of columns to values", "counts": "a mapping of codes to numbers of rows", "tables": "a mapping of tables to lists of rows",
		}[kind])
	}
	var kept []Field
	for _, f := range n.fields {
		if c.datum(f, kind) {
			kept = append(kept, f)
		} else {
			n.lost = append(n.lost, f.Key)
		}
	}
	n.fields = kept
	return true
}

func (c *checker) datum(f Field, kind string) bool {
	switch kind {
	case "counts":
		return f.Value.Int(-1) >= 0 && f.Value.Kind == Int || c.wrong(f.Value, f.Key, "a number of rows in plain digits")
	case "tables":
		return c.value(f.Value, &shape{kind: "list", element: &shape{kind: "row"}}, f.Key)
	default:
		return true
	}
}
