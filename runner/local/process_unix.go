//go:build unix

package local

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

var errLocked = syscall.EWOULDBLOCK

func tryLock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// unlock frees a lock even while a child still holds a copy of it: whoever
// comes here has seen the child end.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	_ = file.Close()
}

// detach lets a child outlive this command and its terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// group gives a child its own process group, so that killGroup reaches its children too.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(pid int) error { return gone(syscall.Kill(-pid, syscall.SIGKILL)) }

func terminate(pid int) error { return gone(syscall.Kill(pid, syscall.SIGTERM)) }

func gone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
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
	out, err := exec.Command("ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid)).Output()
	stat, start, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || strings.HasPrefix(stat, "Z") {
		return ""
	}
	return strings.TrimSpace(start)
}
