// Package runnertest gives tests a scratch lakehouse on a real Spark. Its folder
// fake holds a recording session for what a real server cannot be made to show.
package runnertest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/runner"
	"sluice/runner/connect"
	"sluice/runner/land"
	"sluice/runner/local"
)

// Lake is a scratch lakehouse: schemas of one test on a real Spark, dropped at its end.
type Lake struct {
	*connect.Session
	Remote  string
	Catalog string       // the sessions' current catalog; "" is the server's
	Prefix  string       // before every schema name
	SQL     atomic.Int64 // statements sent so far: a query and its collection count once, an analysed one as well
	t       testing.TB
}

// Spark opens a session with its own schemas. It uses SLUICE_SPARK_REMOTE, else
// the local Spark of version SLUICE_SPARK (4.1), which it starts if need be.
// Without Java or Python it skips; with SLUICE_REQUIRE_SPARK=1 it fails instead.
func Spark(t testing.TB, settings ...plan.Setting) *Lake {
	t.Helper()
	return open(t, "", settings...)
}

// Iceberg is Spark with the Iceberg catalog of the local Spark as the current one.
func Iceberg(t testing.TB, settings ...plan.Setting) *Lake {
	t.Helper()
	return open(t, "lake", settings...)
}

func open(t testing.TB, catalog string, settings ...plan.Setting) *Lake {
	t.Helper()
	lake := &Lake{Remote: remoteOf(t), Catalog: catalog, Prefix: "t" + random() + "_", t: t}
	lake.Session = lake.Open(Settings(settings...))
	t.Cleanup(lake.drop)
	return lake
}

// Settings are the session settings of every run with some of them changed.
func Settings(changed ...plan.Setting) []plan.Setting {
	all := plan.SessionSettings(true)
	for _, c := range changed {
		for i := range all {
			if all[i].Key == c.Key {
				all[i] = c
			}
		}
	}
	return all
}

// Open opens another session of the same lake.
func (l *Lake) Open(settings []plan.Setting) *connect.Session {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := connect.Open(ctx, connect.Config{Remote: l.Remote, Catalog: l.Catalog, Settings: settings, OnStatement: func(_, kind string) {
		if kind == connect.KindSQL || kind == connect.KindDescribe {
			l.SQL.Add(1)
		}
	}})
	if err != nil {
		l.t.Fatalf("opening a session: %v", err)
	}
	l.t.Cleanup(func() { _ = s.Close() })
	return s
}

// Once skips what says the same on every Spark where -short asks for the rest: CI
// shows it on one version. SLUICE_LONG=1 runs it everywhere.
func Once(t testing.TB) {
	t.Helper()
	if testing.Short() && os.Getenv("SLUICE_LONG") != "1" {
		t.Skip("what it shows does not depend on the version of Spark; it runs without -short, or with SLUICE_LONG=1")
	}
}

// Again is another client of the same lake, with a session of its own.
func (l *Lake) Again() *Lake {
	l.t.Helper()
	other := &Lake{Remote: l.Remote, Catalog: l.Catalog, Prefix: l.Prefix, t: l.t}
	other.Session = other.Open(Settings())
	return other
}

func remoteOf(t testing.TB) string {
	if remote := os.Getenv("SLUICE_SPARK_REMOTE"); remote != "" {
		return remote
	}
	needs(t, "java", "python3")
	alone(t)
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	server, err := local.Start(ctx, local.Options{Version: os.Getenv("SLUICE_SPARK"), Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatalf("starting the local Spark: %v", err)
	}
	return server.Remote
}

var (
	lock    *os.File
	locking sync.Mutex
)

// alone keeps the test packages, which go test runs side by side, from using
// the one local Spark at the same time: two cores give the same work either
// way, but a package's time limit counts its waiting.
func alone(t testing.TB) {
	locking.Lock()
	defer locking.Unlock()
	if lock != nil {
		return
	}
	file, err := os.OpenFile(os.TempDir()+"/sluice-test-spark.lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatalf("opening the test lock: %v", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatalf("taking the test lock: %v", err)
	}
	lock = file // held until the process ends
}

// Plan loads a contract, moves it into the lake's schemas and builds the plan of its only published table.
func (l *Lake) Plan(path string) (*contracts.Contract, *plan.Plan) {
	l.t.Helper()
	c, err := contracts.Load(path, contracts.Options{})
	if err != nil {
		l.t.Fatalf("loading %s: %v", path, err)
	}
	c = c.Rehome(func(schema string) string { return l.Prefix + schema })
	p, err := gen.Build(c, c.Published()[0])
	if err != nil {
		l.t.Fatalf("building the plan of %s: %v", path, err)
	}
	return c, p
}

// Land lands files as one batch of the contract's bronze table.
func (l *Lake) Land(c *contracts.Contract, batch string, paths ...string) land.Report {
	l.t.Helper()
	r, err := l.TryLand(c, batch, paths...)
	if err != nil {
		l.t.Fatalf("landing %v: %v", paths, err)
	}
	return r
}

// TryLand is Land with its error.
func (l *Lake) TryLand(c *contracts.Contract, batch string, paths ...string) (land.Report, error) {
	table := c.Published()[0]
	options := land.Options{Reserved: gen.Reserved(table)}
	files, err := land.Scan(l.t.Context(), paths, options)
	if err != nil {
		return land.Report{}, err
	}
	return land.Run(l.t.Context(), connect.Loader{Session: l.Session}, land.Request{
		Files: files, Options: options, Describe: gen.DescribeBronze(table),
		Plan: gen.Lander(c, table, batch),
	})
}

// Run runs a batch.
func (l *Lake) Run(p *plan.Plan, o runner.Options) runner.Report {
	l.t.Helper()
	r, err := runner.Run(l.t.Context(), l.Session, p, o)
	if err != nil {
		l.t.Logf("run of batch %s: %v", o.Batch, err)
	}
	return r
}

// Rows runs a query and fails the test on an error.
func (l *Lake) Rows(sql string) []runner.Row {
	l.t.Helper()
	rows, err := l.Query(l.t.Context(), l.Names(sql))
	if err != nil {
		l.t.Fatalf("querying %s: %v", sql, err)
	}
	return rows
}

// Do runs a statement and fails the test on an error.
func (l *Lake) Do(sql string) {
	l.t.Helper()
	if err := l.Exec(l.t.Context(), l.Names(sql)); err != nil {
		l.t.Fatalf("running %s: %v", sql, err)
	}
}

// Names puts the lake's prefix in place of ~ in a statement of a test: ~silver.orders.
func (l *Lake) Names(sql string) string { return strings.ReplaceAll(sql, "~", l.Prefix) }

func (l *Lake) drop() {
	l.t.Logf("%d statements were sent", l.SQL.Load())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	rows, err := l.Query(ctx, "SHOW SCHEMAS LIKE '"+l.Prefix+"*'")
	if err != nil {
		l.t.Logf("dropping scratch schemas: %v", err)
		return
	}
	for _, r := range rows {
		l.dropTables(ctx, r.Text("namespace"))
		if err := l.Exec(ctx, "DROP SCHEMA IF EXISTS `"+r.Text("namespace")+"` CASCADE"); err != nil {
			l.t.Logf("dropping %s: %v", r.Text("namespace"), err)
		}
	}
}

// dropTables empties a schema of an Iceberg catalog, which does not cascade.
func (l *Lake) dropTables(ctx context.Context, schema string) {
	if l.Catalog == "" {
		return
	}
	tables, err := l.Query(ctx, "SHOW TABLES IN `"+schema+"`")
	for _, r := range tables {
		if err == nil {
			err = l.Exec(ctx, "DROP TABLE IF EXISTS `"+schema+"`.`"+r.Text("tableName")+"` PURGE")
		}
	}
	if err != nil {
		l.t.Logf("dropping the tables of %s: %v", schema, err)
	}
}

func random() string {
	var b [4]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
