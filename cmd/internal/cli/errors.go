package cli

import (
	"context"
	"errors"
	"fmt"

	"sluice/contracts"
	"sluice/runner"

	ucli "github.com/urfave/cli/v2"
)

// The exit codes, which scripts rely on.
const (
	exitDone        = 0
	exitFinding     = 1   // a check found something
	exitUsage       = 2   // usage, or an unreadable contract
	exitFailed      = 3   // cannot connect or a statement failed, nothing published
	exitRefused     = 4   // the batch is refused
	exitUnknown     = 5   // outcome unknown, or published but not recorded
	exitInterrupted = 130 // as a shell reports SIGINT
)

// usageError is a command that cannot be carried out as it was written.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// findingError ends a command that did its work and found something. What it
// found is already on standard output; the text is the last line of all.
type findingError struct{ text string }

func (e *findingError) Error() string { return e.text }

// resultError is a run whose batch is not published, or is published in a way
// that a person must look at.
type resultError struct {
	result runner.Result
	text   string
}

func (e *resultError) Error() string { return e.text }

// exitCode is the only place where errors become exit codes. An interrupt
// counts only if it left nothing to look at: a run whose outcome is unknown is
// 5, whoever stopped it.
func exitCode(ctx context.Context, err error) int {
	var result *resultError
	var finding *findingError
	var usage *usageError
	var problems contracts.Problems
	var help ucli.ExitCoder
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &result) && result.result == runner.Refused:
		return exitRefused
	case errors.As(err, &result) && result.result != runner.Failed:
		return exitUnknown
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &finding):
		return exitFinding
	case errors.As(err, &usage), errors.As(err, &problems), errors.As(err, &help):
		return exitUsage
	default:
		return exitFailed
	}
}

// message is the last line on standard error, "" for none.
func message(ctx context.Context, err error) string {
	var result *resultError
	switch {
	case err == nil:
		return ""
	case ctx.Err() != nil && !errors.As(err, &result):
		return "interrupted: " + err.Error()
	default:
		return err.Error()
	}
}
