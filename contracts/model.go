package contracts

import (
	"time"

	"sluice/gen/sparksql"
)

// Contract is one document, normalised: defaults filled in, names resolved
// against the chosen server, rules in file order. It does not change after Load.
type Contract struct {
	ID         string
	Version    Version
	APIVersion string
	Status     string
	File       string // as it was named to Load
	Server     Server // the chosen one; zero when the document has none
	Team       string // team.name
	Owner      string // first member with role owner, else the team
	Consumers  []Consumer
	Tables     []*Table
	SLA        []SLA // service levels in file order
	About      About `json:",omitzero"`
}

// Consumer is a reader of the published tables, who must hear of a change.
type Consumer struct {
	Name, Contact string
	Major         int      // the major version that it reads; 0 = not said
	Columns       []string // empty = all
}

// Published returns the tables that carry a publish key, in file order; the
// others are only lookup targets.
func (c *Contract) Published() []*Table {
	var out []*Table
	for _, t := range c.Tables {
		if t.Publish.Mode != "" {
			out = append(out, t)
		}
	}
	return out
}

// ReplacesPartition reports whether a run replaces one partition of the table.
func (t *Table) ReplacesPartition() bool {
	return t.Publish.Mode == ReplacePartition || t.Publish.Mode == WAP && t.Publish.Write == ReplacePartition
}

// Server is the part of servers[] that sluice uses.
type Server struct {
	Name    string
	Host    string
	Port    string
	Catalog string
	Schema  string
	Format  Format
}

// Format is the table format of a server.
type Format string

// The formats that sluice writes.
const (
	Delta   Format = "delta"
	Iceberg Format = "iceberg"
)

// Table is one schema object.
type Table struct {
	ID, Name      string // logical, as relationships refer to it
	Target        sparksql.Name
	Grain         string // dataGranularityDescription
	Description   string `json:",omitempty"`
	Deprecated    bool
	Key           []string
	Partition     []string // partitioned columns in partitionKeyPosition order
	Columns       []*Column
	Source        Source
	Dedup         Dedup
	Publish       Publish
	Staging       sparksql.Name
	Verdict       sparksql.Name
	Quarantine    sparksql.Name
	AuditLog      sparksql.Name
	IgnoreHeader  bool // headerRow: ignore, stored but outside the ceiling
	Keep          Keep
	RowRules      []*RowRule      // of the author, in file order: columns first
	Rules         []*Rule         // batch rules in file order
	Relationships []*Relationship // in file order
}

// Column returns the column with that name, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Column is one stored property.
type Column struct {
	Name         string // physicalName, else name
	Logical      string // name
	Type         sparksql.Type
	Required     bool
	KeyPosition  int    // 1.. for key columns, else 0
	Expression   string // transformLogic, verbatim; "" = the source column itself
	Sources      []string
	Metadata     MetadataKind // set when source.metadata fills this column
	Lenient      bool         // cast: lenient
	EmptyIsValue bool
	NullValues   []string
	Formats      []string // format, then acceptFormats: JDK patterns beyond the ISO grammar
	Hex          bool     `json:",omitempty"` // BINARY: the text is hexadecimal, else base64
	Zone         ZonePolicy
	DefaultZone  string // IANA name; UTC unless the contract says otherwise
	Rules        []ColumnRule
	Codes        Codes
	Description  string
	Deprecated   bool
	Replaces     string // the stored column that this one takes over from
	Clock        bool   // logicalType time: HH:mm:ss[.ffffff], stored as text (Spark 3.5 has no TIME)
	OnBatch      bool   // constraint: batch, so the table itself does not hold required

	Classification string   `json:",omitempty"` // classification, verbatim
	Tags           []string `json:",omitempty"`

	Members []*Column `json:",omitempty"` // of a STRUCT, in order
	Item    *Column   `json:",omitempty"` // of an ARRAY, or the values of a MAP

	stem  string // what codes call it: address_city for a member
	depth int    // of a member below its column
}

// MetadataKind says which loader column fills a property. The column in bronze
// is named by Source; a metadata column takes no part in the content compare.
type MetadataKind string

// The kinds of load metadata.
const (
	FileMetadata     MetadataKind = "file"
	LineMetadata     MetadataKind = "line"
	LoadedAtMetadata MetadataKind = "loadedAt"
	BatchMetadata    MetadataKind = "batch"
)

// ZonePolicy says whether the text of a timestamp may carry a zone.
type ZonePolicy string

// logicalTypeOptions.timezone: unset, true, false.
const (
	ZoneAllowed  ZonePolicy = ""
	ZoneRequired ZonePolicy = "required"
	ZoneRefused  ZonePolicy = "refused"
)

// Codes are the reason codes of a column for a value that is absent or cannot
// be read as its type.
type Codes struct {
	Missing, Unparseable string
}

// ColumnRule is a promise on one typed value; NULL never breaks it.
type ColumnRule struct {
	Option   Option
	Code     string
	Values   []string // enum: canonical text of each value, in file order
	Bound    string   // minimum …, multipleOf: canonical text; lengths and counts: digits; pattern: the regular expression; format: its name
	OnTable  bool     // also a CHECK on the target
	Position Position
}

// Option is the closed set of column rules.
type Option string

// The options, in the order in which their codes are given.
const (
	Enum             Option = "enum"
	Minimum          Option = "minimum"
	ExclusiveMinimum Option = "exclusiveMinimum"
	Maximum          Option = "maximum"
	ExclusiveMaximum Option = "exclusiveMaximum"
	MultipleOf       Option = "multipleOf"
	MinLength        Option = "minLength"
	MaxLength        Option = "maxLength"
	Pattern          Option = "pattern"
	TextFormat       Option = "format"      // email, uuid, uri, hostname, ipv4, ipv6
	Dimensions       Option = "dimensions"  // of a vector
	MinItems         Option = "minItems"    // of an array
	MaxItems         Option = "maxItems"    //
	UniqueItems      Option = "uniqueItems" //
	MinProperties    Option = "minProperties"
	MaxProperties    Option = "maxProperties"
)

// Source is where a batch comes from.
type Source struct {
	Table     sparksql.Name
	Typed     bool
	File      string // bronze column names of the loader's metadata; "" = not there
	Line      string
	LoadedAt  string
	Batch     string
	Malformed string
}

// Dedup declares the order of versions of one key.
type Dedup struct {
	LatestBy       []string
	TieBreak       []string
	Compare        []string // columns whose difference makes a tie a conflict
	FailOnTie      bool     // onConflictingTie: fail
	HoldBackBroken bool     // onBrokenNewest: holdBack
}

// Publish is how accepted rows reach readers.
type Publish struct {
	Mode   PublishMode
	Branch string      // wap
	Write  PublishMode // wap: merge or replacePartition
}

// PublishMode is the closed set of publish.mode and publish.write.
type PublishMode string

// The publish modes.
const (
	Merge            PublishMode = "merge"
	ReplacePartition PublishMode = "replacePartition"
	WAP              PublishMode = "wap"
)

// Keep is keepFor: how long sluice keeps its own artefacts; zero = for ever.
type Keep struct {
	Quarantine, Staging, Branch, AuditLog time.Duration
}

// RuleKind is the closed set of batch rules.
type RuleKind string

// The batch rules. RowExpression is one here only if it does not reject rows:
// with a severity that warns, or over the published table.
const (
	RowCount        RuleKind = "rowCount"
	DuplicateValues RuleKind = "duplicateValues"
	NullValues      RuleKind = "nullValues"
	MissingValues   RuleKind = "missingValues"
	InvalidValues   RuleKind = "invalidValues"
	SQLRule         RuleKind = "sql"
	RejectRatio     RuleKind = "rejectRatio"
	VolumeRatio     RuleKind = "volumeRatio"
	RowExpression   RuleKind = "rowExpression"
	// PartitionsUnchanged: on the audit branch, every partition but the one that a
	// run replaces has the files that readers see.
	PartitionsUnchanged RuleKind = "partitionsUnchanged"
)

// Rule judges a batch as a whole, or the published table after it.
type Rule struct {
	ID         string // id, else name, else kind
	Kind       RuleKind
	Column     string   // stored name of the column on which it stands; "" = the table
	Columns    []string // duplicateValues: the tuple
	Query      string   // sql, verbatim
	Expression string   // rowExpression, verbatim
	Values     []string // missingValues, invalidValues: canonical text
	Pattern    string   // invalidValues
	Percent    bool     // the value is 100 * rows / all rows, 0 without rows
	OnTarget   bool     // scope: target, judged after publishing and only reported
	Compare    Comparison
	Warn       bool // severity that only warns
	Severity   string
	Dimension  string
	Owner      string
	About      string `json:",omitempty"` // description
	MaxPercent,
	MinRatio, MaxRatio float64 // rejectRatio; volumeRatio
	Window   int
	By       []string // rejectRatio, volumeRatio: the columns whose values make a segment; nil = the whole batch
	AtLeast  int64    // volumeRatio by segment: smaller usual volumes are not judged
	Position Position
}

// RowRule is an author's promise about each row, over its typed columns. A row
// for which it is false is rejected; NULL passes, as in a CHECK.
type RowRule struct {
	ID         string
	Code       string
	Expression string // verbatim
	OnTable    bool   // constraint: table, also a CHECK on the target
	Severity   string `json:",omitempty"`
	Dimension  string `json:",omitempty"`
	Owner      string
	About      string `json:",omitempty"` // description
	Position   Position
}

// Comparison is the one operator of a library or sql rule.
type Comparison struct {
	Op     string   // mustBe, mustNotBe, mustBeGreaterThan, … as ODCS writes them
	Bounds []string // canonical decimal text; two for the between operators
}

// OnViolation is what an unknown foreign key means.
type OnViolation string

// The consequences of an unknown foreign key.
const (
	FailBatch      OnViolation = "failBatch"
	QuarantineRows OnViolation = "quarantine"
	WarnOnly       OnViolation = "warn"
)

// Relationship is a foreign key to a table of this or another file.
type Relationship struct {
	ID          string
	Columns     []string // of this table
	Table       sparksql.Name
	References  []string // columns of Table, same order
	File        string   `json:",omitempty"` // contract that describes Table, from the folder of this one; "" = this one
	OnViolation OnViolation
	Code        string // unknown_<column>
	Position    Position
}
