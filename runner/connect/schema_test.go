package connect

import (
	"encoding/json"
	"reflect"
	"testing"

	"sluice/runner"
)

func TestColumns(t *testing.T) {
	text := `{"struct":{"fields":[
		{"name":"id","dataType":{"string":{}}},
		{"name":"amount","dataType":{"decimal":{"precision":18,"scale":2}},"nullable":true,"metadata":"{\"comment\":\"It's net.\"}"},
		{"name":"tags","dataType":{"array":{"elementType":{"string":{}},"containsNull":true}},"nullable":true},
		{"name":"counts","dataType":{"map":{"keyType":{"string":{}},"valueType":{"long":{}}}},"nullable":true},
		{"name":"code","dataType":{"varChar":{"length":3}},"nullable":true,"metadata":"{\"__CHAR_VARCHAR_TYPE_STRING\":\"varchar(3)\"}"},
		{"name":"lines","dataType":{"array":{"elementType":{"struct":{"fields":[{"name":"sku","dataType":{"integer":{}}}]}}}},"nullable":true},
		{"name":"new_kind","dataType":{},"nullable":true},
		{"name":"t","dataType":{"struct":{"fields":[{"name":"at","dataType":{"timestampNtz":{}}}]}},"nullable":false}]}}`
	var in dataType
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	got, err := columns(in)
	if err != nil {
		t.Fatal(err)
	}
	want := []runner.Column{
		{Name: "id", Type: "STRING"},
		{Name: "amount", Type: "DECIMAL(18,2)", Nullable: true, Comment: "It's net."},
		{Name: "tags", Type: "ARRAY<STRING>", Nullable: true},
		{Name: "counts", Type: "MAP<STRING,BIGINT>", Nullable: true},
		{Name: "code", Type: "VARCHAR(3)", Nullable: true},
		{Name: "lines", Type: "ARRAY<STRUCT<sku:INT>>", Nullable: true},
		{Name: "new_kind", Type: "UNKNOWN", Nullable: true},
		{Name: "t", Type: "STRUCT<at:TIMESTAMP_NTZ>", Fields: []runner.Column{{Name: "at", Type: "TIMESTAMP_NTZ"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
}
