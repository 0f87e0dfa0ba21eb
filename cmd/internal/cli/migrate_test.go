package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/runner"

	"github.com/google/go-cmp/cmp"
)

var added = regexp.MustCompile(`'2\.2\.0 \d{4}-[^']*'`)

// drifted is a session on an orders table that has drifted in every way: an older
// version, a column too few, too many, of another type, one that may be NULL, a
// rule that was tightened, one that is gone, other words.
func drifted(b *bench) {
	optional := func(name, typ string) runner.Column { return runner.Column{Name: name, Type: typ, Nullable: true} }
	b.session.Tables = []runner.Column{
		{Name: "order_id", Type: "STRING", Comment: "Business key of the order."},
		optional("customer_id", "STRING"),
		{Name: "order_ts", Type: "TIMESTAMP", Comment: "When."},
		{Name: "order_total", Type: "DOUBLE"},
		{Name: "currency", Type: "STRING"},
		{Name: "source_updated_at", Type: "TIMESTAMP", Comment: "Change time in the source system; decides which version wins."},
		{Name: "_source_file", Type: "STRING"},
		optional("channel", "STRING"),
	}
	properties := [][2]string{
		{"contract.version", "2.1.0"},
		{"delta.constraints.order_total_minimum", "`order_total` >= 1"},
		{"delta.constraints.channel_known", "channel IN ('web', 'shop')"},
		{"contract.added.channel", "2.1.0 2026-01-01 00:00:00"},
		{"delta.isolationLevel", "Serializable"},
	}
	b.session.Answer = func(sql string) ([]runner.Row, error) {
		switch {
		case strings.Contains(sql, "SHOW TBLPROPERTIES"):
			var rows []runner.Row
			for _, p := range properties {
				rows = append(rows, runner.Row{"key": p[0], "value": p[1]})
			}
			return rows, nil
		case strings.Contains(sql, "DESCRIBE DETAIL"):
			return []runner.Row{{"minReaderVersion": int64(1), "minWriterVersion": int64(3)}}, nil
		case strings.Contains(sql, "count(*)"):
			n := int64(0)
			if strings.Contains(sql, "IS NULL") || strings.Contains(sql, "IS NOT NULL") {
				n = 12
			}
			return []runner.Row{{"rows": n}}, nil
		default:
			return nil, nil
		}
	}
}

// The script of a migration is what a person reviews.
func TestMigrationScript(t *testing.T) {
	for name, flags := range map[string][]string{"migrate.sql": nil, "migrate_rewrite.sql": {"--rewrite"}} {
		b := newBench()
		drifted(b)
		if code := b.main(append([]string{"migrate", orders}, flags...)...); code != exitDone {
			t.Fatalf("exit %d: %s", code, b.err.String())
		}
		got, golden := added.ReplaceAllString(b.out.String(), "'2.2.0 <now>'"), "testdata/"+name
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
		if slices.ContainsFunc(b.session.Calls(), func(sql string) bool { return strings.Contains(sql, "ALTER") || strings.Contains(sql, "UPDATE") }) {
			t.Errorf("something was changed without --apply: %v", b.session.Calls())
		}
	}
}

func TestMigrateRefuses(t *testing.T) {
	newer := func(b *bench) {
		drifted(b)
		answer := b.session.Answer
		b.session.Answer = func(sql string) ([]runner.Row, error) {
			if strings.Contains(sql, "SHOW TBLPROPERTIES") {
				return []runner.Row{{"key": "contract.version", "value": "2.3.0"}}, nil
			}
			return answer(sql)
		}
	}
	absent := func(b *bench) {
		b.session.Answer = func(string) ([]runner.Row, error) {
			return nil, &runner.StatementError{Class: "TABLE_OR_VIEW_NOT_FOUND", Message: "no such table"}
		}
	}
	for name, c := range map[string]struct {
		prepare func(*bench)
		flags   []string
		code    int
		says    string
	}{
		"a newer table":                   {newer, nil, exitFailed, "a newer contract wrote the table, 2.3.0, and this is 2.2.0"},
		"no table":                        {absent, nil, exitDone, "the first run creates it"},
		"destructive, nothing to apply":   {drifted, []string{"--allow-destructive"}, exitUsage, "needs --apply"},
		"applied, and something is left":  {drifted, []string{"--apply"}, exitFailed, "the table is as it was"},
		"a statement that Spark does not": {drifted, []string{"--table", "nope"}, exitUsage, "publishes no table"},
	} {
		b := newBench()
		c.prepare(b)
		code := b.main(append([]string{"migrate", orders}, c.flags...)...)
		if code != c.code || !strings.Contains(b.err.String(), c.says) {
			t.Errorf("%s: exit %d, %s; want %d and %q", name, code, b.err.String(), c.code, c.says)
		}
	}
}
