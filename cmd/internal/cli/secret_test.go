package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/runner"
)

// A run on a contract with variables shows their values to nobody: not in its
// progress, its report, its last line, nor in what Spark says of a table.
func TestRunHidesValues(t *testing.T) {
	dir := t.TempDir()
	contract, err := os.ReadFile(orders)
	if err != nil {
		t.Fatal(err)
	}
	customers, err := os.ReadFile(filepath.Join(filepath.Dir(orders), "customers.odcs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(contract), "silver.orders", `"hunter_${SECRET}.orders"`)
	for name, text := range map[string]string{"orders.odcs.yaml": changed, "customers.odcs.yaml": string(customers)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "orders.odcs.yaml")
	for _, flags := range [][]string{{"--json"}, {"--report", filepath.Join(dir, "report.json")}} {
		b := newBench()
		b.vars["SECRET"] = "s3cr3t"
		b.session.Answer = func(sql string) ([]runner.Row, error) {
			return nil, &runner.StatementError{Class: "TABLE_OR_VIEW_NOT_FOUND", Message: "there is no hunter_s3cr3t.orders in " + sql}
		}
		if code := b.main(append([]string{"run", path, "--batch", "b1", "--allow-env", "SECRET"}, flags...)...); code != 3 {
			t.Errorf("exit code %d, want 3: %s", code, &b.err)
		}
		report, _ := os.ReadFile(filepath.Join(dir, "report.json"))
		shown := b.out.String() + b.err.String() + string(report)
		if strings.Contains(shown, "s3cr3t") || !strings.Contains(shown, "hunter_${SECRET}.orders") {
			t.Errorf("%v shows:\n%s", flags, shown)
		}
	}
}

// Short values are no reason to spoil every message.
func TestShortValuesLeaveWordsAlone(t *testing.T) {
	b := newBench()
	if code := b.main("lint", "nowhere", "--var", "X=e"); code != 2 || !strings.Contains(b.err.String(), "looking for contracts") {
		t.Errorf("exit code %d: %s", code, &b.err)
	}
}
