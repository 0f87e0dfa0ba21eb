package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"

	"sluice/runner"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
)

// fake is a Spark Connect server that answers what the tests need. Requests and
// replies are protobuf's JSON form, since the generated package is out of reach.
type fake struct {
	t    *testing.T
	port string
	stop func() // breaks every connection

	// execute answers an ExecutePlan instead of the default; nil keeps it.
	execute func(ctx context.Context, sql string, send func(map[string]any) error) error
	analyze map[string]any    // the reply to a schema request
	conf    map[string]string // what settings read as, whatever is set
	refuse  string            // the setting that cannot be set
	foreign bool              // replies belong to another session

	mu    sync.Mutex
	calls []received
	set   map[string]string
}

type received struct {
	method   string
	metadata metadata.MD
	body     map[string]any
	unknown  []byte
}

// newFake starts a server on loopback that ends with the test.
func newFake(t *testing.T, opts ...grpc.ServerOption) *fake {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, set: map[string]string{}, conf: map[string]string{}}
	_, f.port, _ = net.SplitHostPort(l.Addr().String())
	opts = append(opts, grpc.UnknownServiceHandler(f.handle), grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage))
	server := grpc.NewServer(opts...)
	go func() { _ = server.Serve(l) }()
	f.stop = server.Stop
	t.Cleanup(server.Stop)
	return f
}

func (f *fake) remote(params string) string { return "sc://127.0.0.1:" + f.port + "/" + params }

// open opens a session that the test closes.
func (f *fake) open(cfg Config) *Session {
	f.t.Helper()
	if cfg.Remote == "" {
		cfg.Remote = f.remote("")
	}
	s, err := Open(f.t.Context(), cfg)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = s.Close() })
	return s
}

// seen are the calls of one method so far.
func (f *fake) seen(method string) []received {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []received
	for _, c := range f.calls {
		if c.method == method {
			out = append(out, c)
		}
	}
	return out
}

var requests = map[string]string{
	"ExecutePlan": "ExecutePlanRequest", "AnalyzePlan": "AnalyzePlanRequest", "Config": "ConfigRequest",
	"Interrupt": "InterruptRequest", "ReleaseSession": "InterruptRequest",
}

func (f *fake) handle(_ any, s grpc.ServerStream) error {
	full, _ := grpc.MethodFromServerStream(s)
	method := strings.TrimPrefix(full, service)
	in, err := newMessage(requests[method])
	if err != nil {
		return err
	}
	if err := s.RecvMsg(in); err != nil {
		return err
	}
	encoded, err := protojson.Marshal(in)
	if err != nil {
		return err
	}
	md, _ := metadata.FromIncomingContext(s.Context())
	got := received{method: method, metadata: md, body: map[string]any{}, unknown: in.ProtoReflect().GetUnknown()}
	if err := json.Unmarshal(encoded, &got.body); err != nil {
		return err
	}
	f.mu.Lock()
	f.calls = append(f.calls, got)
	f.mu.Unlock()
	send := func(reply map[string]any) error {
		reply["sessionId"] = got.body["sessionId"]
		if f.foreign {
			reply["sessionId"] = "another"
		}
		return f.send(s, method, reply)
	}
	switch method {
	case "Config":
		return f.config(dig(got.body, "operation"), send)
	case "AnalyzePlan":
		if got.body["sparkVersion"] != nil {
			return send(map[string]any{"sparkVersion": map[string]any{"version": "4.1.9"}})
		}
		return send(map[string]any{"schema": map[string]any{"schema": f.analyze}})
	case "ExecutePlan":
		return f.plan(s.Context(), got.body, send)
	default:
		return send(map[string]any{})
	}
}

func (f *fake) send(s grpc.ServerStream, method string, reply map[string]any) error {
	name := map[string]string{"ReleaseSession": "Interrupt"}[method]
	if name == "" {
		name = method
	}
	out, err := newMessage(name + "Response")
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	if err := protojson.Unmarshal(encoded, out); err != nil {
		return err
	}
	r := out.ProtoReflect()
	if n, ok := serverField[r.Descriptor().Name()]; ok {
		r.SetUnknown(protowire.AppendString(protowire.AppendTag(nil, n, protowire.BytesType), "server-side"))
	}
	return s.SendMsg(out)
}

// config keeps what is set, and reads conf first.
func (f *fake) config(op map[string]any, send func(map[string]any) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var pairs []map[string]any
	for _, p := range items(dig(op, "set")["pairs"]) {
		key := p.(map[string]any)["key"].(string)
		if key == f.refuse {
			return status.Errorf(codes.Internal, "[CANNOT_MODIFY_CONFIG] Cannot modify the value of the Spark config: %q.", key)
		}
		f.set[key], _ = p.(map[string]any)["value"].(string)
	}
	for _, p := range items(dig(op, "getWithDefault")["pairs"]) {
		pairs = append(pairs, map[string]any{"key": p.(map[string]any)["key"], "value": ""})
	}
	for _, k := range items(dig(op, "getOption")["keys"]) {
		v, ok := f.conf[k.(string)]
		if !ok {
			v = f.set[k.(string)]
		}
		pairs = append(pairs, map[string]any{"key": k, "value": v})
	}
	return send(map[string]any{"pairs": pairs})
}

// plan answers SQL with the query itself and a collection with no rows.
func (f *fake) plan(ctx context.Context, body map[string]any, send func(map[string]any) error) error {
	p := dig(body, "plan")
	sql, _ := dig(p, "command", "sqlCommand")["sql"].(string)
	if f.execute != nil {
		if sql == "" {
			sql, _ = dig(p, "root", "sql")["query"].(string)
			sql = "collect " + sql
		}
		return f.execute(ctx, sql, send)
	}
	if p["root"] != nil {
		return send(batch(f.t, []Field{{"n", "BIGINT"}}, nil))
	}
	return send(sqlResult(sql))
}

func sqlResult(sql string) map[string]any {
	return map[string]any{"sqlCommandResult": map[string]any{"relation": map[string]any{"sql": map[string]any{"query": sql}}}}
}

// batch is a reply with rows, as Arrow.
func batch(t *testing.T, fields []Field, rows [][]any) map[string]any {
	record, err := arrowRecord(fields, rows)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer record.Release()
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(record.Schema()))
	if err := errors.Join(w.Write(record), w.Close()); err != nil {
		t.Error(err)
	}
	return map[string]any{"arrowBatch": map[string]any{"rowCount": len(rows), "data": buf.Bytes()}}
}

func dig(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}

func items(v any) []any {
	a, _ := v.([]any)
	return a
}

// statementError fails the test unless err is one.
func statementError(t *testing.T, err error) *runner.StatementError {
	t.Helper()
	var e *runner.StatementError
	if !errors.As(err, &e) {
		t.Fatalf("%v is no StatementError", err)
	}
	return e
}
