package odcs

// lintRegistry is the ids of what no single key shows: promises that nothing
// keeps, and what goes wrong only later, on data.
var lintRegistry = []Explanation{
	{
		ID: "ambiguous-scalar", Severity: Warning,
		Means: "A value without quotes is a text to some YAML readers and a boolean or another number to others (NO, 1:30, 010, 1e3), so tools would compare with different values.",
		Fix:   "Quote it where the text is meant; write plain digits where the number is.",
	},
	{
		ID: "bad-sla-value", Severity: Error,
		Means: "The value of a service level is none that could be met: freshness and retention are positive numbers, endOfLife, endOfSupport and generalAvailability are dates.",
		Fix:   "Write a positive number with a unit, or a date as yyyy-MM-dd.",
	},
	{
		ID: "bad-waiver", Severity: Error,
		Means: "A waiver names no rule of sluice breaking, or until is no date, so it could waive nothing.",
		Fix:   "Write the rule and path as sluice breaking prints them, and until as yyyy-MM-dd.",
	},
	{
		ID: "dotted-name", Severity: Warning,
		Means: "The name of a schema object holds a dot, by which the shorthand object.property of relationships and service levels cannot refer to it.",
		Fix:   "Keep the name plain and write the schema in physicalName: name: orders, physicalName: silver.orders.",
	},
	{
		ID: "expired-waiver", Severity: Error,
		Means: "The last day of a waiver has passed, so its change counts again; an exception without an end would become the rule.",
		Fix:   "Remove the waiver, or let its owner renew it with a later day and the reason why.",
	},
	{
		ID: "key-normalised-differently", Severity: Warning,
		Means: "A foreign key and the column that it refers to are prepared in different ways (transformLogic, nullValues, emptyIs), so equal source values can miss each other.",
		Fix:   "Prepare both sides in the same way, for example upper(trim(x)) on both.",
	},
	{
		ID: "measure-not-stored", Severity: Warning,
		Means: "A property of semanticType measure is an expression that readers compute; nothing is stored, typed or checked for it.",
		Fix:   "Use semanticType column where the value is to be stored.",
	},
	{
		ID: "metric-at-wrong-level", Severity: Error,
		Means: "A library metric stands where it means nothing: rowCount counts a table, nullValues, missingValues and invalidValues look at a column. Other tools skip the rule without failing.",
		Fix:   "Move the rule to the level of its metric.",
	},
	{
		ID: "missing-schema", Severity: Error,
		Means: "The contract describes no table, so it promises nothing.",
		Fix:   "Add schema with at least one object.",
	},
	{
		ID: "no-expectation", Severity: Error,
		Means: "A fixture expects nothing of its rows, so it could never fail.",
		Fix:   "Say what must become of the rows: clean, rejected, verdicts, refused, table or quarantine.",
	},
	{
		ID: "not-enforced", Severity: Note,
		Means: "The contract promises this and sluice does not hold anybody to it: some service levels, classification, text rules, and all promises of a table that is not published here.",
		Fix:   "Nothing, if somebody else looks after it; a sql rule where a query can tell.",
	},
	{
		ID: "only-sluice", Severity: Note,
		Means: "Only sluice holds to this promise; datacontract-cli 1.2.8 passes over it, so its green result says nothing about it.",
		Fix:   "Nothing. Know it when two tools disagree.",
	},
	{
		ID: "other-engine", Severity: Warning,
		Means: "A quality rule is written for another engine; sluice neither runs it nor knows whether anybody does.",
		Fix:   "Run that engine beside sluice, or write the rule as a library or sql rule.",
	},
	{
		ID: "past-end-of-life", Severity: Warning, Dated: true,
		Means: "The endOfLife of a column, table or contract has passed and it is still there. This comes by the calendar and not by an edit, so it never decides the exit code, with --strict neither.",
		Fix:   "Remove it with a higher major version, or agree on another day with its consumers.",
	},
	{
		ID: "relationship-cycle", Severity: Error,
		Means: "Relationships with onViolation failBatch lead from a published table back to itself, so the first batch of each would have to wait for the other: no first load could pass.",
		Fix:   "Give one relationship of the circle onViolation warn or quarantine.",
	},
	{
		ID: "relationship-type-differs", Severity: Warning,
		Means: "A foreign key and the column that it refers to have different types, so Spark compares them through a conversion that can lose digits or match nothing.",
		Fix:   "Give both columns one type.",
	},
	{
		ID: "rule-compares-itself", Severity: Warning,
		Means: "A sql rule compares a table with itself and so always passes. In mode wap the plain name of the published table reads the audit branch too, wherever spark.wap.branch is set.",
		Fix:   "Write ${PUBLISHED_TABLE} where the rows that readers see are meant, and {object} for the batch.",
	},
	{
		ID: "source-deletes", Severity: Warning,
		Means: "A column looks like a change type or a deletion mark of the source. Deletes are out of scope: a deleted row stays in the published table like any other.",
		Fix:   "Let readers filter by the column, or leave deleted rows out of the feed knowing that they stay published.",
	},
	{
		ID: "text-threshold", Severity: Error,
		Means: "The threshold of a library rule is a text; metrics are numbers, and tools differ in whether '0' equals 0.",
		Fix:   "Remove the quotes.",
	},
	{
		ID: "tie-break-by-file-name", Severity: Warning,
		Means: "dedup.tieBreak orders versions by the name of their file. File names say who wrote a file, rarely which version of a row is newer, and change when a feed is split anew.",
		Fix:   "Use a column whose order the business agreed on, or leave tieBreak out: ties then go to quarantine.",
	},
	{
		ID: "unknown-element", Severity: Error,
		Means: "The element of a service level names a table or column that the contract does not have, so nothing can be measured.",
		Fix:   "Write object.property with names of this file.",
	},
	{
		ID: "unknown-table", Severity: Error,
		Means: "A fixture file names a table that its contract neither publishes nor refers to.",
		Fix:   "Name a published table of the contract, or a table that a relationship leads to.",
	},
	{
		ID: "unknown-unit", Severity: Error,
		Means: "A service level that is a length of time has no unit, or one that nobody knows.",
		Fix:   "Use s, min, h, d, w, mo or y (m is minutes, and months for retention), or the words.",
	},
	{
		ID: "unreadable-file", Severity: Error,
		Means: "A file that a fixture file names, its contract or one of given rows, cannot be read.",
		Fix:   "Write its path as it is seen from the folder of the fixture file.",
	},
	{
		ID: "unused-waiver", Severity: Error,
		Means: "A waiver is about a change that is not there, so it would waive a later one that nobody has looked at.",
		Fix:   "Remove the waiver, or correct its rule and path.",
	},
	{
		ID: "version-is-load-time", Severity: Warning,
		Means: "dedup.latestBy is the load time alone, or only what else the loader adds: the newest version of a row is then the one that was delivered last, so a late or repeated delivery of old data wins.",
		Fix:   "Order by a change time of the source if the feed has one.",
	},
	{
		ID: "wrong-length", Severity: Error,
		Means: "A list of a fixture that has one entry for each row has another number of entries, so rows would be compared with the wrong ones.",
		Fix:   "Write one entry for each given row, in their order.",
	},
}
