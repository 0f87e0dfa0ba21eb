// Package local makes a real Spark Connect server from what the user has, for
// laptops, tests and CI: SPARK_HOME if it is set, else pyspark in a private
// virtual environment. Java 17 and Python 3 are the only prerequisites.
//
// One server runs for each version and state folder. It outlives the command
// that started it; its tables lie in the state folder, which survives restarts.
// Lock files keep two starts and two downloads apart: the second start finds the
// first one's server. Any step may be killed: what is half made is made anew, and
// a server whose start was killed is found again by its state file.
//
//	server, err := local.Start(ctx, local.Options{Log: func(line string) { … }})
//	// server.Remote is sc://localhost:PORT
package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options say which Spark, and where its files are.
type Options struct {
	Version string              // 4.1, 4.0 or 3.5; "" is 4.1, or what SPARK_HOME is
	Home    string              // downloads; "" is SLUICE_HOME, else sluice in the user's cache folder
	State   string              // tables, log and lock; "" is Home/state. Each version has its own folder in it
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
	Ready   bool      `json:"ready"` // it answers; not yet, while it starts
	Reused  bool      `json:"-"`

	Birth string `json:"birth"` // start time of the process, so that a reused pid is not taken for it
}

// Start finds the running server of a version or starts one.
func Start(ctx context.Context, o Options) (Server, error) {
	m, err := o.complete()
	if err != nil {
		return Server{}, err
	}
	lock, err := m.lock(ctx, filepath.Join(m.State, "start.lock"), "another start of Spark "+m.Version)
	if err != nil {
		return Server{}, err
	}
	defer unlock(lock)
	if s, ok := m.recorded(); ok {
		return m.join(ctx, s)
	}
	if _, err := m.port(); err != nil { // before minutes of downloading
		return Server{}, err
	}
	if err := m.checkJava(ctx); err != nil {
		return Server{}, err
	}
	spark, err := m.findSpark(ctx)
	if err != nil {
		return Server{}, err
	}
	jars, err := m.jars(ctx, spark)
	if err != nil {
		return Server{}, err
	}
	return m.start(ctx, spark, jars)
}

// start launches the server. Between the choice of a free port and its use
// another process may take it; only then a second try is worth it.
func (m maker) start(ctx context.Context, spark installed, jars []string) (Server, error) {
	for tries := 1; ; tries++ {
		port, err := m.port()
		if err != nil {
			return Server{}, err
		}
		s, err := m.launch(ctx, spark, jars, port)
		if err == nil || tries == 2 || m.Port != 0 || !strings.Contains(err.Error(), "Address already in use") {
			return s, err
		}
		m.say("port %d was taken meanwhile; trying another one", port)
	}
}

// Status lists the servers of all versions whose process is there.
func Status(o Options) ([]Server, error) {
	var out []Server
	for _, version := range every() {
		one := o
		one.Version = version
		m, err := one.complete()
		if err != nil {
			return nil, err
		}
		if s, ok := m.recorded(); ok {
			s.Ready = answers(s.Port)
			out = append(out, s)
		}
	}
	return out, nil
}

// Stop ends the servers that Start made, all versions unless Options names one,
// and returns them. It waits until they are gone, so that the metastore is free.
func Stop(ctx context.Context, o Options) ([]Server, error) {
	var stopped []Server
	for _, version := range every() {
		if o.Version != "" && o.Version != version {
			continue
		}
		one := o
		one.Version = version
		m, err := one.complete()
		if err != nil {
			return stopped, err
		}
		s, ok := m.recorded()
		if !ok {
			continue
		}
		if err := end(ctx, s); err != nil {
			return stopped, fmt.Errorf("stopping Spark %s (pid %d): %w", s.Spark, s.PID, err)
		}
		m.forget(s)
		stopped = append(stopped, s)
	}
	return stopped, nil
}

// maker is Options with every default filled in, and the release they mean.
// Its State is the folder of the version.
type maker struct {
	Options
	release
}

func (o Options) complete() (maker, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Version == "" {
		o.Version = Versions()[0]
		if found, err := inspect(o.Getenv("SPARK_HOME")); err == nil && releases[found.line].spark != "" {
			o.Version = found.line
		}
	}
	r, ok := releases[o.Version]
	if !ok {
		return maker{}, fmt.Errorf("choosing the local Spark: version %q is not one of %s", o.Version, strings.Join(Versions(), ", "))
	}
	if o.Home == "" {
		o.Home = o.Getenv("SLUICE_HOME")
	}
	if o.Home == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return maker{}, fmt.Errorf("finding the user's cache folder: %w; set SLUICE_HOME", err)
		}
		o.Home = filepath.Join(cache, "sluice")
	}
	if o.State == "" {
		o.State = filepath.Join(o.Home, "state")
	}
	if o.Memory == "" {
		o.Memory = "4g"
	}
	return maker{o, r}.folders()
}

// folders makes Home and State absolute, for the server runs in another folder.
func (m maker) folders() (maker, error) {
	for _, dir := range []*string{&m.Home, &m.State} {
		full, err := filepath.Abs(*dir)
		if err != nil {
			return m, fmt.Errorf("finding folder %q: %w", *dir, err)
		}
		*dir = full
	}
	m.State = filepath.Join(m.State, m.Version)
	for _, dir := range []string{m.Home, m.State} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return m, fmt.Errorf("making the folder of the local Spark: %w; set SLUICE_HOME to a folder that you can write", err)
		}
	}
	return m, nil
}

func (m maker) say(format string, args ...any) {
	if m.Log != nil {
		m.Log(fmt.Sprintf(format, args...))
	}
}
