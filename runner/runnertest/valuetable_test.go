package runnertest_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sluice/gen/sparksql"

	"gopkg.in/yaml.v3"
)

// valueTable is one file of testdata/values: the property under test, which the
// harness names after the file, and texts with the verdict that each must get.
type valueTable struct {
	column    string
	Property  yaml.Node   `yaml:"property"` // goes into the contract as it is written: 2020-01-01, 1.10
	Why       string      `yaml:"why"`
	Otherwise *string     `yaml:"otherwise"` // an accepted text for the rows of other tables; a required column needs one
	Values    []valueCase `yaml:"values"`
}

// valueCase is one text. Without codes it is accepted; clean is the typed value
// as text, and the text itself where it is left out.
type valueCase struct {
	Value  yaml.Node `yaml:"value"`  // null is a missing value
	Times  int       `yaml:"times"`  // the value, that many times over: very long texts
	Around string    `yaml:"around"` // a text before and after all of it
	Codes  []string  `yaml:"codes"`
	Clean  yaml.Node `yaml:"clean"`
	Why    string    `yaml:"why"`
}

// text is the value as bronze holds it.
func (v valueCase) text() *string { return nodeText(v.Value, v.Times, v.Around) }

// want is the typed value as text; a rejected one says nothing of it.
func (v valueCase) want() *string {
	if v.Clean.Kind == 0 {
		return v.text()
	}
	return nodeText(v.Clean, 1, "")
}

func nodeText(n yaml.Node, times int, around string) *string {
	if n.Tag == "!!null" {
		return nil
	}
	text := around + strings.Repeat(n.Value, max(times, 1)) + around
	return &text
}

var columnFile = regexp.MustCompile(`^[a-z][a-z0-9_]*\.yaml$`)

// valueTables reads every file of the folder.
func valueTables(t *testing.T) []*valueTable {
	t.Helper()
	paths, err := filepath.Glob("testdata/values/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no value tables: %v", err)
	}
	var out []*valueTable
	for _, path := range paths {
		table, err := readValueTable(path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, table)
	}
	return out
}

func readValueTable(path string) (*valueTable, error) {
	if !columnFile.MatchString(filepath.Base(path)) {
		return nil, errors.New("the name of the file is the name of a column: lower-case letters, digits and _")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	table := &valueTable{column: strings.TrimSuffix(filepath.Base(path), ".yaml")}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(table); err != nil {
		return nil, err
	}
	if len(table.Values) == 0 || table.Property.Kind != yaml.MappingNode {
		return nil, errors.New("property and values are needed")
	}
	for i, v := range table.Values {
		if v.Value.Kind != yaml.ScalarNode || v.Clean.Kind != 0 && (v.Clean.Kind != yaml.ScalarNode || len(v.Codes) > 0) {
			return nil, fmt.Errorf("value %d: value and clean are texts or null, and a rejected value has no clean one", i+1)
		}
	}
	return table, nil
}

const valueContractHead = `apiVersion: v3.2.0
kind: DataContract
id: values
version: 1.0.0
status: active
servers:
  - {server: local, type: custom, host: localhost, port: 15002, schema: silver, format: delta}
team: {name: values}
`

// valueContract is one contract with a column for each table.
func valueContract(t *testing.T, tables []*valueTable) string {
	t.Helper()
	text := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }
	properties := []any{
		map[string]any{"name": "case_id", "logicalType": "string", "physicalType": "STRING", "required": true, "primaryKey": true, "primaryKeyPosition": 1},
		map[string]any{"name": "changed_at", "logicalType": "timestamp", "physicalType": "TIMESTAMP", "required": true},
	}
	for _, table := range tables {
		named := table.Property
		named.Content = append([]*yaml.Node{text("name"), text(table.column)}, named.Content...)
		properties = append(properties, &named)
	}
	custom := func(name string, value any) map[string]any {
		return map[string]any{"property": name, "vendor": "sluice", "value": value}
	}
	schema := map[string]any{"schema": []any{map[string]any{
		"name": "cases", "physicalName": "silver.cases", "physicalType": "table", "logicalType": "object",
		"dataGranularityDescription": "One row per value of a table of values.", "properties": properties,
		"customProperties": []any{
			custom("source", map[string]any{"table": "bronze.cases", "metadata": map[string]any{"batch": "_batch_id"}}),
			custom("dedup", map[string]any{"latestBy": []string{"changed_at"}}),
			custom("publish", map[string]any{"mode": "merge"}),
			custom("nullValues", []string{"<none>"}), // of every column that names none itself
		},
	}}}
	out, err := yaml.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "values.odcs.yaml")
	if err := os.WriteFile(path, append([]byte(valueContractHead), out...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// shown is the typed value as text: bytes as base64, in one line.
func (table *valueTable) shown() string {
	column := sparksql.Ident(table.column)
	for i, key := range table.Property.Content {
		if key.Value == "physicalType" && table.Property.Content[i+1].Value == "BINARY" {
			return "replace(base64(" + column + "), '\\r\\n', '')"
		}
	}
	return "CAST(" + column + " AS STRING)"
}

// id is the key of a case's row.
func (table *valueTable) id(i int) string { return fmt.Sprintf("%s/%04d", table.column, i+1) }

func literalOrNull(text *string) string {
	if text == nil {
		return "CAST(NULL AS STRING)"
	}
	return sparksql.String(*text)
}

// bronzeOfValues is a CREATE TABLE AS: one row a case, its text in the column of
// its table and NULL (or what the table says) in all others.
func bronzeOfValues(bronze string, tables []*valueTable) string {
	var rows, columns []string
	for n, table := range tables {
		for i, v := range table.Values {
			rows = append(rows, fmt.Sprintf("(%s, %d, %s)", sparksql.String(table.id(i)), n, literalOrNull(v.text())))
		}
		columns = append(columns, fmt.Sprintf("CASE WHEN n = %d THEN text ELSE %s END AS %s", n, literalOrNull(table.Otherwise), sparksql.Ident(table.column)))
	}
	return "CREATE TABLE " + bronze + " USING DELTA AS SELECT case_id, '2026-03-01T09:00:00Z' AS changed_at, " +
		"CAST(NULL AS STRING) AS _loaded_at, 'values' AS _batch_id, " + strings.Join(columns, ", ") +
		" FROM VALUES " + strings.Join(rows, ", ") + " AS v(case_id, n, text)"
}
