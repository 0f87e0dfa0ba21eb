package wap_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"sluice/gen/plan"
)

// watcher is a reader of main in a session of its own, which looks as fast as it can.
type watcher struct {
	*testing.T
	reader *till
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	writing bool // between the branch and the call of fast_forward
	seen    []sample
}

// sample is what a reader saw: main's head, and the rows beside it.
type sample struct {
	head, rows int64
	writing    bool
}

func watch(t *testing.T, s *till) *watcher {
	ctx, cancel := context.WithCancel(t.Context())
	w := &watcher{T: t, reader: s.again(), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for ctx.Err() == nil {
			one, stable, err := w.look(ctx)
			if err != nil {
				if ctx.Err() == nil && !errors.Is(err, context.Canceled) {
					t.Errorf("reading main: %v", err)
				}
				return
			}
			if !stable {
				continue // main moved between two reads of its head
			}
			w.mu.Lock()
			one.writing = w.writing
			w.seen = append(w.seen, one)
			w.mu.Unlock()
		}
	}()
	return w
}

// look reads the head before and after the rows: they belong to it if it stood still.
func (w *watcher) look(ctx context.Context) (sample, bool, error) {
	var heads [2]int64
	var rows int64
	for i, sql := range []string{
		"SELECT snapshot_id AS n FROM ~gold.fct_pos_line.refs WHERE name = 'main'", "SELECT count(*) AS n FROM ~gold.fct_pos_line",
		"SELECT snapshot_id AS n FROM ~gold.fct_pos_line.refs WHERE name = 'main'",
	} {
		out, err := w.reader.Query(ctx, w.reader.Names(sql))
		if err != nil {
			return sample{}, false, err
		}
		n, err := out[0].Number("n")
		if err != nil {
			return sample{}, false, err
		}
		if i == 1 {
			rows = n
		} else {
			heads[i/2] = n
		}
	}
	return sample{head: heads[0], rows: rows}, heads[0] == heads[1], nil
}

// phase is told of each statement of the run. Before main is moved it waits until
// there were enough looks at the audited branch's table, however slow they are.
func (w *watcher) phase(st plan.Statement) error {
	for until := time.Now().Add(2 * time.Minute); st.Name == "publish_refs" && w.old() < enough && time.Now().Before(until); {
		time.Sleep(20 * time.Millisecond)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch st.Name {
	case "branch":
		w.writing = true
	case "publish_pin":
		w.writing = false
	}
	return nil
}

const enough = 10

// old are the looks while the branch was written and audited.
func (w *watcher) old() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.seen {
		if one.writing {
			n++
		}
	}
	return n
}

// stop ends the looks after one that began later than the run ended.
func (w *watcher) stop() {
	w.mu.Lock()
	more := len(w.seen) + 2
	w.mu.Unlock()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		w.mu.Lock()
		n := len(w.seen)
		w.mu.Unlock()
		if n >= more {
			break
		}
	}
	w.cancel()
	<-w.done
}

// judge: the old head at least ten times while the branch was written and
// audited, then the new one, and nothing else; rows go with the head.
func (w *watcher) judge(before, after, added int64) {
	w.Helper()
	old, moved := 0, false
	for i, one := range w.seen {
		switch one.head {
		case before:
			if one.writing {
				old++
			}
			if moved {
				w.Errorf("sample %d: main went back", i)
			}
		case after:
			moved = true
		default:
			w.Errorf("sample %d: main is %d, neither %d nor %d", i, one.head, before, after)
		}
		if want := w.seen[0].rows + map[bool]int64{true: added}[one.head == after]; one.rows != want {
			w.Errorf("sample %d: %d rows at head %d, want %d", i, one.rows, one.head, want)
		}
	}
	w.Logf("%d samples, %d of the old head while the branch was written and audited", len(w.seen), old)
	if old < enough || !moved {
		w.Errorf("%d samples of the old head while the branch was written and audited, want %d; the new one was seen: %v", old, enough, moved)
	}
}

// only: main stood still.
func (w *watcher) only(head int64) {
	w.Helper()
	for i, one := range w.seen {
		if one.head != head || one.rows != w.seen[0].rows {
			w.Errorf("sample %d: %d rows at head %d, want %d at %d", i, one.rows, one.head, w.seen[0].rows, head)
		}
	}
}
