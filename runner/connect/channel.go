package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// maxMessage bounds one message in either direction. gRPC's own 4 MiB is below
// what Spark puts into one Arrow batch of wide rows.
const maxMessage = 128 << 20

// dialTimeout bounds the network connection alone: a first call may well take
// longer, where it starts a cluster.
const dialTimeout = 10 * time.Second

// channelBuilder hands a connection that is already dialled to the client. The
// client gets no headers from it: they are added to every call in one place,
// because its Config calls send none.
type channelBuilder struct {
	conn        *grpc.ClientConn
	user, agent string
}

func (b channelBuilder) Build(context.Context) (*grpc.ClientConn, error) { return b.conn, nil }
func (b channelBuilder) User() string                                    { return b.user }
func (b channelBuilder) Headers() map[string]string                      { return nil }
func (b channelBuilder) SessionId() string                               { return "" }
func (b channelBuilder) UserAgent() string                               { return b.agent }

// dial prepares the connection; gRPC connects at the first use. Retries are off
// and no service config is read from DNS: a statement must never be sent twice.
func dial(r remote, caFile string, w *wire) (*grpc.ClientConn, error) {
	transport := insecure.NewCredentials()
	if r.tls {
		roots, err := rootCAs(caFile)
		if err != nil {
			return nil, err
		}
		transport = credentials.NewTLS(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12})
	}
	conn, err := grpc.NewClient(r.address(),
		grpc.WithTransportCredentials(transport),
		grpc.WithUnaryInterceptor(w.unary),
		grpc.WithStreamInterceptor(w.stream),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: dialTimeout}),
		grpc.WithIdleTimeout(0),
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
	)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", r.name(), err)
	}
	return conn, nil
}

func rootCAs(caFile string) (*x509.CertPool, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("reading the system's certificates: %w", err)
	}
	if caFile == "" {
		return roots, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("reading the CA file: %w", err)
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("reading the CA file %q: it holds no PEM certificate", caFile)
	}
	return roots, nil
}

// await waits until the connection stands or has failed. What failed is not
// known here: the next call reports it, at once.
func await(ctx context.Context, conn *grpc.ClientConn, r remote) error {
	wait, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn.Connect()
	for {
		state := conn.GetState()
		if state == connectivity.Ready || state == connectivity.TransientFailure {
			return nil
		}
		if !conn.WaitForStateChange(wait, state) {
			if ctx.Err() != nil {
				return fmt.Errorf("connecting to %s: %w", r.name(), ctx.Err())
			}
			return fmt.Errorf("connecting to %s: no answer within %s; is the server up, and is this a Spark Connect port? (sluice spark status)", r.name(), dialTimeout)
		}
	}
}
