package gen_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/templates"

	"github.com/google/go-cmp/cmp"
)

var examples = []string{"sales/orders", "aviation/flights", "aviation/airlines", "aviation/planes", "retail/pos_line"}

func build(t *testing.T, path string) *plan.Plan {
	t.Helper()
	c, err := contracts.Load(path, contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := gen.Build(c, c.Published()[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Clients that part a script at the semicolons that end lines read no comments.
func TestNoCommentEndsAStatement(t *testing.T) {
	err := fs.WalkDir(templates.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(templates.FS, path)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "--") && strings.HasSuffix(line, ";") {
				t.Errorf("%s: the comment %q ends like a statement", path, line)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The committed statements under sql/ are the goldens.
func TestGoldens(t *testing.T) {
	for _, name := range examples {
		p := build(t, "../contracts/"+name+".odcs.yaml")
		folder := filepath.Join("../sql", p.Table[strings.LastIndex(p.Table, ".")+1:])
		files := gen.Files(p)
		if os.Getenv("SLUICE_UPDATE") == "1" {
			update(t, folder, files)
		}
		have, err := filepath.Glob(folder + "/*.sql") // a notebook may stand beside them
		if err != nil {
			t.Fatal(err)
		}
		if len(have) != len(files) {
			t.Errorf("%s holds %d files, the plan has %d statements; SLUICE_UPDATE=1 rewrites them", folder, len(have), len(files))
		}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(folder, f.Name))
			if err != nil {
				t.Error(err)
				continue
			}
			if diff := cmp.Diff(string(text), f.Content); diff != "" {
				t.Errorf("%s/%s (-committed +generated); SLUICE_UPDATE=1 rewrites it:\n%s", folder, f.Name, diff)
			}
		}
	}
}

func update(t *testing.T, folder string, files []gen.File) {
	t.Helper()
	stale, err := filepath.Glob(folder + "/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), []byte(f.Content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every statement is well formed, every marker declared, and Bind leaves none.
func TestStatementsAreWellFormed(t *testing.T) {
	paths := []string{"testdata/hostile.odcs.yaml", "testdata/zones.odcs.yaml", "testdata/wide.odcs.yaml", "testdata/typed.odcs.yaml", "testdata/stamped.odcs.yaml", "../runner/runnertest/testdata/holdback/stock.odcs.yaml"}
	for _, name := range examples {
		paths = append(paths, "../contracts/"+name+".odcs.yaml")
	}
	for _, path := range paths {
		p := build(t, path)
		if diff := cmp.Diff(p, build(t, path)); diff != "" {
			t.Errorf("%s: two builds differ: %s", path, diff)
		}
		values := bound()
		for _, step := range p.Steps {
			for _, s := range step.Statements {
				sound(t, path+" "+s.Name, s.SQL)
				sql, left, err := p.Bind(s.SQL, values)
				if err != nil || len(left) > 0 {
					t.Errorf("%s %s: binding leaves %v: %v", path, s.Name, left, err)
				}
				sound(t, path+" "+s.Name+", bound", sql)
			}
		}
	}
}

func bound() plan.Values {
	values := plan.Values{
		"batch_id": "b'1\\", "run_id": "r1", "missing_columns": []plan.Column{{Name: "a`b", Type: "STRING"}},
		"started_at": "2026-01-01 00:00:00", "batch_hash": nil, "batch_columns": "a,b",
		"passed": true, "published": false, "recovered": false, "added_columns": []string{"it's"},
		"partition": nil, "partition_upload_date": "2026-09-30", "key_low": "it's", "key_high": nil, "pin": "a`b", "pin_name": "it's", "commit_stamp": "a=b'",
	}
	for _, n := range []string{"attempt", "read_version", "input_rows", "accepted_rows", "rejected_rows", "refused_rows", "commit_version", "snapshot_id", "main_snapshot", "audited_snapshot"} {
		values[n] = int64(1)
	}
	for _, n := range []string{"reasons", "filled", "segments", "checks", "target_counts", "step_seconds", "failures"} {
		values[n] = map[string]string{"it's": "${x} -- :y"}
	}
	return values
}

// sound checks quotes and parentheses by the lexer, and that no template text is left.
func sound(t *testing.T, name, sql string) {
	t.Helper()
	depth := 0
	var joined strings.Builder
	for _, tok := range sparksql.Tokens(sql) {
		joined.WriteString(tok.Text)
		switch {
		case tok.Kind == sparksql.Literal && (len(tok.Text) < 2 || tok.Text[0] != tok.Text[len(tok.Text)-1]):
			t.Errorf("%s: an open literal: %s", name, tok.Text)
		case tok.Kind == sparksql.Quoted && (len(tok.Text) < 2 || tok.Text[len(tok.Text)-1] != '`'):
			t.Errorf("%s: an open identifier: %s", name, tok.Text)
		case tok.Text == "(":
			depth++
		case tok.Text == ")":
			depth--
		case tok.Text == ";":
			t.Errorf("%s: a second statement", name)
		case tok.Kind == sparksql.Comment && strings.Contains(tok.Text, "DROP"):
			t.Errorf("%s: contract text in a comment went over its line: %s", name, tok.Text)
		case tok.Kind == sparksql.Word && tok.Text == "DROP" && !strings.HasSuffix(name, "record_unpin") && !strings.HasSuffix(name, "record_unpin, bound"):
			t.Errorf("%s: contract text became SQL", name)
		}
	}
	if depth != 0 || joined.String() != sql {
		t.Errorf("%s: parentheses end at depth %d", name, depth)
	}
	for _, bad := range []string{"{{", "<no value>", "%!", "${"} {
		if strings.Contains(sql, bad) {
			t.Errorf("%s holds %q:\n%s", name, bad, sql)
		}
	}
}

// The plan model carries Iceberg: order, settings, checks and conditions of a
// write-audit-publish run. Its SQL comes later.
func TestSkeletonOfWriteAuditPublish(t *testing.T) {
	c, err := contracts.Load("../contracts/retail/pos_line.odcs.yaml", contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range gen.Skeleton(c, c.Published()[0]) {
		line := []string{string(s.Kind), s.Name}
		for _, setting := range s.Settings {
			line = append(line, "set "+setting.Key+"="+setting.Value)
		}
		for _, check := range s.Checks {
			line = append(line, check.Rule)
		}
		if s.SkipIfZero != "" {
			line = append(line, "unless "+s.SkipIfZero)
		}
		got = append(got, strings.Join(line, " "))
	}
	text, err := os.ReadFile("testdata/pos_line.skeleton")
	if os.Getenv("SLUICE_UPDATE") == "1" {
		err = os.WriteFile("testdata/pos_line.skeleton", []byte(strings.Join(got, "\n")+"\n"), 0o644)
		text = []byte(strings.Join(got, "\n") + "\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), strings.Join(got, "\n")+"\n"); diff != "" {
		t.Errorf("skeleton (-want +got):\n%s", diff)
	}
}

// userMetadata belongs to the publishing statement alone, and no step changes a
// setting that is not named here.
func TestOnlyPublishSetsUserMetadata(t *testing.T) {
	p := build(t, "../contracts/sales/orders.odcs.yaml")
	got := map[string]string{}
	for _, s := range p.Steps {
		for _, setting := range s.Settings {
			got[s.Name] += setting.Key
			if len(s.Statements) != 1 {
				t.Errorf("step %s sets %s around %d statements", s.Name, setting.Key, len(s.Statements))
			}
		}
	}
	settings := map[string]string{
		"publish":    "spark.databricks.delta.commitInfo.userMetadata",
		"quarantine": "spark.sql.sources.partitionOverwriteMode",
	}
	if diff := cmp.Diff(settings, got); diff != "" {
		t.Errorf("settings by step (-want +got):\n%s", diff)
	}
	want := "contract=2.2.0 id=sales-orders-silver batch=:batch_id run=:run_id"
	if got := p.Step("publish").Settings[0].Value; got != want {
		t.Errorf("userMetadata %q, want %q", got, want)
	}
}

// A routine run of a merge has at most twenty statements beside lookups and the contract's own rules.
func TestRoutineStatements(t *testing.T) {
	for _, name := range examples {
		p := build(t, "../contracts/"+name+".odcs.yaml")
		n := 0
		for _, s := range p.Steps {
			if s.Kind == plan.Ensure || s.Name == "audit_missing" || s.Name == "quarantine_refused" || s.Name == "settle_moved" || s.Name == "record_version" || s.Name == "judge" || s.Name == "settle_lookups" || s.Name == "guard_segments" || s.Name == "judge_segments" {
				continue
			}
			n += len(s.Statements)
		}
		most := 20
		if p.Branch != "" {
			most = 36 // a branch is made, written, proven and published, with a REFRESH before each look at the heads
		}
		if n > most {
			t.Errorf("%s: %d statements in a routine run", name, n)
		}
	}
}
