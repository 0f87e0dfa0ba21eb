package connect

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// defaultPort is Spark Connect's.
const defaultPort = "15002"

// remote is a parsed connection string. Its name holds no parameter, so it is
// the only form of a connection string that errors may show.
type remote struct {
	host, port    string
	tls           bool
	insecureToken bool // a token may travel without TLS to another machine
	user, agent   string
	token         string
	headers       map[string]string
}

// address is what the network is dialled with.
func (r remote) address() string { return net.JoinHostPort(r.host, r.port) }

// name is the connection string without its parameters.
func (r remote) name() string { return "sc://" + r.address() }

// loopback reports whether the host is this machine, whose traffic nobody reads.
func (r remote) loopback() bool {
	if strings.EqualFold(r.host, "localhost") {
		return true
	}
	ip := net.ParseIP(r.host)
	return ip != nil && ip.IsLoopback()
}

// parseRemote reads sc://host:port/;key=value;…. It is our own because the
// client's parser drops every value that holds "=", a padded token among them,
// and then dials in plaintext. secrets says whether the string came from a
// place that may hold them: the environment, never a flag or a contract.
func parseRemote(text string, secrets bool) (remote, error) {
	fail := func(format string, args ...any) (remote, error) {
		return remote{}, fmt.Errorf("reading the connection string: "+format, args...)
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "sc://")
	if !ok {
		return fail("it must begin with sc://, for example sc://localhost:15002")
	}
	authority, params, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(authority, "@;?#") {
		return fail("after sc:// write host:port alone, and parameters after /; as in sc://host:443/;use_ssl=true")
	}
	if params != "" && !strings.HasPrefix(params, ";") {
		return fail("parameters begin with /; as in sc://host:443/;use_ssl=true")
	}
	r := remote{headers: map[string]string{}}
	var err error
	if r.host, r.port, err = hostPort(authority); err != nil {
		return fail("%w", err)
	}
	r.tls = r.port == "443"
	if err := r.parameters(params, secrets); err != nil {
		return fail("%w", err)
	}
	return r, nil
}

// parameters takes key=value;…. A key is cut off before decoding, so that "=" and
// an encoded ";" stay in the value. A broken pair is not quoted in the error: it
// may be a secret.
func (r *remote) parameters(text string, secrets bool) error {
	seen := map[string]bool{}
	for _, pair := range strings.Split(text, ";") {
		if pair == "" {
			continue
		}
		key, encoded, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return errors.New("every parameter is key=value, separated by semicolons")
		}
		value, err := url.PathUnescape(encoded)
		if err != nil {
			return fmt.Errorf("parameter %q has a broken %%-escape", key)
		}
		if seen[key] {
			return fmt.Errorf("parameter %q is there twice", key)
		}
		seen[key] = true
		if err := r.set(key, value, secrets); err != nil {
			return err
		}
	}
	return nil
}

func hostPort(authority string) (host, port string, err error) {
	host, port = authority, defaultPort
	if strings.Contains(authority, ":") && !strings.HasSuffix(authority, "]") {
		if host, port, err = net.SplitHostPort(authority); err != nil {
			return "", "", fmt.Errorf("host and port %q are not host:port; an IPv6 address stands in brackets", authority)
		}
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if host == "" {
		return "", "", errors.New("the host is missing, for example sc://localhost:15002")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", "", fmt.Errorf("port %q is not a number from 1 to 65535", port)
	}
	return host, port, nil
}

// set takes one parameter. Unknown ones are refused: the client would send a
// mistyped use_ssl as a header and dial in plaintext.
func (r *remote) set(key, value string, secrets bool) error {
	if secret(key) && !secrets {
		return fmt.Errorf("%q is a secret and would be seen in the process list: put a token into SLUICE_TOKEN or SLUICE_TOKEN_FILE, or the whole string into SPARK_REMOTE", key)
	}
	switch key {
	case "token":
		r.token = value
	case "user_id":
		r.user = value
	case "user_agent":
		r.agent = value
	case "use_ssl":
		return setBool(&r.tls, key, value)
	case "insecure_token":
		return setBool(&r.insecureToken, key, value)
	default:
		if !strings.HasPrefix(strings.ToLower(key), "x-") {
			return fmt.Errorf("parameter %q is not known; use token, use_ssl, user_id, user_agent, insecure_token or a header that begins with x-", key)
		}
		r.headers[strings.ToLower(key)] = value
	}
	return nil
}

func setBool(target *bool, key, value string) error {
	v, err := strconv.ParseBool(value)
	if err != nil {
		return fmt.Errorf("parameter %q must be true or false", key)
	}
	*target = v
	return nil
}

// secret reports whether a parameter or header of this name holds a secret.
func secret(key string) bool {
	key = strings.ToLower(key)
	if key == "insecure_token" {
		return false
	}
	for _, word := range []string{"token", "auth", "secret", "password", "credential", "cookie", "api-key", "apikey"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}
