package connect

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/gen/plan"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

func TestHeadersOnEveryCall(t *testing.T) {
	f := newFake(t)
	asked := 0
	s := f.open(Config{
		Remote:  f.remote(";x-cluster=a=b;token=old"),
		Headers: map[string]string{"X-Team": "retail"}, RemoteFromEnv: true,
		Token: func(context.Context) (string, error) { asked++; return fmt.Sprintf("t%d==\n", asked), nil },
	})
	if _, err := s.Query(t.Context(), "SELECT 1 AS n"); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]bool{}
	for _, method := range []string{"Config", "AnalyzePlan", "ExecutePlan"} {
		calls := f.seen(method)
		if len(calls) == 0 {
			t.Fatalf("no %s call", method)
		}
		for _, c := range calls {
			for header, want := range map[string]string{"x-cluster": "a=b", "x-team": "retail"} {
				if got := c.metadata.Get(header); len(got) != 1 || got[0] != want {
					t.Errorf("%s: %s is %q", method, header, got)
				}
			}
			got := strings.Join(c.metadata.Get("authorization"), ",")
			if !strings.HasPrefix(got, "Bearer t") || !strings.HasSuffix(got, "==") || tokens[got] {
				t.Errorf("%s: authorization is %q", method, got)
			}
			tokens[got] = true
		}
	}
}

func TestTokenNeedsTLS(t *testing.T) {
	token := func(context.Context) (string, error) { return "hunter2", nil }
	_, err := Open(t.Context(), Config{Remote: "sc://192.0.2.1:15002", Token: token})
	if err == nil || !strings.Contains(err.Error(), "use_ssl=true") || strings.Contains(err.Error(), "hunter2") {
		t.Fatalf("got %v", err)
	}
	for remote, allowed := range map[string]bool{
		"sc://spark:15002": false, "sc://spark:443": true, "sc://spark:15002/;use_ssl=true": true,
		"sc://spark:15002/;insecure_token=true": true, "sc://localhost:15002": true, "sc://[::1]:15002": true,
	} {
		r, err := parseRemote(remote, false)
		if err != nil {
			t.Fatal(err)
		}
		w := &wire{remote: r, token: token}
		if _, err := w.bearer(t.Context()); (err == nil) != allowed {
			t.Errorf("%s: %v", remote, err)
		}
	}
}

func TestTLSWithoutToken(t *testing.T) {
	caFile, cert := certificate(t)
	f := newFake(t, grpc.Creds(credentials.NewServerTLSFromCert(&cert)))
	f.open(Config{Remote: f.remote(";use_ssl=true"), CAFile: caFile})
	for name, c := range map[string]struct {
		cfg  Config
		says string
	}{
		"authority not known": {Config{Remote: f.remote(";use_ssl=true")}, "SLUICE_CA_FILE"},
		"plaintext to TLS":    {Config{Remote: f.remote("")}, "use_ssl=true"},
		"no CA file":          {Config{Remote: f.remote(";use_ssl=true"), CAFile: caFile + "x"}, "reading the CA file"},
		"TLS to plaintext":    {Config{Remote: newFake(t).remote(";use_ssl=true")}, "use_ssl=false"},
	} {
		_, err := Open(t.Context(), c.cfg)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not say %q", name, err, c.says)
		}
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	begin := time.Now()
	_, err = Open(t.Context(), Config{Remote: "sc://" + address})
	want := "connecting to sc://" + address + ": dial tcp " + address + ": connect: connection refused; is the server up? (sluice spark status)"
	if err == nil || err.Error() != want {
		t.Fatalf("got  %v\nwant %s", err, want)
	}
	if e := statementError(t, err); e.Unknown {
		t.Error("nothing was sent, yet the outcome is called unknown")
	}
	if time.Since(begin) > dialTimeout {
		t.Errorf("it took %s", time.Since(begin))
	}
}

func TestErrorsAreRedacted(t *testing.T) {
	f := newFake(t)
	f.execute = func(context.Context, string, func(map[string]any) error) error {
		return status.Error(codes.Unauthenticated, "token hunter2== of proxy hunter3 expired")
	}
	s := f.open(Config{Remote: f.remote(";token=hunter2==;x-proxy-auth=hunter3"), RemoteFromEnv: true})
	err := s.Exec(t.Context(), "SELECT 1")
	e := statementError(t, err)
	for _, shown := range []string{err.Error(), e.Message, fmt.Sprintf("%+v %v", e, e.Err)} {
		if strings.Contains(shown, "hunter") {
			t.Errorf("%q shows a secret", shown)
		}
	}
	if e.Unknown || !strings.Contains(e.Message, "SLUICE_TOKEN") {
		t.Errorf("got %+v", e)
	}
}

func TestSettingsAreProven(t *testing.T) {
	f := newFake(t)
	f.open(Config{})
	for _, p := range plan.SessionSettings(true) {
		if f.set[p.Key] != p.Value {
			t.Errorf("%s is %q", p.Key, f.set[p.Key])
		}
	}
	ignores := newFake(t)
	ignores.conf["spark.sql.ansi.enabled"] = "false"
	_, err := Open(t.Context(), Config{Remote: ignores.remote("")})
	if err == nil || !strings.Contains(err.Error(), `spark.sql.ansi.enabled: the server kept "false"`) {
		t.Errorf("got %v", err)
	}
	refuses := newFake(t)
	refuses.refuse = "spark.sql.caseSensitive"
	_, err = Open(t.Context(), Config{Remote: refuses.remote("")})
	if err == nil || !strings.HasPrefix(err.Error(), "setting spark.sql.caseSensitive: [CANNOT_MODIFY_CONFIG]") {
		t.Errorf("got %v", err)
	}
}

// certificate makes a self-signed certificate of 127.0.0.1.
func certificate(t *testing.T) (caFile string, cert tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "sluice test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return caFile, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
