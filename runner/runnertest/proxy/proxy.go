// Package proxy stands between a client and a real Spark Connect server, passes
// every message on as it is, and says when a statement has ended on the server
// and its client has not heard of it yet. Tests end the client at that point.
package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// Proxy is a listening proxy. Statements are counted from one: each call of
// ExecutePlan, so that a query counts twice (it is analysed, then collected).
type Proxy struct {
	Remote string // sc://localhost:port
	Ended  func(statement int64)
	count  atomic.Int64
	server *grpc.Server
	conn   *grpc.ClientConn
}

// Start listens in front of remote (sc://host:port) until the test ends.
func Start(t testing.TB, remote string) *Proxy {
	t.Helper()
	target, found := strings.CutPrefix(remote, "sc://")
	if !found {
		t.Fatalf("starting a proxy: %q is no sc:// address", remote)
	}
	target, _, _ = strings.Cut(target, "/")
	conn, err := grpc.NewClient("passthrough:///"+target, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodec(raw{}), grpc.MaxCallRecvMsgSize(1<<30)))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Remote: fmt.Sprintf("sc://localhost:%d", listener.Addr().(*net.TCPAddr).Port), conn: conn}
	p.server = grpc.NewServer(grpc.ForceServerCodec(raw{}), grpc.MaxRecvMsgSize(1<<30), grpc.UnknownServiceHandler(p.pass))
	go func() { _ = p.server.Serve(listener) }()
	t.Cleanup(func() {
		p.server.Stop()
		_ = conn.Close()
	})
	return p
}

// Reset counts from one again.
func (p *Proxy) Reset() { p.count.Store(0) }

// Count is how many statements have begun.
func (p *Proxy) Count() int64 { return p.count.Load() }

func (p *Proxy) pass(_ any, client grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(client)
	number := int64(0)
	if strings.HasSuffix(method, "/ExecutePlan") {
		number = p.count.Add(1)
	}
	headers, _ := metadata.FromIncomingContext(client.Context())
	ctx := metadata.NewOutgoingContext(client.Context(), headers.Copy())
	server, err := p.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	go forward(client, server)
	err = p.back(client, server, number)
	client.SetTrailer(server.Trailer())
	return err
}

// forward sends what the client says. Whatever goes wrong shows on the way back.
func forward(client grpc.ServerStream, server grpc.ClientStream) {
	for {
		var message frame
		if err := client.RecvMsg(&message); err != nil {
			_ = server.CloseSend()
			return
		}
		if err := server.SendMsg(&message); err != nil {
			return
		}
	}
}

// back sends what the server says; its last word is held until Ended returns.
func (p *Proxy) back(client grpc.ServerStream, server grpc.ClientStream, number int64) error {
	for {
		var message frame
		err := server.RecvMsg(&message)
		if err != nil {
			if number > 0 && p.Ended != nil {
				p.Ended(number)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := client.SendMsg(&message); err != nil {
			return err
		}
	}
}

// frame is a message that nobody reads.
type frame struct{ bytes []byte }

type raw struct{}

func (raw) Marshal(v any) ([]byte, error) { return v.(*frame).bytes, nil }

func (raw) Unmarshal(data []byte, v any) error {
	v.(*frame).bytes = append([]byte(nil), data...)
	return nil
}

func (raw) Name() string { return "proto" }
