// Package odcs reads one Open Data Contract Standard file: bytes into a tree of
// nodes that remember where they stood, checked against the keys, types and
// closed sets of the apiVersion that the file declares (3.0, 3.1 or 3.2). It is
// the only importer of yaml.v3.
//
// It knows the shape of a document and of sluice's own customProperties, but
// not what they mean together: no names are resolved and no defaults filled in.
//
//	doc, problems := odcs.Parse("orders.odcs.yaml", data)
//	doc.Root.Get("schema").List()[0].Get("name").Text()
package odcs

import (
	"slices"
	"strconv"
	"strings"
)

// Document is a parsed file. A value that broke its shape is left out of the
// tree (its problem says why), so a reader never meets a value of a wrong kind.
type Document struct {
	File       string
	APIVersion string
	Release    Release
	Root       *Node
	accepts    accepts
}

// Release is MAJOR*10+MINOR of the standard, for example 32.
type Release int

// String is the release as apiVersion writes it, without its patch: v3.2.
func (r Release) String() string {
	return "v" + strconv.Itoa(int(r)/10) + "." + strconv.Itoa(int(r)%10)
}

// The releases whose differences matter here.
const (
	Release30 Release = 30
	Release31 Release = 31
	Release32 Release = 32

	newest = Release32
)

// The versions that exist: v3.0.3 and v3.3.0 do not, and 3.2.0 without the v is
// no ODCS to other tools either.
var releases = map[string]Release{
	"v3.0.0": Release30, "v3.0.1": Release30, "v3.0.2": Release30,
	"v3.1.0": Release31, "v3.2.0": Release32,
}

// Parse reads a document and reports everything that is wrong with its form.
// The document is nil when nothing in it can be trusted: not YAML, no mapping,
// or a version of the standard that sluice does not know.
func Parse(file string, data []byte) (*Document, []Problem) {
	report := &Report{}
	root := read(file, data, report)
	if root == nil {
		return nil, report.Problems()
	}
	if root.Kind != Map {
		root.Report(report, "wrong-type", "a contract is a mapping; start the file with apiVersion, kind and id")
		return nil, report.Problems()
	}
	doc := &Document{File: file, Root: root, accepts: acceptances(file, data)}
	if !doc.readVersion(report) {
		return nil, report.Problems()
	}
	(&checker{report: report, release: doc.Release}).value(root, named("contract"), "")
	return doc, report.Problems()
}

func (d *Document) readVersion(report *Report) bool {
	node := d.Root.Get("apiVersion")
	if node == nil {
		if !d.Root.Had("apiVersion") {
			d.Root.Report(report, "missing-key", "apiVersion is missing; write apiVersion: v3.2.0")
		}
		return false
	}
	d.APIVersion = node.Text()
	release, known := releases[d.APIVersion]
	switch {
	case known:
		d.Release = release
	case strings.HasPrefix(d.APIVersion, "v2.") || strings.HasPrefix(d.APIVersion, "2."):
		node.Report(report, "unsupported-version", "apiVersion %q is of the second generation, whose fields differ; migrate the file to v3.2.0", d.APIVersion)
	default:
		node.Report(report, "unsupported-version", "apiVersion %q is not known; use one of %s", d.APIVersion, strings.Join(Versions(), ", "))
	}
	return known
}

// Versions lists the apiVersions that Parse accepts, oldest first.
func Versions() []string {
	out := make([]string, 0, len(releases))
	for v := range releases {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}
