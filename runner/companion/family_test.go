package companion_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// family are the processes of a job: the driver's JVM, its Python and the binary.
type family struct{ driver, python, binary int }

// relatives finds them by their parents in /proc.
func relatives(t *testing.T, driver int) *family {
	t.Helper()
	f := &family{driver: driver}
	under := []int{driver}
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for grew := true; grew; {
		grew = false
		for _, path := range entries {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			text, err := os.ReadFile(path)
			if err != nil || slices.Contains(under, pid) {
				continue
			}
			fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
			if parent, _ := strconv.Atoi(fields[1]); slices.Contains(under, parent) {
				under, grew = append(under, pid), true
			}
		}
	}
	for _, pid := range under {
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		words := strings.Split(string(text), "\x00")
		switch {
		case strings.Contains(filepath.Base(words[0]), "python") && strings.Contains(string(text), "sluice_job.py"):
			f.python = pid
		case filepath.Base(words[0]) == "sluice" && len(words) > 1 && words[1] == "run":
			f.binary = pid
		}
	}
	if f.python == 0 || f.binary == 0 {
		t.Fatalf("the job's processes are %+v", f)
	}
	return f
}

// terminate sends what a platform sends to a job that was cancelled. Only the
// main file gets it here, so that it must pass it on.
func (f *family) terminate(t *testing.T)  { kill(t, f.python, syscall.SIGTERM) }
func (f *family) killBinary(t *testing.T) { kill(t, f.binary, syscall.SIGKILL) }
func (f *family) killDriver(t *testing.T) { kill(t, f.driver, syscall.SIGKILL) }

func kill(t *testing.T, pid int, signal syscall.Signal) {
	if err := syscall.Kill(pid, signal); err != nil {
		t.Errorf("killing %d: %v", pid, err)
	}
}

// gone waits until no process of the job is left.
func (f *family) gone(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for _, pid := range []int{f.driver, f.python, f.binary} {
		for syscall.Kill(pid, 0) == nil {
			if time.Now().After(deadline) {
				t.Errorf("process %d of %+v is still there", pid, *f)
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}
