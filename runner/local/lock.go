package local

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lock takes the version's lock file. The kernel frees it when the holder dies,
// so a kill leaves nothing to clean up.
func (o Options) lock(ctx context.Context) (func(), error) {
	path := filepath.Join(o.State, "start.lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of the local Spark: %w", err)
	}
	for said := false; ; {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !said {
			o.say("another start of Spark %s is under way; waiting for it", o.Version)
			said = true
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("waiting for another start of Spark %s (lock %s): %w", o.Version, path, err)
		}
	}
}

// birth identifies a process beyond its pid: its start time. "" = no such process.
func birth(pid int) string {
	if runtime.GOOS == "linux" {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return ""
		}
		// The name in parentheses may hold anything; field 22 counts from its end.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 20 || fields[0] == "Z" {
			return ""
		}
		return fields[19]
	}
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
