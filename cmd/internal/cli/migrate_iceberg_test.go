package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"sluice/runner"

	"github.com/google/go-cmp/cmp"
)

// driftedLines is a session on a table of till lines that has drifted in every
// way that Iceberg knows, under a branch that the cluster has set for everybody.
func driftedLines(b *bench, partition string) {
	b.session.Tables = []runner.Column{
		{Name: "upload_date", Type: "DATE"},
		{Name: "business_date", Type: "DATE"},
		{Name: "basket_id", Type: "STRING", Nullable: true},
		{Name: "line_no", Type: "INT"},
		{Name: "quantity", Type: "STRING", Nullable: true},
		{Name: "amount", Type: "DECIMAL(12,2)"},
		{Name: "currency", Type: "STRING"},
		{Name: "_loaded_at", Type: "TIMESTAMP"},
		{Name: "till", Type: "STRING", Nullable: true},
	}
	b.session.Answer = func(sql string) ([]runner.Row, error) {
		switch {
		case strings.Contains(sql, "SHOW TBLPROPERTIES"):
			return []runner.Row{{"key": "contract.version", "value": "1.2.0"}, {"key": "contract.added.till", "value": "1.1.0 2026-01-01 00:00:00"}}, nil
		case strings.Contains(sql, "DESCRIBE TABLE"):
			return []runner.Row{
				{"col_name": "upload_date", "data_type": "date"}, {"col_name": "# Partition Information", "data_type": ""},
				{"col_name": "# col_name", "data_type": "data_type"}, {"col_name": partition, "data_type": "date"},
			}, nil
		case strings.Contains(sql, "`basket_id` IS NULL"):
			return []runner.Row{{"rows": int64(3)}}, nil
		case strings.Contains(sql, "count(*)"):
			return []runner.Row{{"rows": int64(0)}}, nil
		default:
			return nil, nil
		}
	}
}

func TestIcebergMigrationScript(t *testing.T) {
	b := newBench()
	driftedLines(b, "upload_date")
	if code := b.main("migrate", lines); code != exitDone {
		t.Fatalf("exit %d: %s", code, b.err.String())
	}
	got, golden := regexp.MustCompile(`'1\.3\.0 \d{4}-[^']*'`).ReplaceAllString(b.out.String(), "'1.3.0 <now>'"), "testdata/migrate_iceberg.sql"
	if os.Getenv("SLUICE_UPDATE") == "1" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-committed +generated); SLUICE_UPDATE=1 rewrites it:\n%s", golden, diff)
	}
}

func TestIcebergMigrationRefusesPartitions(t *testing.T) {
	b := newBench()
	driftedLines(b, "business_date")
	code := b.main("migrate", lines, "--apply")
	if code != exitFailed || !strings.Contains(b.err.String(), "it is partitioned by (business_date), the contract says (upload_date): sluice does not change how a table is partitioned; publish another table") {
		t.Errorf("exit %d: %s", code, b.err.String())
	}
	if b.session.Called("ALTER TABLE") {
		t.Errorf("something was changed: %v", b.session.Calls())
	}
}
