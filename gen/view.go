package gen

import (
	"errors"
	"fmt"
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// view is what the templates see. Names are quoted, lists are one item a line.
type view struct {
	contract *contracts.Contract
	table    *contracts.Table
	schemas  map[string]sparksql.Name
	lookups  map[string]lookupView
	rules    map[string]ruleView
	stored   []string // check: counts of published rows by the codes that they would have

	Version, TableName                               string
	Target, Source, Staging, Verdict                 string
	Quarantine, AuditLog                             string
	DescribeStructs, DescribeTables                  []string
	BatchFilter                                      string
	VolumeWindow                                     int
	Labels                                           string
	SettlesLookups, HoldsBack, Fills                 bool
	stageView                                        // the typed projection
	settleView                                       // order, ties, joins
	partitionView                                    // a replaced partition, an audit branch
	segmentView                                      // rules by segment
	TargetDDL, StagingDDL, QuarantineDDL, AuditDDL   []string
	QuarantineColumns, QuarantineValues              []string
	MergeColumns, Assignments, Columns, SourceValues []string
	AuditColumns, AuditValues                        []string
	Accepted                                         []string
	Constraint                                       plan.Constraint
	Lookup                                           lookupView
	Rule                                             ruleView
	Metrics                                          metricsView
}

// The embedded groups are exported to templates by their fields.
type stageView struct {
	Phase                                                         string   // before the names of the steps; "" = alone in the statement
	Margin                                                        string   // where the line of the codes begins
	carried                                                       []string // columns that pass through all steps
	Typed, HasMalformed, Header                                   bool
	StagingColumns, BatchColumns, TrimmedColumns, PreparedColumns []string
	ParsedColumns, TypedColumns, StagedColumns, Codes             []string
	CodesOpen, CodesClose, Prepared                               string
	AuditInputs, AuditCounts, HashInputs                          []string
	MissingTrimmed, MissingCounts                                 []string
}

type settleView struct {
	OrderColumn, Content, VersionOrder, PeerColumns, CopyOrder             string
	Keys, SourceKeys, DuplicateColumns, PublishedColumns, RawColumns       []string
	RepeatedJoin, CandidateKeys, CandidateSourceKeys, TargetJoin, HeldJoin string
	SourceOrder, TargetOrder, SameContent                                  string
	SameButAdded, SameButFilled                                            []string
	AsOf                                                                   string
	DirtyVerdicts, Readable, RejectedJoin                                  string
	SourceKey, HeldReasons                                                 string
	TargetKeys, RejectedKeys                                               []string
}

type lookupView struct {
	Why, Table, Code, Present, Join, Example string
	KnownColumns                             []string
	Earlier                                  bool
	OnTarget                                 bool // check: the published rows instead of the accepted ones
}

type ruleView struct {
	Why, Object, Query string
	Accepted           bool // Object is the CTE of the accepted rows
}

func newView(c *contracts.Contract, t *contracts.Table) (*view, error) {
	v := &view{
		contract: c, table: t, Version: c.Version.String(), TableName: t.Target.String(),
		Target: t.Target.SQL(), Source: t.Source.Table.SQL(), Staging: t.Staging.SQL(), Verdict: t.Verdict.SQL(),
		Quarantine: t.Quarantine.SQL(), AuditLog: t.AuditLog.SQL(),
		BatchFilter: ident(t.Source.Batch) + " = :batch_id", VolumeWindow: 14, Labels: "'unchanged', 'stale'",
		stageView: stageView{Margin: "  "},
		lookups:   map[string]lookupView{}, rules: map[string]ruleView{},
	}
	_, v.schemas = schemaNames(t)
	for _, r := range t.Rules {
		if r.Kind == contracts.VolumeRatio && r.Window > 0 && len(r.By) == 0 {
			v.VolumeWindow = r.Window
		}
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	v.fillPartition()
	v.fillStage()
	v.fillAudit()
	v.fillSettle()
	v.fillSegments()
	v.fillTables()
	v.fillMerge()
	v.fillRecord()
	for _, table := range v.tables() {
		v.DescribeStructs = append(v.DescribeStructs, "struct("+ident(table.Alias)+".*) AS "+ident(table.Alias))
		v.DescribeTables = append(v.DescribeTables, table.SQL+" AS "+ident(table.Alias))
	}
	v.fillLookups()
	return v, v.fillRules()
}

// check refuses what the statements could not be written for.
func (v *view) check() error {
	if len(v.hashed()) == 0 {
		return errors.New("reading the contract: no column is filled by the feed itself; without one a batch has no content to compare")
	}
	for _, c := range v.table.Columns {
		if err := checkFormats(c); err != nil {
			return fmt.Errorf("reading column %q: %w", c.Name, err)
		}
	}
	return v.checkNames()
}

// sources are the source columns whose text is kept as raw_*, in contract order.
func (v *view) sources() []string {
	var out []string
	for _, c := range v.table.Columns {
		if !stamped(c) {
			out = union(out, c.Sources)
		}
	}
	return out
}

// stamped columns hold where a row came from, as the loader wrote it. They have
// no text of the feed to keep, trim or count.
func stamped(c *contracts.Column) bool {
	return c.Metadata == contracts.FileMetadata || c.Metadata == contracts.LineMetadata || c.Metadata == contracts.BatchMetadata
}

// hashed are the source columns that make the content of a batch. The load time
// is none: landing the same content again may give it another.
func (v *view) hashed() []string {
	var out []string
	for _, s := range v.sources() {
		if !strings.EqualFold(s, v.table.Source.LoadedAt) {
			out = append(out, s)
		}
	}
	return out
}

// bronze are the columns that the stage statement reads under their own names.
func (v *view) bronze() []string {
	out := v.sources()
	for _, c := range v.table.Columns {
		if stamped(c) {
			out = union(out, c.Sources)
		}
	}
	return out
}

// metadata are the loader's columns that staging keeps beside the contract's
// own: a bronze column, its name in staging and quarantine, and its type.
type metadata struct{ bronze, name, typ string }

func (v *view) metadata() []metadata {
	var out []metadata
	for _, m := range []struct {
		kind              contracts.MetadataKind
		bronze, name, typ string
	}{
		{contracts.FileMetadata, v.table.Source.File, "_source_file", "STRING"},
		{contracts.LineMetadata, v.table.Source.Line, "_source_line", "BIGINT"},
		{contracts.LoadedAtMetadata, v.table.Source.LoadedAt, "_loaded_at", "TIMESTAMP"},
		{"malformed", v.table.Source.Malformed, "_malformed", "STRING"},
	} {
		if m.bronze != "" && v.columnOf(m.kind) == nil && v.table.Column(m.name) == nil {
			out = append(out, metadata{m.bronze, m.name, m.typ})
		}
	}
	return out
}

// columnOf is the contract's column that metadata of this kind fills.
func (v *view) columnOf(kind contracts.MetadataKind) *contracts.Column {
	for _, c := range v.table.Columns {
		if c.Metadata == kind {
			return c
		}
	}
	return nil
}

func (v *view) tables() []plan.Table {
	t := v.table
	one := func(role plan.Role, alias string, name sparksql.Name, columns []plan.Column) plan.Table {
		return plan.Table{Role: role, Alias: alias, Name: name.String(), SQL: name.SQL(), Columns: columns, Describe: "SELECT * FROM " + name.SQL() + " LIMIT 0"}
	}
	out := []plan.Table{
		one(plan.SourceTable, "source", t.Source.Table, v.sourceColumns()),
		one(plan.TargetTable, "target", t.Target, targetColumns(t)),
		one(plan.StagingTable, "staging", t.Staging, v.stagingColumns()),
		one(plan.VerdictTable, "verdict", t.Verdict, []plan.Column{{Name: "_run_id", Type: "STRING"}, {Name: "_row_number", Type: "BIGINT"}, {Name: "reason", Type: "STRING"}}),
		one(plan.QuarantineTable, "quarantine", t.Quarantine, v.quarantineColumns()),
		one(plan.AuditLogTable, "audit_log", t.AuditLog, auditColumns()),
	}
	for i, r := range t.Relationships {
		var columns []plan.Column
		for _, name := range r.References {
			columns = append(columns, plan.Column{Name: name, Nullable: true})
		}
		out = append(out, one(plan.LookupTable, fmt.Sprintf("lookup_%d", i+1), r.Table, columns))
	}
	return out
}

func (v *view) sourceColumns() []plan.Column {
	names := v.bronze()
	for _, m := range v.metadata() {
		names = union(names, []string{m.bronze})
	}
	var out []plan.Column
	for _, n := range union(names, []string{v.table.Source.Batch}) {
		out = append(out, plan.Column{Name: n, Nullable: true})
	}
	return out
}

func targetColumns(t *contracts.Table) []plan.Column {
	var out []plan.Column
	for _, c := range t.Columns {
		out = append(out, plan.Column{Name: c.Name, Type: c.Type.String(), Nullable: !c.Required || c.OnBatch, Comment: strings.TrimSpace(c.Description)})
	}
	return out
}
