package plan

import "testing"

func TestBindPartition(t *testing.T) {
	p := &Plan{Table: "gold.lines", Partition: []PartitionColumn{{"day", "DATE", "partition_day"}, {"store", "INT", "partition_store"}}}
	values, text, err := p.BindPartition(map[string]string{"day": "2024-02-29", "store": "7"})
	if err != nil || text != "day=2024-02-29,store=7" || values["partition_day"] != "2024-02-29" || values["partition_store"] != "7" {
		t.Errorf("%v, %q, %v", values, text, err)
	}
	for _, wrong := range []map[string]string{
		{"day": "2024-02-29"}, {"day": "2023-02-29", "store": "7"}, {"day": "2024-13-01", "store": "7"}, {"day": "2024-00-10", "store": "7"},
		{"day": "2024-1-1", "store": "7"}, {"day": "2024-01-01' OR 1=1", "store": "7"}, {"day": "2024-01-01", "store": "07"},
		{"day": "2024-01-01", "store": "seven"}, {"day": "2024-01-01", "store": "7", "region": "x"}, {"day": "2024-01-00", "store": "1"}, {"day": "0000-01-01", "store": "1"},
	} {
		if _, _, err := p.BindPartition(wrong); err == nil {
			t.Errorf("%v is bound", wrong)
		}
	}
	if _, _, err := (&Plan{Table: "silver.orders"}).BindPartition(map[string]string{"day": "2024-01-01"}); err == nil {
		t.Error("a merge takes a partition")
	}
	if values, text, err := (&Plan{}).BindPartition(nil); err != nil || len(values) != 0 || text != "" {
		t.Error("a merge needs a partition")
	}
}
