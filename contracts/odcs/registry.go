package odcs

// registry is every problem id, sorted. An id never changes its meaning: scripts
// and suppressions rely on it.
var registry = []Explanation{
	{
		ID: "alias-too-large", Severity: Error,
		Means: "The YAML aliases of the file expand to more than 100,000 values, or contain themselves.",
		Fix:   "Write the values out instead of repeating them by aliases.",
	},
	{
		ID: "bad-branch", Severity: Error,
		Means: "publish.branch is main, which readers see, or a name that a statement could take for a snapshot id.",
		Fix:   "Name the audit branch with letters, digits, - and _, for example audit.",
	},
	{
		ID: "bad-bound", Severity: Error,
		Means: "A bound, length, percentage or threshold is no value of the type that it limits, so nothing could be compared with it.",
		Fix:   "Write the bound as a value of the column: plain digits for numbers, yyyy-MM-dd for dates, yyyy-MM-ddTHH:mm:ssZ for moments.",
	},
	{
		ID: "bad-code", Severity: Error,
		Means: "A reason code is not a lower-case word of up to 128 letters, digits and _; codes are counted and grouped by, so they must be plain.",
		Fix:   "Rename it by reasonCodes (on a column) or code (on a rule).",
	},
	{
		ID: "bad-duration", Severity: Error,
		Means: "keepFor holds no ISO 8601 duration of up to a hundred years.",
		Fix:   "Write for example P90D, P1Y or PT12H.",
	},
	{
		ID: "bad-enum-value", Severity: Error,
		Means: "An allowed value is no value of the type of its column, so no row could ever have it.",
		Fix:   "Write a value of the column type; quote texts that YAML reads as numbers or booleans.",
	},
	{
		ID: "bad-expression", Severity: Error,
		Means: "An expression of the author could leave its place in the statement, reads more than its row, or gives another value on each run.",
		Fix:   "Keep to functions of source columns: no comment, semicolon, subquery, window, clock or random function.",
	},
	{
		ID: "bad-format", Severity: Error,
		Means: "A date format would lose a part of the value, complete it by a guess, or has letters that have no strict reading; or bytes have a format that is none of theirs.",
		Fix:   "Use yyyy MM M dd d HH H mm m ss s S… X XXX and quoted text, with year, month and day; for bytes byte, base64 or hex.",
	},
	{
		ID: "bad-id", Severity: Error,
		Means: `An id holds a blank or one of . # / \ @ ! % & ^, by which other files could not refer to it (StableId, ODCS 3.1).`,
		Fix:   "Use letters, digits, _ and -.",
	},
	{
		ID: "bad-key", Severity: Error,
		Means: "A key of a mapping is itself a list or a mapping.",
		Fix:   "Write plain text before the colon.",
	},
	{
		ID: "bad-merge", Severity: Error,
		Means: "The YAML merge key << has a value that is no mapping.",
		Fix:   "Give << a mapping or a list of mappings.",
	},
	{
		ID: "bad-name", Severity: Error,
		Means: "A name of a column or table holds what Spark, Delta or the catalog refuses, or a table name has no schema.",
		Fix:   "Use letters, digits and _; write schema.table or give the server a schema.",
	},
	{
		ID: "bad-pattern", Severity: Error,
		Means: "A regular expression cannot be read; the engine would fail on every row.",
		Fix:   "Close its groups and classes; escape what is meant literally.",
	},
	{
		ID: "bad-position", Severity: Error,
		Means: "primaryKeyPosition or partitionKeyPosition is below 1 or given to two columns, so the order of the key is open.",
		Fix:   "Number the columns 1, 2, 3, ….",
	},
	{
		ID: "bad-query", Severity: Error,
		Means: "A sql rule is no single reading statement, or holds a variable or parameter that nothing fills.",
		Fix:   "Write one SELECT or WITH without ; and without ${…} other than the placeholders of the standard.",
	},
	{
		ID: "bad-reference", Severity: Error,
		Means: "A relationship leads to a table or column that is not there, out of the folder, or to a file that cannot be read.",
		Fix:   "Write object.property within the file, or file.yaml#/schema/<id>/properties/<id>.",
	},
	{
		ID: "bad-segment", Severity: Error,
		Means: "The columns of by make no segment: none is named, more than three are, or one holds lists, objects or bytes.",
		Fix:   "Name one to three columns of plain values.",
	},
	{
		ID: "bad-type", Severity: Error,
		Means: "physicalType is no type of Spark SQL.",
		Fix:   "Use STRING, BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), DATE, TIMESTAMP, TIMESTAMP_NTZ, or ARRAY, MAP and STRUCT of them.",
	},
	{
		ID: "bad-unit", Severity: Error,
		Means: "The unit of a metric is neither rows nor percent, or the metric counts no part of the rows.",
		Fix:   "Remove unit, or write percent on nullValues, missingValues or invalidValues.",
	},
	{
		ID: "bad-version", Severity: Error,
		Means: "The version of the contract is not MAJOR.MINOR.PATCH; the table property contract.version and the change classes need its order.",
		Fix:   "Write for example version: 1.0.0.",
	},
	{
		ID: "duplicate-enum-value", Severity: Error,
		Means: "An allowed value stands in the list twice (1 and 1.0 are the same value).",
		Fix:   "Remove one.",
	},
	{
		ID: "duplicate-key", Severity: Error,
		Means: "A key stands in a mapping twice; YAML readers keep one of them, not always the same.",
		Fix:   "Keep one.",
	},
	{
		ID: "duplicate-name", Severity: Error,
		Means: "Two servers, tables, properties or columns have one name (Spark does not tell upper from lower case).",
		Fix:   "Rename one.",
	},
	{
		ID: "duplicate-property", Severity: Error,
		Means: "A customProperty is given twice; readers would take one of them, not always the same.",
		Fix:   "Keep one.",
	},
	{
		ID: "duplicate-rule", Severity: Error,
		Means: "Two quality rules have one id (or, without id, one name), so reports could not tell them apart.",
		Fix:   "Give each an id of its own.",
	},
	{
		ID: "empty-file", Severity: Error,
		Means: "The file holds no document.",
		Fix:   "Start it with apiVersion, kind and id.",
	},
	{
		ID: "empty-list", Severity: Error,
		Means: "A list that decides something has no member.",
		Fix:   "Name its members or remove the key.",
	},
	{
		ID: "empty-range", Severity: Error,
		Means: "The lower end of a range lies above the upper one, or a threshold where no count can be, so no value is allowed.",
		Fix:   "Correct one of the bounds; write the lower first.",
	},
	{
		ID: "flag-without-bound", Severity: Error,
		Means: "Up to 3.0 exclusiveMinimum and exclusiveMaximum are flags beside minimum and maximum; here the flag stands alone.",
		Fix:   "Add the bound, or raise apiVersion and write the bound in the key itself.",
	},
	{
		ID: "key-not-required", Severity: Error,
		Means: "A key or partition column may be missing; rows without it have no place in the table.",
		Fix:   "Add required: true.",
	},
	{
		ID: "missing-dedup", Severity: Error,
		Means: "A published table does not say which version of a key wins.",
		Fix:   "Add the property dedup with value {latestBy: [column]}.",
	},
	{
		ID: "missing-format", Severity: Error,
		Means: "The server does not say whether tables are Delta or Iceberg.",
		Fix:   "Use type custom with format: delta or format: iceberg.",
	},
	{
		ID: "missing-key", Severity: Error,
		Means: "A key that the standard or sluice requires is missing or empty.",
		Fix:   "Add it, with a value.",
	},
	{
		ID: "missing-partition", Severity: Error,
		Means: "replacePartition replaces a partition, but no column is one.",
		Fix:   "Mark the column with partitioned: true and partitionKeyPosition: 1.",
	},
	{
		ID: "missing-primary-key", Severity: Error,
		Means: "A published table has no key, so rows could be neither merged nor counted once.",
		Fix:   "Mark the columns with primaryKey: true and primaryKeyPosition.",
	},
	{
		ID: "missing-server", Severity: Error,
		Means: "A table is published but the contract names no server.",
		Fix:   "Add servers with type custom and format delta or iceberg.",
	},
	{
		ID: "missing-source", Severity: Error,
		Means: "A published table does not say where its batches come from.",
		Fix:   "Add the property source with value {table: bronze.<name>}.",
	},
	{
		ID: "missing-type", Severity: Error,
		Means: "A column has no type, or a number has no precision and scale.",
		Fix:   "Add logicalType, and physicalType for numbers: DECIMAL(18,2).",
	},
	{
		ID: "mode-needs-format", Severity: Error,
		Means: "The publish mode does not fit the table format: wap needs Iceberg branches.",
		Fix:   "Use merge or replacePartition on Delta, wap on Iceberg.",
	},
	{
		ID: "nested-key", Severity: Error,
		Means: "A key, an order or a reference needs a single value, and the column is a STRUCT, ARRAY or MAP, or holds bytes.",
		Fix:   "Make the member a column of its own by transformLogic, for example get_json_object(payload, '$.id'); keep the text of bytes as STRING.",
	},
	{
		ID: "newer-key", Severity: Error,
		Means: "A key or server type is newer than the apiVersion of the file; other tools would silently ignore it.",
		Fix:   "Raise apiVersion, or use the form of the declared version.",
	},
	{
		ID: "no-source-column", Severity: Error,
		Means: "An expression reads no source column, so there would be no raw value to keep in quarantine.",
		Fix:   "Read at least one source column.",
	},
	{
		ID: "not-supported-yet", Severity: Error,
		Means: "The standard has this feature and sluice does not enforce it; it is refused rather than ignored.",
		Fix:   "Remove it to go on.",
	},
	{
		ID: "not-utf8", Severity: Error,
		Means: "The file holds bytes that are not UTF-8.",
		Fix:   "Save the file as UTF-8.",
	},
	{
		ID: "older-key", Severity: Error,
		Means: "A key ended with an older release of the standard.",
		Fix:   "Use the form of the declared version.",
	},
	{
		ID: "operator-count", Severity: Error,
		Means: "A library or sql rule needs exactly one operator.",
		Fix:   "Keep one, such as mustBe: 0.",
	},
	{
		ID: "option-needs-type", Severity: Error,
		Means: "An option has no meaning for the type of its column, so nothing could enforce it.",
		Fix:   "Remove it or correct the type.",
	},
	{
		ID: "order-not-required", Severity: Error,
		Means: "A column of dedup.latestBy may be missing, so some versions would have no place in the order.",
		Fix:   "Add required: true to it.",
	},
	{
		ID: "pattern-overflows", Severity: Warning,
		Means: "A pattern repeats a group whose turns differ in length without a bound. Java's engine calls itself for each turn, so one very long text overflows its stack, and Spark ends the executor (on one machine: the server).",
		Fix:   "Make the quantifier possessive, (a|b)++, give it a bound, (a|b){0,99}, or use a class instead of the group, [ab]+.",
	},
	{
		ID: "position-without-flag", Severity: Error,
		Means: "primaryKeyPosition or partitionKeyPosition stands on a column that is no key or partition.",
		Fix:   "Add primaryKey: true or partitioned: true, or remove the position.",
	},
	{
		ID: "replaces-itself", Severity: Error,
		Means: "A property cannot replace itself.",
		Fix:   "Name the old property.",
	},
	{
		ID: "reserved-code", Severity: Error,
		Means: "A reason code is one that sluice gives by itself, so counts would mix two things.",
		Fix:   "Choose another code.",
	},
	{
		ID: "reserved-name", Severity: Error,
		Means: "A column has a name that sluice gives to its own columns in staging or quarantine.",
		Fix:   "Rename it by physicalName.",
	},
	{
		ID: "several-documents", Severity: Error,
		Means: "The file holds more than one YAML document.",
		Fix:   "Keep one contract a file.",
	},
	{
		ID: "several-sources", Severity: Error,
		Means: "An expression reads several source columns and does not say which make up its raw value.",
		Fix:   "Add the property sourceColumns.",
	},
	{
		ID: "several-windows", Severity: Error,
		Means: "Two volumeRatio rules of the whole batch look back over different numbers of batches; the usual size is one number.",
		Fix:   "Give both the same window, or ask one of them by segment.",
	},
	{
		ID: "shared-table", Severity: Error,
		Means: "Two tables of the contracts would write the same helper table, so rows of one would be taken for rows of the other.",
		Fix:   "Name another by the properties staging and quarantine.",
	},
	{
		ID: "too-deep", Severity: Error,
		Means: "Values nest deeper than 64 levels.",
		Fix:   "Flatten the file.",
	},
	{
		ID: "too-large", Severity: Error,
		Means: "The file or a table in it is larger than any contract that a person writes.",
		Fix:   "Split it.",
	},
	{
		ID: "type-mismatch", Severity: Error,
		Means: "logicalType, physicalType and format name types that do not go together.",
		Fix:   "Change one of them.",
	},
	{
		ID: "unknown-code", Severity: Error,
		Means: "A fixture expects a code that nothing of its table can give, so it could never hold.",
		Fix:   "Use the code that the contract gives; sluice plan --step stage shows those of rows.",
	},
	{
		ID: "unknown-column", Severity: Error,
		Means: "A name refers to a column that the table does not have.",
		Fix:   "Correct the name.",
	},
	{
		ID: "unknown-format", Severity: Error,
		Means: "The format of a server of type custom is neither delta nor iceberg, but the contract publishes a table.",
		Fix:   "Write format: delta or format: iceberg.",
	},
	{
		ID: "unknown-key", Severity: Error,
		Means: "A key has no meaning at its place; other tools ignore it, so a promise would be lost to a typing error.",
		Fix:   "Correct the name, or move free data to customProperties.",
	},
	{
		ID: "unknown-property", Severity: Error,
		Means: "A customProperty with vendor: sluice is none that sluice knows at this place.",
		Fix:   "Correct the name.",
	},
	{
		ID: "unknown-server", Severity: Error,
		Means: "No server of the contract has the name that was asked for.",
		Fix:   "Correct --server or add the server.",
	},
	{
		ID: "unknown-tag", Severity: Error,
		Means: "A YAML tag has no meaning in a contract.",
		Fix:   "Remove the tag.",
	},
	{
		ID: "unknown-text-format", Severity: Warning,
		Means: "The format of a text column is none that sluice enforces; the standard calls such a format informative.",
		Fix:   "Use email, uuid, uri, hostname, ipv4 or ipv6, or promise the shape by a pattern.",
	},
	{
		ID: "unknown-value", Severity: Error,
		Means: "A value is none of the closed set of its key.",
		Fix:   "Use one of the values that the message lists.",
	},
	{
		ID: "unknown-variable", Severity: Error,
		Means: "A ${VAR} has no value and no default.",
		Fix:   "Give it with --var NAME=VALUE or --allow-env NAME, or write ${NAME:-default}.",
	},
	{
		ID: "unknown-zone", Severity: Error,
		Means: "defaultTimezone is no IANA time zone.",
		Fix:   "Write for example Europe/Berlin or Etc/UTC.",
	},
	{
		ID: "unreachable-value", Severity: Warning,
		Means: "A rule counts a value that no value of the column can equal, since the column has another type.",
		Fix:   "Name it in nullValues, so that it is missing, or remove it.",
	},
	{
		ID: "unsupported-version", Severity: Error,
		Means: "apiVersion is of no release that sluice reads.",
		Fix:   "Use v3.0.0, v3.0.1, v3.0.2, v3.1.0 or v3.2.0.",
	},
	{
		ID: "useless-accept", Severity: Warning,
		Means: "A comment accepts a warning that is not there, or something that is no warning.",
		Fix:   "Remove the comment.",
	},
	{
		ID: "useless-key", Severity: Error,
		Means: "A key has no effect where it stands, so its author expects something that does not happen.",
		Fix:   "Remove it.",
	},
	{
		ID: "wrong-type", Severity: Error,
		Means: "A value is of another kind than its key takes.",
		Fix:   "Write what the message asks for; quote texts that YAML reads as numbers, booleans or null.",
	},
	{
		ID: "yaml-syntax", Severity: Error,
		Means: "The file is no YAML.",
		Fix:   "Mend the syntax at the place that the message names.",
	},
}
