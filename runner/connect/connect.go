// Package connect is a runner.Session over Spark Connect, and the only importer
// of spark-connect-go. It owns the connection (TLS, token, headers, message
// sizes), the session's settings, the heartbeat beside a statement and the one
// kind of error that statements return. It knows no contract, plan or table.
//
// The client is called highly experimental by its authors and is used as little
// as its interface allows: Sql, Collect, Config and the Arrow upload. What it
// lacks, such as interrupts, full schemas and the server's version, goes over
// the same connection with its registered messages (proto.go). Its reattach
// option stays off: it sends a statement again without asking.
//
//	s, err := connect.Open(ctx, connect.Config{Remote: "sc://localhost:15002"})
//	defer s.Close()
//	rows, err := s.Query(ctx, "SELECT count(*) AS n FROM t")
package connect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sluice/gen/plan"

	"github.com/apache/spark-connect-go/v35/spark/sql"
	"google.golang.org/grpc"
)

// Config says where and how to open a session.
type Config struct {
	// Remote is sc://host:port/;key=value;… with the keys token, use_ssl,
	// user_id, user_agent, insecure_token and headers that begin with x-.
	Remote string
	// RemoteFromEnv allows secrets in Remote: it came from the environment, not
	// from a flag that other users of the machine can read.
	RemoteFromEnv bool
	// Token is asked before every call, so that it may be refreshed. It goes
	// without TLS only to this machine, or where insecure_token=true says so.
	Token func(context.Context) (string, error)
	// Headers go with every call, beside the ones in Remote.
	Headers map[string]string
	// CAFile names certificates to trust beside the system's.
	CAFile string
	// User is the user_id where Remote names none; "" is sluice.
	User string
	// Catalog becomes the session's current catalog; "" keeps the server's.
	Catalog string
	// Settings are set and read back; nil means plan.SessionSettings(true).
	Settings []plan.Setting
	// OnStatement sees every statement as it is sent, with one of the Kind
	// constants. Counting KindSQL counts a query and its collection once.
	OnStatement func(sql, kind string)
	// Heartbeat is the time between beats; 0 is a minute.
	Heartbeat time.Duration
}

// Session is an open Spark session. Its methods may be called from several
// goroutines, and wait for each other: one statement is in flight at a time.
type Session struct {
	conn    *grpc.ClientConn
	spark   sql.SparkSession
	wire    *wire
	beat    time.Duration
	busy    chan struct{}
	version string
}

// Open connects, and returns a session whose settings are proven.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	r, err := parseRemote(cfg.Remote, cfg.RemoteFromEnv)
	if err != nil {
		return nil, err
	}
	w := &wire{remote: r, headers: map[string]string{}, token: cfg.Token, onStatement: cfg.OnStatement}
	for _, from := range []map[string]string{r.headers, cfg.Headers} {
		for k, v := range from {
			w.headers[strings.ToLower(k)] = v
		}
	}
	if _, err := w.bearer(ctx); err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", r.name(), err)
	}
	conn, err := dial(r, cfg.CAFile, w)
	if err != nil {
		return nil, err
	}
	s := &Session{conn: conn, wire: w, beat: cfg.Heartbeat, busy: make(chan struct{}, 1)}
	if s.beat <= 0 {
		s.beat = time.Minute
	}
	if err := s.start(ctx, cfg); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

func (s *Session) start(ctx context.Context, cfg Config) error {
	if err := await(ctx, s.conn, s.wire.remote); err != nil {
		return err
	}
	b := channelBuilder{conn: s.conn, user: first(s.wire.remote.user, cfg.User, "sluice"), agent: first(s.wire.remote.agent, "sluice")}
	var err error
	if s.spark, err = sql.NewSessionBuilder().WithChannelBuilder(b).Build(ctx); err != nil {
		return fmt.Errorf("opening a session on %s: %w", s.wire.remote.name(), err)
	}
	if err := s.run(ctx, false, s.greet); err != nil {
		return err
	}
	settings := cfg.Settings
	if settings == nil {
		settings = plan.SessionSettings(true)
	}
	if err := s.apply(ctx, settings); err != nil {
		return err
	}
	if cfg.Catalog == "" {
		return nil
	}
	// USE would take the name of a schema as well, and then go on elsewhere.
	if err := s.Exec(ctx, "SET CATALOG "+ident(cfg.Catalog)); err != nil {
		return fmt.Errorf("changing to catalog %q: %w", cfg.Catalog, err)
	}
	return nil
}

// greet makes the first call through the client, from which the wire learns the
// session's id, and asks for the server's version.
func (s *Session) greet(ctx context.Context) error {
	if _, err := s.spark.Config().GetWithDefault(ctx, heartbeatKey, heartbeatDefault); err != nil {
		return err
	}
	var reply struct{ SparkVersion struct{ Version string } }
	err := s.wire.invoke(ctx, s.conn, "AnalyzePlan", "AnalyzePlanRequest", "AnalyzePlanResponse",
		map[string]any{"sparkVersion": map[string]any{}}, &reply)
	s.version = reply.SparkVersion.Version
	return err
}

// Version is the server's Spark version, such as 4.1.3.
func (s *Session) Version() string { return s.version }

// Close gives the session back to the server, which then forgets its temporary
// views and stops what it still runs, and closes the connection. Spark 3.5
// cannot do the former and forgets the session an hour later.
func (s *Session) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = s.release(ctx)
	if err := s.conn.Close(); err != nil {
		return fmt.Errorf("closing the connection: %w", err)
	}
	return nil
}

// release ends the session on the server. The client knows no ReleaseSession; an
// interrupt of no type has the same fields on the wire: session, user and client.
func (s *Session) release(ctx context.Context) error {
	return s.wire.invoke(ctx, s.conn, "ReleaseSession", "InterruptRequest", "InterruptResponse", map[string]any{}, nil)
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
