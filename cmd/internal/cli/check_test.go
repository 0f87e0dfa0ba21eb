package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/runner"
)

// published is the drifted table as the statement of the guard shows it.
func published(b *bench) {
	drifted(b)
	b.session.Tables = []runner.Column{{Name: "target", Type: "STRUCT", Fields: b.session.Tables}}
}

// A check tells people, scripts and CI servers the same, and exits by what it found.
func TestCheckReports(t *testing.T) {
	b := newBench()
	published(b)
	if code := b.main("check", orders, "--metadata-only", "--quiet"); code != exitFinding {
		t.Fatalf("exit %d: %s", code, b.err.String())
	}
	for _, part := range []string{"FINDING  silver.orders", `has no column "order_date" (DATE)`, "CHECK channel_known", "sluice migrate " + orders} {
		if !strings.Contains(b.out.String(), part) {
			t.Errorf("the text lacks %q:\n%s", part, b.out.String())
		}
	}
	if !strings.Contains(b.err.String(), "failed, on 1 of 1 table") {
		t.Errorf("the closing line is %s", b.err.String())
	}
	text := b.out.String()

	b = newBench()
	published(b)
	b.main("check", orders, "--metadata-only", "--quiet", "--json")
	var report runner.TableReport
	if err := json.Unmarshal(b.out.Bytes(), &report); err != nil || report.Result != runner.TableFinding || strings.Count(text, "\ntarget_drift: ")+2 != len(report.Checks) {
		t.Errorf("%v: %+v", err, report)
	}

	b = newBench()
	published(b)
	b.main("check", "--all", orders, "--metadata-only", "--quiet", "--junit")
	if got := strings.Count(b.out.String(), "<failure"); got != len(report.Checks) || !strings.Contains(b.out.String(), `classname="silver.orders"`) {
		t.Errorf("JUnit has %d failures, want %d:\n%s", got, len(report.Checks), b.out.String())
	}

	b = newBench()
	b.session.Answer = func(string) ([]runner.Row, error) { return nil, &runner.StatementError{Message: "permission denied"} }
	if code := b.main("check", orders, "--quiet"); code != exitFailed || !strings.Contains(b.out.String(), "permission denied") {
		t.Errorf("a statement that fails: exit %d, %s", code, b.out.String())
	}
	for _, call := range b.session.Calls() {
		if strings.Contains(call, "ALTER") || strings.Contains(call, "INSERT") {
			t.Errorf("a check wrote: %s", call)
		}
	}
}
