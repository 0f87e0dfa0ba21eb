package connect

import (
	"strings"
	"testing"
)

func TestParseRemote(t *testing.T) {
	cases := []struct {
		name, text string
		want       func(remote) bool
	}{
		{"default port", "sc://spark", func(r remote) bool { return r.address() == "spark:15002" && !r.tls }},
		{"443 means TLS", "sc://spark:443", func(r remote) bool { return r.tls }},
		{"443 without TLS", "sc://spark:443/;use_ssl=false", func(r remote) bool { return !r.tls }},
		{"TLS without a token", "sc://spark:15002/;use_ssl=true", func(r remote) bool { return r.tls && r.token == "" }},
		{"IPv6", "sc://[::1]:15002/", func(r remote) bool { return r.address() == "[::1]:15002" && r.loopback() }},
		{"padding of a token", "sc://h/;token=abc==", func(r remote) bool { return r.token == "abc==" }},
		{"encoded padding", "sc://h/;token=abc%3D%3D", func(r remote) bool { return r.token == "abc==" }},
		{"encoded separators", "sc://h/;x-a=1%3Buse_ssl%3Dtrue", func(r remote) bool { return r.headers["x-a"] == "1;use_ssl=true" && !r.tls }},
		{"a slash in a value", "sc://h/;x-a=a/b?c", func(r remote) bool { return r.headers["x-a"] == "a/b?c" }},
		{"headers are lower case", "sc://h/;X-Cluster-Id=7", func(r remote) bool { return r.headers["x-cluster-id"] == "7" }},
		{"user and agent", "sc://h/;user_id=ann;user_agent=nightly", func(r remote) bool { return r.user == "ann" && r.agent == "nightly" }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, err := parseRemote(c.text, true)
			if err != nil || !c.want(r) {
				t.Fatalf("got %+v, %v", r, err)
			}
		})
	}
}

func TestParseRemoteRefuses(t *testing.T) {
	cases := []struct{ name, text, says string }{
		{"scheme", "http://h:1", "sc://"},
		{"no host", "sc://:15002", "host"},
		{"port", "sc://h:0", "port"},
		{"user in the host", "sc://me:hunter2@h:1", "host:port"},
		{"parameters without a slash", "sc://h:1;token=hunter2", "/;"},
		{"a mistyped key", "sc://h/;useSSL=true", "useSSL"},
		{"not a boolean", "sc://h/;use_ssl=yes", "use_ssl"},
		{"twice", "sc://h/;use_ssl=true;use_ssl=false", "twice"},
		{"broken escape", "sc://h/;x-a=hunter2%zz", "x-a"},
		{"no value", "sc://h/;hunter2", "key=value"},
		{"a token on the command line", "sc://h/;token=hunter2", "SLUICE_TOKEN"},
		{"a secret header on the command line", "sc://h/;x-proxy-auth=hunter2", "SPARK_REMOTE"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseRemote(c.text, false)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%v does not say %q", err, c.says)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("%v shows the secret", err)
			}
		})
	}
}
