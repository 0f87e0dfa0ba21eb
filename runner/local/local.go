// Package local makes a real Spark Connect server from what the user has, for
// laptops, tests and CI: SPARK_HOME if it is set, else pyspark in a private
// virtual environment. Java 17 and Python 3 are the only prerequisites.
//
// One server runs for each version. It outlives the command that started it;
// its tables lie in a state folder that survives restarts. A lock file keeps two
// starts apart: the second one finds the first one's server.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Options say which Spark, and where its files are.
type Options struct {
	Version string              // 4.1 (default) or 3.5
	Home    string              // downloads; "" is SLUICE_HOME, else sluice in the user's cache folder
	State   string              // tables, log and lock; "" is Home/state/<version>
	Port    int                 // 0 is SLUICE_SPARK_PORT, else a free one
	Memory  string              // driver heap, "" is 4g
	UI      bool                // Spark's web interface, on loopback
	Log     func(string)        // progress, a line each; may be nil
	Getenv  func(string) string // nil is os.Getenv
}

// Server is a running server.
type Server struct {
	Version string    `json:"version"` // 4.1
	Spark   string    `json:"spark"`   // 4.1.3
	PID     int       `json:"pid"`
	Port    int       `json:"port"`
	Remote  string    `json:"remote"` // sc://localhost:PORT
	Log     string    `json:"log"`
	Started time.Time `json:"started"`
	Reused  bool      `json:"-"`

	Birth string `json:"birth"` // start time of the process, so that a reused pid is not taken for it
}

// Start finds the running server of a version or starts one.
func Start(ctx context.Context, o Options) (Server, error) {
	o, r, err := o.complete()
	if err != nil {
		return Server{}, err
	}
	unlock, err := o.lock(ctx)
	if err != nil {
		return Server{}, err
	}
	defer unlock()
	if s, ok := o.running(); ok {
		s.Reused = true
		return s, nil
	}
	java, err := o.java(ctx)
	if err != nil {
		return Server{}, err
	}
	home, err := o.spark(ctx, r)
	if err != nil {
		return Server{}, err
	}
	port, err := o.port()
	if err != nil {
		return Server{}, err
	}
	return o.launch(ctx, r, home, java, port)
}

// Status lists the running servers of all versions.
func Status(o Options) ([]Server, error) {
	var out []Server
	for _, version := range Versions() {
		one := o
		one.Version = version
		one, _, err := one.complete()
		if err != nil {
			return nil, err
		}
		if s, ok := one.running(); ok {
			out = append(out, s)
		}
	}
	return out, nil
}

// Stop ends the servers that Start made, all versions unless Options names one,
// and returns them. It waits until they are gone, so that the metastore is free.
func Stop(ctx context.Context, o Options) ([]Server, error) {
	servers, err := Status(o)
	if err != nil {
		return nil, err
	}
	var stopped []Server
	for _, s := range servers {
		if o.Version != "" && s.Version != o.Version {
			continue
		}
		if err := end(ctx, s); err != nil {
			return stopped, fmt.Errorf("stopping Spark %s (pid %d): %w", s.Spark, s.PID, err)
		}
		stopped = append(stopped, s)
	}
	return stopped, nil
}

func end(ctx context.Context, s Server) error {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, 20 * time.Second}, {syscall.SIGKILL, 10 * time.Second}} {
		if err := syscall.Kill(s.PID, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		for deadline := time.Now().Add(step.wait); time.Now().Before(deadline); {
			if birth(s.PID) != s.Birth {
				return nil
			}
			if err := sleep(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return errors.New("it does not end; end it by hand")
}

func (o Options) complete() (Options, release, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Version == "" {
		o.Version = "4.1"
	}
	r, ok := releases[o.Version]
	if !ok {
		return o, r, fmt.Errorf("choosing the local Spark: version %q is not one of 4.1, 3.5", o.Version)
	}
	if o.Home == "" {
		o.Home = o.Getenv("SLUICE_HOME")
	}
	if o.Home == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, r, fmt.Errorf("finding the user's cache folder: %w; set SLUICE_HOME", err)
		}
		o.Home = filepath.Join(cache, "sluice")
	}
	if o.State == "" {
		o.State = filepath.Join(o.Home, "state", o.Version)
	}
	if o.Memory == "" {
		o.Memory = "4g"
	}
	for _, dir := range []string{o.Home, o.State} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return o, r, fmt.Errorf("making the folder of the local Spark: %w; set SLUICE_HOME to a folder that you can write", err)
		}
	}
	return o, r, nil
}

func (o Options) say(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

func (o Options) stateFile() string { return filepath.Join(o.State, "server.json") }

// running reads the state file. A process that is gone, or another one under
// its pid, or one that does not answer is no server.
func (o Options) running() (Server, bool) {
	var s Server
	text, err := os.ReadFile(o.stateFile())
	if err != nil || json.Unmarshal(text, &s) != nil || s.PID <= 1 || s.Birth == "" || birth(s.PID) != s.Birth {
		return s, false
	}
	return s, answers(s.Port)
}

func answers(port int) bool {
	conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 2*time.Second)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

func (o Options) port() (int, error) {
	port := o.Port
	if text := o.Getenv("SLUICE_SPARK_PORT"); port == 0 && text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 65535 {
			return 0, fmt.Errorf("reading SLUICE_SPARK_PORT %q: it is no port", text)
		}
		port = n
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return 0, fmt.Errorf("taking port %d for the local Spark: %w; choose another one with --port, or none for a free one", port, err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
