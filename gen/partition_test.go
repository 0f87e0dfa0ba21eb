package gen_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
)

// Partitions that no command line can name, or that Delta cannot replace, are refused
// before a run would find out at its last statement.
func TestPartitionTypes(t *testing.T) {
	text, err := os.ReadFile("testdata/elsewhere.odcs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const day = "logicalType: date, physicalType: DATE, required: true, partitioned: true, partitionKeyPosition: 1, logicalTypeOptions: {format: yyyy-MM-dd}"
	for _, one := range []struct {
		column string
		delta  bool
		ok     bool
	}{
		{"logicalType: string, physicalType: STRING", true, true},
		{"logicalType: integer, physicalType: BIGINT, logicalTypeOptions: {format: i64}", true, true},
		{"logicalType: boolean, physicalType: BOOLEAN", false, true},
		{"logicalType: boolean, physicalType: BOOLEAN", true, false},
		{"logicalType: number, physicalType: 'DECIMAL(9,2)'", false, false},
	} {
		contract := strings.Replace(string(text), day, one.column+", required: true, partitioned: true, partitionKeyPosition: 1", 1)
		if one.delta {
			contract = strings.NewReplacer("format: iceberg", "format: delta", "{mode: wap, write: replacePartition}", "{mode: replacePartition}").Replace(contract)
		}
		path := filepath.Join(t.TempDir(), "stock.odcs.yaml")
		if err := os.WriteFile(path, []byte(contract), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := contracts.Load(path, contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gen.Build(c, c.Published()[0]); (err == nil) != one.ok || err != nil && !errors.Is(err, gen.ErrUnsupported) {
			t.Errorf("%s on %s: %v", one.column, c.Server.Format, err)
		}
	}
}
