package local

import (
	"net"
	"strconv"
	"testing"
)

func listen(t *testing.T) (port string, end func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), func() { _ = l.Close() }
}
