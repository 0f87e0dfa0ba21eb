package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// stall is how long a download may show no sign of life.
const stall = 4 * time.Minute

// job is a child that may take minutes.
type job struct {
	path      string
	args, env []string
	lock      *os.File           // the child holds it too
	said      func(line string)  // sees each line of its output; may be nil
	size      func() int64       // what it has written so far; may be nil
	tick      func(int64) string // a progress line; may be nil
}

// run runs a job to its end and returns its output. It ends the job and its
// children when ctx is done or nothing moves any more.
func (m maker) run(ctx context.Context, j job) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &lines{said: j.said}
	cmd := exec.CommandContext(ctx, j.path, j.args...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.Dir = j.env, out, out, m.State
	if j.lock != nil {
		cmd.ExtraFiles = []*os.File{j.lock}
	}
	group(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	cmd.WaitDelay = 5 * time.Second
	watched := make(chan struct{})
	go func() { defer close(watched); m.watch(ctx, cancel, j, out) }()
	err := cmd.Run()
	cause := context.Cause(ctx)
	cancel(nil)
	<-watched
	if err != nil && cause != nil {
		err = cause
	}
	return out.bytes(), err
}

// watch shows progress every few seconds, and gives up on a job that stalls.
func (m maker) watch(ctx context.Context, cancel context.CancelCauseFunc, j job, out *lines) {
	var last string
	seen, moved := int64(-1), time.Now()
	for sleep(ctx, 3*time.Second) == nil {
		now := int64(out.len())
		if j.size != nil {
			now += j.size()
		}
		if now != seen {
			seen, moved = now, time.Now()
		}
		if time.Since(moved) > stall {
			cancel(fmt.Errorf("nothing moved for %s; is the network reachable", stall))
		}
		if j.tick == nil {
			continue
		}
		out.mu.Lock() // said and tick share the job's step
		text := j.tick(now)
		out.mu.Unlock()
		if text != last {
			m.say("%s", text)
			last = text
		}
	}
}

// lines keeps an output and shows each whole line of it.
type lines struct {
	mu   sync.Mutex
	all  bytes.Buffer
	rest string
	said func(string)
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Write(p)
	if l.said != nil {
		l.rest += string(p)
		for {
			line, rest, whole := strings.Cut(l.rest, "\n")
			if !whole {
				break
			}
			l.said(strings.TrimSpace(line))
			l.rest = rest
		}
	}
	return len(p), nil
}

func (l *lines) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.all.Bytes())
}

func (l *lines) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Len()
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// lock takes a lock file. The kernel frees it when the holder dies, so a kill
// leaves nothing to clean up.
func (m maker) lock(ctx context.Context, path, holder string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of the local Spark: %w", err)
	}
	for said := false; ; {
		err := tryLock(file)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, fmt.Errorf("taking lock %s: %w", path, err)
		}
		if !said {
			m.say("%s is under way; waiting for it", holder)
			said = true
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("waiting for %s (lock %s): %w", holder, path, err)
		}
	}
}
