package connect

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// wire sees every message between the client and the server. It adds headers
// and the token to each call, and learns what the client's own interface hides:
// the session's ids, the operation in flight, and whether it was sent.
type wire struct {
	remote      remote
	headers     map[string]string
	token       func(context.Context) (string, error)
	onStatement func(sql, kind string)

	mu      sync.Mutex
	ids     identity
	secrets map[string]bool // every token seen, for redaction
}

// identity is what a request needs to belong to the client's session.
type identity struct {
	session, user, client string
	server                string // the server's own id of the session; "" before Spark 4.0
}

// call is one statement in flight. It travels in the context.
type call struct {
	mu        sync.Mutex
	operation string
	sent      bool
}

type callKey struct{}

func (c *call) send(operation string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = true
	c.operation = operation
}

func (c *call) state() (operation string, sent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.operation, c.sent
}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

func (w *wire) unary(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	ctx, err := w.outgoing(ctx)
	if err != nil {
		return err
	}
	w.request(req)
	if err := invoke(ctx, method, req, reply, conn, opts...); err != nil {
		return err
	}
	w.reply(reply)
	return nil
}

func (w *wire) stream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	ctx, err := w.outgoing(ctx)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, desc, conn, method, opts...)
	if err != nil {
		return nil, err
	}
	return &stream{ClientStream: s, wire: w, call: callOf(ctx)}, nil
}

// outgoing adds headers and token. The token is asked for on every call, so a
// long run outlives a short token.
func (w *wire) outgoing(ctx context.Context) (context.Context, error) {
	pairs := make([]string, 0, 2*len(w.headers)+2)
	for k, v := range w.headers {
		pairs = append(pairs, strings.ToLower(k), v)
	}
	token, err := w.bearer(ctx)
	if err != nil {
		return nil, status.Error(codes.Unauthenticated, err.Error())
	}
	if token != "" {
		pairs = append(pairs, "authorization", "Bearer "+token)
	}
	return metadata.AppendToOutgoingContext(ctx, pairs...), nil
}

// stream is the wire's view of one ExecutePlan.
type stream struct {
	grpc.ClientStream
	wire     *wire
	call     *call
	command  bool // a SQL command, which the server always answers with a result
	answered bool
}

func (s *stream) SendMsg(m any) error {
	if msg, ok := m.(proto.Message); ok {
		r := msg.ProtoReflect()
		sql, kind := statement(r)
		s.command = kind == KindSQL
		s.wire.request(m)
		if s.wire.onStatement != nil && kind != "" {
			s.wire.onStatement(sql, kind)
		}
		// Marked before it is handed over: a failed send may have arrived.
		s.call.send(text(r, "operation_id"))
	}
	return s.ClientStream.SendMsg(m)
}

// RecvMsg refuses a SQL command whose stream ends in order but without a
// result, as a proxy may end it: the client would take that for success.
func (s *stream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if errors.Is(err, io.EOF) && s.command && !s.answered {
		return status.Error(codes.Unavailable, "the stream ended without a result")
	}
	if msg, ok := m.(proto.Message); ok && err == nil {
		s.wire.reply(m)
		if _, ok := at(msg.ProtoReflect(), "sql_command_result"); ok {
			s.answered = true
		}
	}
	return err
}

// Kinds of statement that OnStatement tells apart.
const (
	KindSQL      = "sql"      // a statement as text; a query's Collect that follows is not another one
	KindCollect  = "collect"  // fetching the rows of a query that was sent as KindSQL before
	KindView     = "view"     // registering rows as a temporary view
	KindDescribe = "describe" // analysing a query without running it
)

// statement tells what an ExecutePlanRequest does.
func statement(r protoreflect.Message) (sql, kind string) {
	if r.Descriptor().Name() != "ExecutePlanRequest" {
		return "", ""
	}
	if v, ok := at(r, "plan", "command", "sql_command"); ok {
		return text(v.Message(), "sql"), KindSQL
	}
	if v, ok := at(r, "plan", "root"); ok {
		if q, ok := at(v.Message(), "sql"); ok {
			return text(q.Message(), "query"), KindCollect
		}
		return "", KindCollect
	}
	if v, ok := at(r, "plan", "command", "create_dataframe_view"); ok {
		return text(v.Message(), "name"), KindView
	}
	return "", "other"
}
