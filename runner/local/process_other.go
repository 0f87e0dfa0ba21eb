//go:build !unix

package local

import (
	"errors"
	"os"
	"os/exec"
)

// Elsewhere every start ends here: tryLock is its first step.
var (
	errLocked = errors.New("it is locked")
	errSystem = errors.New("the local Spark needs Linux or macOS; on Windows use WSL, or --remote")
)

func tryLock(*os.File) error { return errSystem }
func unlock(file *os.File)   { _ = file.Close() }
func detach(*exec.Cmd)       {}
func group(*exec.Cmd)        {}
func killGroup(int) error    { return errSystem }
func terminate(int) error    { return errSystem }
func birth(int) string       { return "" }
