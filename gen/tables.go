package gen

import (
	"strings"

	"sluice/contracts"
	"sluice/gen/plan"
)

func (v *view) fillTables() {
	for _, c := range targetColumns(v.table) {
		v.TargetDDL = append(v.TargetDDL, targetDDL(c, !c.Nullable))
	}
	for _, c := range v.stagingColumns() {
		line := ident(c.Name) + " " + c.Type
		if !c.Nullable {
			line += " NOT NULL"
		}
		v.StagingDDL = append(v.StagingDDL, line)
	}
	for _, c := range v.quarantineColumns() {
		v.QuarantineDDL = append(v.QuarantineDDL, ident(c.Name)+" "+c.Type)
		if c.Name != "_batch_id" {
			v.QuarantineColumns = append(v.QuarantineColumns, ident(c.Name))
			v.QuarantineValues = append(v.QuarantineValues, v.quarantineValue(c.Name))
		}
	}
	v.fillReplacedRejects()
	v.PartitionDDL = idents(v.table.Partition)
	for _, c := range auditColumns() {
		v.AuditDDL = append(v.AuditDDL, ident(c.Name)+" "+c.Type)
	}
}

// fillReplacedRejects: Iceberg's quarantine is replaced by a MERGE, whose source
// holds the new rejects and a row for each earlier run of the batch.
func (v *view) fillReplacedRejects() {
	for _, c := range v.quarantineColumns() {
		switch c.Name {
		case "_batch_id":
			continue
		case "_run_id":
			v.EarlierValues = append(v.EarlierValues, ident(c.Name))
		default:
			v.EarlierValues = append(v.EarlierValues, "CAST(NULL AS "+c.Type+")")
		}
		v.QuarantineSource = append(v.QuarantineSource, "s."+ident(c.Name))
	}
}

// targetDDL is a column of the target as DDL writes it.
func targetDDL(c plan.Column, notNull bool) string {
	line := ident(c.Name) + " " + c.Type
	if notNull {
		line += " NOT NULL"
	}
	if c.Comment != "" {
		line += " COMMENT " + lit(c.Comment)
	}
	return line
}

// quarantineColumns: the key as text, the source's text, why, and where from.
func (v *view) quarantineColumns() []plan.Column {
	var out []plan.Column
	add := func(name, typ string) { out = append(out, plan.Column{Name: name, Type: typ, Nullable: true}) }
	for _, k := range v.table.Key {
		add(k, "STRING")
	}
	for _, s := range v.sources() {
		add(contracts.RawName(s), "STRING")
	}
	add("_reject_reason", "STRING")
	add("_reject_reasons", "STRING")
	add("_run_id", "STRING")
	add("_contract_version", "STRING")
	for _, m := range v.evidence() {
		add(m.name, m.typ)
	}
	add("_quarantined_at", "TIMESTAMP")
	add("_batch_id", "STRING")
	return out
}

// evidence says where a row came from: the loader's columns, from the
// contract's own columns where it declares them.
func (v *view) evidence() []metadata {
	var out []metadata
	for _, m := range []struct {
		kind      contracts.MetadataKind
		name, typ string
	}{
		{contracts.FileMetadata, "_source_file", "STRING"},
		{contracts.LineMetadata, "_source_line", "BIGINT"},
		{contracts.LoadedAtMetadata, "_loaded_at", "TIMESTAMP"},
	} {
		if c := v.columnOf(m.kind); c != nil {
			out = append(out, metadata{c.Name, m.name, m.typ})
		}
	}
	for _, m := range v.metadata() {
		out = append(out, metadata{m.name, m.name, m.typ})
	}
	return out
}

func (v *view) quarantineValue(name string) string {
	switch name {
	case "_reject_reason":
		return "s.`_codes`[0] AS `_reject_reason`"
	case "_reject_reasons":
		return "array_join(s.`_codes`, '; ') AS `_reject_reasons`"
	case "_run_id":
		return ":run_id AS `_run_id`"
	case "_contract_version":
		return lit(v.Version) + " AS `_contract_version`"
	case "_quarantined_at":
		return "current_timestamp() AS `_quarantined_at`"
	}
	for _, m := range v.evidence() {
		if m.name != name {
			continue
		}
		value := "s." + ident(m.bronze)
		if c := v.table.Column(m.bronze); c != nil && c.Type.String() != m.typ {
			value = "try_cast(" + value + " AS " + m.typ + ")"
		}
		if m.bronze == m.name && !strings.HasPrefix(value, "try_cast") {
			return value
		}
		return value + " AS " + ident(m.name)
	}
	if has(v.table.Key, name) {
		return v.quarantinedKey(v.table.Column(name))
	}
	return "s." + ident(name)
}

// quarantinedKey is the key as text: typed where it could be read, else as the
// source sent it.
func (v *view) quarantinedKey(c *contracts.Column) string {
	value := "s." + ident(c.Name)
	if casts(c) {
		value = "CAST(" + value + " AS STRING)"
	}
	if !stamped(c) {
		value = "coalesce(" + value + ", s." + ident(contracts.RawName(c.Sources[0])) + ")"
	}
	if value == "s."+ident(c.Name) {
		return value
	}
	return value + " AS " + ident(c.Name)
}

// column of the audit log: its type, and the value that record writes.
type audited struct{ name, typ, value string }

func auditLog(v *view) []audited {
	number := func(name string) audited { return audited{name, "BIGINT", "CAST(:" + name + " AS BIGINT)"} }
	counts := func(name string) audited {
		return audited{name, "MAP<STRING,BIGINT>", "from_json(:" + name + ", 'map<string,bigint>')"}
	}
	flag := func(name string) audited { return audited{name, "BOOLEAN", ":" + name} }
	const check = "struct<code:string,rule:string,result:string,value:string,bound:string,severity:string,dimension:string,owner:string>"
	return []audited{
		{"contract_id", "STRING", lit(v.contract.ID)},
		{"table_name", "STRING", lit(v.TableName)},
		{"contract_version", "STRING", lit(v.Version)},
		{"batch_id", "STRING", ":batch_id"},
		{"run_id", "STRING", ":run_id"},
		{"attempt", "INT", "CAST(:attempt AS INT)"},
		{"started_at", "TIMESTAMP", "CAST(:started_at AS TIMESTAMP)"},
		{"ended_at", "TIMESTAMP", "current_timestamp()"},
		number("input_rows"), number("accepted_rows"), number("rejected_rows"), number("refused_rows"),
		counts("reasons"), counts("filled"), counts("segments"),
		{"checks", "ARRAY<STRUCT<code: STRING, rule: STRING, result: STRING, value: STRING, bound: STRING, severity: STRING, dimension: STRING, owner: STRING>>", "from_json(:checks, 'array<" + check + ">')"},
		counts("target_counts"), number("commit_version"),
		number("snapshot_id"), {"partition", "STRING", "CAST(:partition AS STRING)"},
		{"step_seconds", "MAP<STRING,DOUBLE>", "from_json(:step_seconds, 'map<string,double>')"},
		{"batch_hash", "STRING", "CAST(:batch_hash AS STRING)"},
		{"batch_columns", "STRING", ":batch_columns"},
		{"owner", "STRING", lit(v.contract.Owner)},
		flag("passed"), flag("published"), flag("recovered"),
		{"failures", "ARRAY<STRING>", "from_json(:failures, 'array<string>')"},
	}
}

func auditColumns() []plan.Column {
	var out []plan.Column
	for _, a := range auditLog(&view{contract: &contracts.Contract{}}) {
		out = append(out, plan.Column{Name: a.name, Type: a.typ, Nullable: true})
	}
	return out
}

func (v *view) fillRecord() {
	for _, a := range auditLog(v) {
		v.AuditColumns = append(v.AuditColumns, ident(a.name))
		v.AuditValues = append(v.AuditValues, a.value)
	}
}
