package gen_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
)

const posLine = "../contracts/retail/pos_line.odcs.yaml"

// On Iceberg a column of the table that may be NULL is no drift: it could not be
// mended, and row rules hold it.
func TestIcebergTablesNeedNoMigration(t *testing.T) {
	for name, fields := range map[string][]string{
		"as declared":                {"upload_date"},
		"a transform of the owner's": {"UPLOAD_DATE", "bucket(8, basket_id)"},
	} {
		s := asDeclared(build(t, posLine))
		s.Partitioned = fields
		if m, err := migrate(t, posLine, false, s); err != nil || len(m.Changes) > 0 {
			t.Errorf("%s: %v, %+v", name, err, m.Changes)
		}
	}
	s := asDeclared(build(t, posLine))
	s.Partitioned = []string{"upload_date"}
	for i := range s.Columns {
		s.Columns[i].Nullable = true
	}
	m, err := migrate(t, posLine, false, s)
	if err != nil || len(m.Changes) == 0 {
		t.Fatalf("%v, %+v", err, m.Changes)
	}
	for _, c := range m.Changes { // only rows without a value would be something to do
		if !strings.HasPrefix(c.Name, "fill_") || c.Meaning != plan.Todo || c.Statement != nil {
			t.Errorf("%+v", c)
		}
	}
}

func TestIcebergPromotions(t *testing.T) {
	for change, want := range map[string]string{
		"amount DECIMAL(12,2)": "promote_amount ", "amount DECIMAL(12, 2)": "promote_amount ",
		"amount DECIMAL(12,1)": "add_amount_migrated carry_over_amount drop_amount rename_amount set_aside_amount ",
		"amount DECIMAL(20,2)": "add_amount_migrated carry_over_amount drop_amount rename_amount set_aside_amount ",
		"amount INT":           "add_amount_migrated carry_over_amount drop_amount rename_amount set_aside_amount ",
		"line_no BIGINT":       "add_line_no_migrated carry_over_line_no drop_line_no rename_line_no set_aside_line_no ",
	} {
		column, typ, _ := strings.Cut(change, " ")
		s := asDeclared(build(t, posLine))
		s.Partitioned = []string{"upload_date"}
		for i := range s.Columns {
			if s.Columns[i].Name == column {
				s.Columns[i].Type = typ
			}
		}
		m, err := migrate(t, posLine, false, s)
		got := ""
		for _, c := range m.Changes {
			if !strings.HasPrefix(c.Name, "promote_staged_") {
				got += c.Name + " "
			}
		}
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", change, got, err, want)
		}
	}
}

func TestIcebergRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*plan.State)
		want string
	}{
		"no partitions":               {func(s *plan.State) { s.Partitioned = nil }, "it is partitioned by (), the contract says (upload_date)"},
		"a transform of the column":   {func(s *plan.State) { s.Partitioned = []string{"months(upload_date)"} }, "it is partitioned by (), the contract says (upload_date)"},
		"a column more":               {func(s *plan.State) { s.Partitioned = []string{"upload_date", "store_id"} }, "it is partitioned by (upload_date, store_id)"},
		"its column of another type":  {func(s *plan.State) { s.Columns[0].Type = "TIMESTAMP" }, "partitioned by upload_date, which is TIMESTAMP and cannot become DATE"},
		"a table of a newer contract": {func(s *plan.State) { s.Properties["contract.version"] = "9.0.0" }, "a newer contract wrote the table"},
	} {
		s := asDeclared(build(t, posLine))
		s.Partitioned = []string{"upload_date"}
		c.edit(&s)
		m, err := migrate(t, posLine, false, s)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(m.Changes) > 0 || !errors.Is(err, gen.ErrPartitioning) && !errors.Is(err, gen.ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := contracts.Load(posLine, contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gen.Migrator(c, c.Published()[0], true); err == nil || !strings.Contains(err.Error(), "leave --rewrite away") {
		t.Errorf("--rewrite: %v", err)
	}
}

// Iceberg shows TINYINT and SMALLINT as INT; the guard has to expect that.
func TestIcebergStoresNarrowTypesAsInt(t *testing.T) {
	text, err := os.ReadFile(posLine)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "narrow.odcs.yaml")
	narrow := strings.NewReplacer("physicalType: INT", "physicalType: SMALLINT", "format: i32", "format: i16").Replace(string(text))
	if err := os.WriteFile(path, []byte(narrow), 0o600); err != nil {
		t.Fatal(err)
	}
	p := build(t, path)
	for _, role := range []plan.Role{plan.TargetTable, plan.StagingTable} {
		if c := p.TableOf(role).Column("line_no"); c == nil || c.Type != "INT" {
			t.Errorf("%s: %+v", role, c)
		}
	}
	if sql := p.Step("ensure_target").Statements[0].SQL; !strings.Contains(sql, "`line_no` SMALLINT NOT NULL") {
		t.Error(sql)
	}
}
