package connect

import (
	"context"
	"fmt"
	"strings"
)

// bearer asks for the token and refuses to send it where others could read it.
func (w *wire) bearer(ctx context.Context) (string, error) {
	token := w.remote.token
	if w.token != nil {
		t, err := w.token(ctx)
		if err != nil {
			return "", fmt.Errorf("reading the token: %w", err)
		}
		if t = strings.TrimSpace(t); t != "" {
			token = t
		}
	}
	if token == "" {
		return "", nil
	}
	if !w.remote.tls && !w.remote.insecureToken && !w.remote.loopback() {
		return "", fmt.Errorf("a token would travel without TLS to %s: add use_ssl=true to the connection string, or insecure_token=true if the network in between is trusted", w.remote.address())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.secrets == nil {
		w.secrets = map[string]bool{}
	}
	w.secrets[token] = true
	return token, nil
}

// redact takes every secret out of a text that may be shown: servers and
// proxies like to echo what they did not accept.
func (w *wire) redact(s string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for token := range w.secrets {
		s = strings.ReplaceAll(s, token, "***")
	}
	for key, value := range w.headers {
		if secret(key) && value != "" {
			s = strings.ReplaceAll(s, value, "***")
		}
	}
	return s
}
