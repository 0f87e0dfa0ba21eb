package runnertest_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
	"sluice/runner"
	"sluice/runner/runnertest"

	"gopkg.in/yaml.v3"
)

// publicCase is a small input made after a public report, as far as cases about
// values use its format: one batch of texts, and what must become of each row.
type publicCase struct {
	Kind, Contract string
	Input          struct {
		Defaults values
		Rows     []values
		Land     []struct{ Name, Base64 string }
	}
	Expect struct {
		Verdicts     []string // the first code of each row, in order, or accepted
		Rejected     map[string]int64
		Clean        []values
		MessageNames []string `yaml:"message_names"`
	}
}

// Each public case about values ends as it says, with ANSI on and off.
func TestPublicCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/cases/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("listing the cases: %v, %d files", err, len(paths))
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c publicCase
		if err := yaml.Unmarshal(text, &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		contract := filepath.Join(t.TempDir(), "case.odcs.yaml")
		if err := os.WriteFile(contract, []byte(c.Contract), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			if len(c.Input.Land) > 0 {
				landCase(t, contract, c)
				return
			}
			for _, ansi := range []string{"true", "false"} {
				valueCaseRun(t, contract, c, ansi)
			}
		})
	}
}

// landCase: nothing lands, and the message names the file and the place.
func landCase(t *testing.T, contract string, c publicCase) {
	lake := runnertest.Spark(t)
	loaded, _ := lake.Plan(contract)
	for _, file := range c.Input.Land {
		data, err := base64.StdEncoding.DecodeString(file.Base64)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), file.Name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = lake.TryLand(loaded, "b1", path)
		if err == nil {
			t.Fatalf("%s has landed", file.Name)
		}
		for _, want := range c.Expect.MessageNames {
			if !strings.Contains(err.Error(), strings.TrimPrefix(want, "line ")) {
				t.Errorf("the message %q does not name %s", err, want)
			}
		}
	}
}

func valueCaseRun(t *testing.T, contract string, c publicCase, ansi string) {
	lake := runnertest.Spark(t, plan.Setting{Key: "spark.sql.ansi.enabled", Value: ansi})
	loaded, p := lake.Plan(contract)
	table := loaded.Published()[0]
	var columns []string
	for _, column := range table.Columns {
		columns = append(columns, column.Logical)
	}
	caseRows(lake, table.Source.Table.Table(), columns, c)
	r := lake.Run(p, runner.Options{Batch: "b1"})
	if r.Result != runner.Published {
		t.Fatalf("ansi=%s: %s, %v", ansi, r.Result, r.Failures)
	}
	var got []string
	for _, row := range lake.Rows("SELECT coalesce(get(_reject_reasons, 0), 'accepted') AS verdict FROM ~staging." + table.Staging.Table() + " ORDER BY raw_" + table.Key[0]) {
		got = append(got, row.Text("verdict"))
	}
	if want := verdictsByKey(c, table.Key[0]); !slices.Equal(got, want) {
		t.Errorf("ansi=%s: verdicts %v, want %v", ansi, got, want)
	}
	wantReasons(t, r, c.Expect.Rejected)
	for _, want := range c.Expect.Clean {
		cleanRow(t, lake, table.Target.Table(), table.Key[0], want)
	}
}

// verdictsByKey sorts the wanted verdicts as the query sorts the rows.
func verdictsByKey(c publicCase, key string) []string {
	order := make([]int, len(c.Input.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(*c.Input.Rows[a][key], *c.Input.Rows[b][key]) })
	var out []string
	for _, i := range order {
		out = append(out, c.Expect.Verdicts[i])
	}
	return out
}

func caseRows(lake *runnertest.Lake, source string, columns []string, c publicCase) {
	lake.Do("CREATE SCHEMA ~bronze")
	lake.Do("CREATE TABLE ~bronze." + source + " (" + strings.Join(columns, " STRING, ") + " STRING, _source_file STRING, _loaded_at TIMESTAMP, _batch_id STRING) USING DELTA")
	var rows []string
	for i, row := range c.Input.Rows {
		var cells []string
		for _, name := range columns {
			v, given := row[name]
			if !given {
				v = c.Input.Defaults[name]
			}
			cell := "NULL"
			if v != nil {
				cell = sparksql.String(*v)
			}
			cells = append(cells, cell)
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+", 'line "+strconv.Itoa(i+1)+"', TIMESTAMP '2026-03-01 12:00:00Z', 'b1')")
	}
	lake.Do("INSERT INTO ~bronze." + source + " VALUES " + strings.Join(rows, ", "))
}

// cleanRow compares the columns that the case names; moments are instants in UTC,
// without needless digits.
func cleanRow(t *testing.T, lake *runnertest.Lake, target, key string, want values) {
	t.Helper()
	rows := lake.Rows("SELECT to_json(struct(*), map('timestampFormat', \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'\")) AS row FROM ~silver." + target + " WHERE " + key + " = " + sparksql.String(*want[key]))
	if len(rows) != 1 {
		t.Errorf("%d rows are published with key %s", len(rows), *want[key])
		return
	}
	decoder := json.NewDecoder(strings.NewReader(rows[0].Text("row")))
	decoder.UseNumber()
	var got map[string]any
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	for name, v := range want {
		if text := moment.ReplaceAllString(fmt.Sprint(got[name]), "${1}Z"); text != *v {
			t.Errorf("%s of %s is %q, want %q", name, *want[key], text, *v)
		}
	}
}

// moment is an instant whose fraction ends in zeros, without them.
var moment = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d*[1-9])?)\.?0*Z$`)
