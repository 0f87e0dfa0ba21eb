package runner

import (
	"errors"
	"strings"
	"testing"
)

// What no statement can mend is said with what to do; other errors stay as they are.
func TestHalfMade(t *testing.T) {
	left := &StepError{"ensure_audit_log", "ensure_audit_log", "fail", &StatementError{Class: "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION", Message: "not empty"}}
	if err := halfMade(left); !errors.Is(err, left) || !strings.Contains(err.Error(), "delete the folder") {
		t.Errorf("%v", err)
	}
	if other := errors.New("other"); halfMade(other) != other {
		t.Error("another error is told otherwise")
	}
}
