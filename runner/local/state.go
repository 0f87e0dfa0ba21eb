package local

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func (m maker) stateFile() string { return filepath.Join(m.State, "server.json") }

// recorded reads the state file. A process that is gone, or another one under
// its pid, is no server.
func (m maker) recorded() (Server, bool) {
	var s Server
	text, err := os.ReadFile(m.stateFile())
	if err != nil || json.Unmarshal(text, &s) != nil {
		return s, false
	}
	s.Ready = false
	return s, s.alive()
}

func (s Server) alive() bool { return s.PID > 1 && s.Birth != "" && birth(s.PID) == s.Birth }

// forget removes the state file unless another server's is there by now.
func (m maker) forget(s Server) {
	var now Server
	text, err := os.ReadFile(m.stateFile())
	if err == nil && json.Unmarshal(text, &now) == nil && now.PID == s.PID && now.Birth == s.Birth {
		_ = os.Remove(m.stateFile())
	}
}

// writeJSON replaces a file in one step, so that a kill leaves the old or the new one.
func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// answers reports whether an HTTP/2 server listens on the port, which gRPC is:
// it greets a client with a SETTINGS frame. A listening socket alone says less.
func answers(port int) bool {
	conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 2*time.Second)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	if conn.SetDeadline(time.Now().Add(5*time.Second)) != nil {
		return false
	}
	const settings = 4
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"); err != nil {
		return false
	}
	var frame [9]byte
	_, err = io.ReadFull(conn, frame[:])
	return err == nil && frame[3] == settings
}

// port is the wanted port if nobody listens there, else a free one.
func (m maker) port() (int, error) {
	port := m.Port
	if text := m.Getenv("SLUICE_SPARK_PORT"); port == 0 && text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 65535 {
			return 0, fmt.Errorf("reading SLUICE_SPARK_PORT: %q is no port", text)
		}
		port = n
	}
	host := "127.0.0.1"
	if m.everyone {
		host = ""
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return 0, fmt.Errorf("taking port %d for the local Spark: %w; choose another one with --port or SLUICE_SPARK_PORT, or none for a free one", port, err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}
