package runner_test

import (
	"errors"
	"testing"

	"sluice/runner"
	"sluice/runner/runnertest/fake"
)

func TestCheckPin(t *testing.T) {
	for _, one := range []struct {
		version, text string
		ok            bool
	}{
		{"2.1.0", "expects silver.t contract 2.x, found 2.1.0", true},
		{"2.0", "expects silver.t contract 2.x, found 2.0", true},
		{"3.0.0", "expects silver.t contract 2.x, found 3.0.0", false},
		{"1.9.9", "expects silver.t contract 2.x, found 1.9.9", false},
		{"20.0.0", "expects silver.t contract 2.x, found 20.0.0", false},
		{"two", "expects silver.t contract 2.x, found two", false},
		{"", "expects silver.t contract 2.x, found no contract.version", false},
	} {
		s := &fake.Session{Answer: func(sql string) ([]runner.Row, error) {
			if sql == "guard_history" {
				return []runner.Row{
					{"version": int64(7), "operation": "MERGE", "userMetadata": "contract=2.1.0 id=c batch=b7 run=r7"},
					{"version": int64(6), "operation": "WRITE"},
				}, nil
			}
			if one.version == "" {
				return []runner.Row{{"key": "owner", "value": "me"}}, nil
			}
			return []runner.Row{{"key": "contract.version", "value": one.version}}, nil
		}}
		pin, err := runner.CheckPin(t.Context(), s, small(), 2, false)
		if err != nil || pin.OK != one.ok || pin.Text() != one.text {
			t.Errorf("%s: %v %q %v", one.version, pin.OK, pin.Text(), err)
		}
		if s.Called("history") {
			t.Error("the history was read without being asked for")
		}
		pin, err = runner.CheckPin(t.Context(), s, small(), 2, true)
		if err != nil || pin.OK != one.ok || len(pin.Commits) != 1 || pin.Commits[0] != (runner.Written{Version: 7, Contract: "2.1.0", Batch: "b7", Run: "r7"}) {
			t.Errorf("%s: the commits changed the verdict, or are %v, %v", one.version, pin.Commits, err)
		}
	}
	s := &fake.Session{Answer: func(string) ([]runner.Row, error) { return nil, errors.New("no such table") }}
	if _, err := runner.CheckPin(t.Context(), s, small(), 2, false); err == nil {
		t.Error("a table that is not there passes")
	}
}
