package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// forbidden is an edge that must not be there. Packages are named below the
// module; a name that ends in /... stands for everything under it as well.
type forbidden struct {
	from   []string
	except []string // of from
	to     []string
	direct bool // only imports of the package itself, not what these import
	reason string
}

var everything = []string{"..."}

var rules = []forbidden{
	{
		from: []string{"contracts/odcs", "gen/sparksql", "templates"}, to: everything,
		reason: "leaves know nothing of the house, so that they can be read and tested alone",
	},
	{
		from: []string{"gen/plan"}, except: nil, to: []string{"contracts/...", "gen", "templates", "runner/...", "cmd/..."},
		reason: "the plan is what gen and runner both know; it must not drag in either",
	},
	{
		from: []string{"contracts/..."}, to: []string{"gen", "gen/plan", "templates", "runner/...", "cmd/..."},
		reason: "a contract says what is promised, not how Spark does it",
	},
	{
		from: []string{"gen/..."}, to: []string{"runner/...", "cmd/..."},
		reason: "SQL is a function of the contract alone; what runs it must not change it",
	},
	{
		from: []string{"runner/..."}, except: []string{"runner/fixture", "runner/runnertest", "runner/runnertest/..."},
		to:     []string{"contracts/...", "gen", "templates", "cmd/..."},
		reason: "what was planned is what runs: a runner that knows the contract could decide anew",
	},
	{
		from: []string{"runner"}, to: []string{"runner/connect", "runner/land", "runner/local", "runner/fixture", "runner/runnertest/..."},
		reason: "the run protocol sees a Session, never a client or a server",
	},
	{
		from: []string{"runner/companion"}, to: []string{"runner", "runner/connect", "runner/fixture", "runner/land", "runner/local", "gen/..."},
		reason: "what is uploaded holds a binary and files; how a run goes is the binary's own",
	},
	{
		from: everything, except: []string{"cmd/..."}, to: []string{"cmd/..."},
		reason: "the command line is the outermost layer",
	},
	{
		from: everything, except: []string{"contracts/odcs"}, to: []string{"gopkg.in/yaml.v3", "go.yaml.in/yaml/v3"}, direct: true,
		reason: "YAML is read in one place, with positions",
	},
	{
		from: everything, except: []string{"runner/connect", "runner/runnertest/proxy"}, direct: true, // the proxy passes bytes on and knows no client
		to:     []string{"github.com/apache/spark-connect-go/...", "github.com/apache/arrow-go/...", "google.golang.org/..."},
		reason: "the client is experimental: one package absorbs its changes",
	},
	{
		from: everything, except: []string{"cmd/internal/cli"}, to: []string{"github.com/urfave/cli/..."}, direct: true,
		reason: "flags become options at the edge",
	},
	{
		from: []string{"gen/...", "contracts/odcs", "templates"}, direct: true,
		to:     []string{"os", "os/exec", "io/fs", "net", "net/http", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand"},
		reason: "the same contract gives the same bytes: no environment, network, logger or chance",
	},
	{
		from: []string{"gen/..."}, to: []string{"time"}, direct: true,
		reason: "generated SQL must not depend on a clock",
	},
}

// TestImportDirections holds the shape of the house: imports point one way.
func TestImportDirections(t *testing.T) {
	packages := list(t)
	for _, rule := range rules {
		for _, p := range packages {
			if !matches(rule.from, p.ImportPath) || matches(rule.except, p.ImportPath) {
				continue
			}
			for _, dep := range p.reach(rule.direct) {
				if dep != p.ImportPath && matches(rule.to, dep) {
					t.Errorf("%s must not import %s: %s", p.ImportPath, dep, rule.reason)
				}
			}
		}
	}
}

// TestImportRulesBite shows that a broken rule would be seen.
func TestImportRulesBite(t *testing.T) {
	for _, one := range []struct {
		patterns []string
		path     string
		want     bool
	}{
		{[]string{"gen"}, "sluice/gen", true},
		{[]string{"gen"}, "sluice/gen/plan", false},
		{[]string{"gen/..."}, "sluice/gen/plan", true},
		{[]string{"gen/..."}, "sluice/gen", true},
		{[]string{"gen/..."}, "sluice/generic", false},
		{everything, "sluice/runner", true},
		{everything, "fmt", false},
		{[]string{"github.com/urfave/cli/..."}, "github.com/urfave/cli/v2", true},
		{[]string{"os"}, "os", true},
		{[]string{"os"}, "os/exec", false},
	} {
		if got := matches(one.patterns, one.path); got != one.want {
			t.Errorf("matches(%v, %s) = %v", one.patterns, one.path, got)
		}
	}
}

type listed struct {
	ImportPath    string
	Imports, Deps []string
}

func (l listed) reach(direct bool) []string {
	if direct {
		return l.Imports
	}
	return l.Deps
}

func list(t *testing.T) []listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", "sluice/...").Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Fatalf("listing packages: %v\n%s", err, failed.Stderr)
		}
		t.Fatalf("listing packages: %v", err)
	}
	var packages []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("reading go list: %v", err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 10 {
		t.Fatalf("go list found %d packages", len(packages))
	}
	return packages
}

func matches(patterns []string, importPath string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern == "..." {
			return strings.HasPrefix(importPath, "sluice/")
		}
		base, below := strings.CutSuffix(pattern, "/...")
		for _, full := range []string{base, "sluice/" + base} {
			if importPath == full || below && strings.HasPrefix(importPath, full+"/") {
				return true
			}
		}
		return false
	})
}
