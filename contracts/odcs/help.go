package odcs

import "strings"

// help says what each key of sluiceShapes is for, in the same sections. Editors
// show it beside the key.
const help = `
custom contract
  consumers                Who reads the tables, and which major version each is pinned to.

custom schema
  source                   Where the rows of a batch come from.
  dedup                    Which version of a row wins when a batch has several of one key.
  publish                  Makes sluice write this table, and how. Without it the table is only looked up.
  quarantine               Where rejected rows go.
  staging                  Where a run keeps its typed rows and writes its record.
  keepFor                  How long what sluice writes beside the table is kept, as ISO 8601 durations (P90D).
  nullValues               Texts that mean no value, for all columns: [NA, "-"].

custom property
  reasonCodes              Names for the codes of rows that break a rule of this column.
  acceptFormats            Further date formats, tried in this order after logicalTypeOptions.format.
  sourceColumns            The source columns that transformLogic reads, when it names several.
  cast                     strict (default) rejects what is not exactly a value of the type; lenient takes what Spark's try_cast takes.
  nullValues               Texts that mean no value in this column: [NA, "-"].
  emptyIs                  missing (default): empty text is no value; value: it is a text of length zero.
  constraint               table: the rule of this column is a constraint of the table too; batch: it is checked on each batch only.
  replaces                 The column that this one takes over from, so that a rename is not read as remove and add.
  deprecated               Marks the column as on its way out, in files older than v3.2.

custom quality
  owner                    Who is told when this rule fails.
  scope                    candidate: judge the batch as it would be published; target: judge the table as it is.
  constraint               table: also a constraint of the table; batch: checked on each batch only.

custom sla
  afterEndOfLife           For endOfLife: warn (default) or fail each run after the date.

custom relationship
  onViolation              What a row without its parent does: failBatch refuses the batch, quarantine rejects the row, warn counts it.

object consumer
  name                     The reading team or system.
  contact                  Where to reach it.
  major                    The major version that it reads.
  columns                  The columns that it reads; all without this.

object source
  table                    The raw table that batches land in.
  path                     The folder of raw files, instead of a table.
  format                   The format of the files under path.
  typed                    true: the source has the types already, nothing is parsed.
  metadata                 The columns of the raw table that describe a row's arrival.

object metadata
  file                     The column with the name of the file.
  line                     The column with the line number.
  malformed                The column with the raw text of a line that could not be split.
  loadedAt                 The column with the time of landing.
  batch                    The column with the batch id.

object dedup
  latestBy                 Columns whose greatest values are the newest version.
  tieBreak                 Columns that decide between versions of the same age.
  compare                  Columns that make two versions of the same age differ; all without this.
  onConflictingTie         quarantine: none of the versions is published; fail: the batch is refused.
  onBrokenNewest           publishOlder: an older good version is published when the newest is rejected; holdBack: none is.

object publish
  mode                     merge by key; replacePartition; wap (write, audit, publish on an Iceberg branch).
  branch                   The audit branch of mode wap.
  write                    How mode wap writes its branch.

object quarantine
  table                    The table of rejected rows; a name with its schema.
  headerRow                A header that comes again as a row: reject it with a code, or ignore it.

object staging
  table                    The table of typed rows of a run; a name with its schema.
  auditLog                 The table with one row a run; a name with its schema.

object keepFor
  quarantine               Rejected rows.
  staging                  Typed rows of runs.
  branch                   Audit branches.
  auditLog                 Records of runs.

object reasonCodes
  missing                  A required value is missing.
  unparseable              The text is no value of the type.
  enum                     The value is not one of those allowed.
  minimum                  The value is below minimum.
  exclusiveMinimum         The value is not above exclusiveMinimum.
  maximum                  The value is above maximum.
  exclusiveMaximum         The value is not below exclusiveMaximum.
  minLength                The text is too short.
  maxLength                The text is too long.
  pattern                  The text does not match.
  multipleOf               The number is no multiple.
  format                   The text is no email, uuid, uri, hostname, ipv4 or ipv6 address.
  dimensions               The vector has another number of elements.
  minItems                 The array has too few items.
  maxItems                 The array has too many items.
  uniqueItems              An item stands in the array twice.
  minProperties            The object has too few members with a value.
  maxProperties            The object has too many members with a value.

object implementation
  check                    rejectRatio: the share of rejected rows; volumeRatio: the size against earlier batches; rowExpression: a promise about each row; partitionsUnchanged: in mode wap, every other partition is as readers see it.

object implementation/rowExpression
  expression               A boolean over the typed columns; a row for which it is false is rejected, NULL passes.
  code                     The reason code of rejected rows; made of the id without this.

object implementation/rejectRatio
  maxPercent               The batch is refused above this percentage of rejected rows.
  by                       Columns whose combinations are judged each for itself.

object implementation/volumeRatio
  against                  What the size is compared with.
  window                   How many published batches the comparison takes.
  min                      The batch is refused below this share of the usual size.
  max                      The batch is refused above this multiple of the usual size.
  by                       Columns whose combinations are judged each for itself.
  atLeast                  With by: segments whose usual rows are fewer are not judged (default 10).
`

// helps is the text by section and key: helps["object dedup"]["latestBy"].
var helps = parseHelp(help + fixtureHelp + waiverHelp)

func parseHelp(text string) map[string]map[string]string {
	out := map[string]map[string]string{}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		key, words, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case line == "":
		case line[0] != ' ':
			section = line
			out[section] = map[string]string{}
		default:
			out[section][key] = strings.TrimSpace(words)
		}
	}
	return out
}

func describe(out schema, k *key) schema {
	if text := helps[k.section][k.name]; text != "" {
		out["description"] = text
	}
	return out
}
