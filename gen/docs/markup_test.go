package docs_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// parsed is a page as a reader of GitHub's Markdown takes it.
func parsed(source string) ast.Node {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(source)))
}

func walk(t *testing.T, node ast.Node, visit func(n ast.Node, depth int)) {
	t.Helper()
	depth := 0
	if err := ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n, depth)
			depth++
			return ast.WalkContinue, nil
		}
		depth--
		return ast.WalkContinue, nil
	}); err != nil {
		t.Fatal(err)
	}
}

var notAnchor = regexp.MustCompile(`[^\p{L}\p{N}\p{M} _-]`)

// anchors are the ids that GitHub gives to the headings of a page.
func anchors(t *testing.T, source string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	walk(t, parsed(source), func(n ast.Node, _ int) {
		if h, is := n.(*ast.Heading); is {
			var words strings.Builder
			walk(t, h, func(n ast.Node, _ int) {
				if s, is := n.(*ast.Text); is {
					words.Write(s.Segment.Value([]byte(source)))
				}
			})
			id := strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(words.String()), ""), " ", "-")
			for i, stem := 1, id; out[id]; i++ {
				id = fmt.Sprintf("%s-%d", stem, i)
			}
			out[id] = true
		}
	})
	return out
}

// Every link of a committed page leads to a heading or a file that is there.
func TestLinks(t *testing.T) {
	paths, err := filepath.Glob(root + "/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, path := range append(paths, root+"/README.md", root+"/../README.md") {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		here := anchors(t, string(source))
		walk(t, parsed(string(source)), func(n ast.Node, _ int) {
			link, is := n.(*ast.Link)
			if !is {
				return
			}
			links++
			to, err := url.Parse(string(link.Destination))
			if err != nil || to.Scheme != "" || to.Host != "" {
				t.Errorf("%s: the link %s is no relative one: %v", path, link.Destination, err)
				return
			}
			if to.Path == "" && !here[to.Fragment] {
				t.Errorf("%s: no heading has the anchor %s", path, to.Fragment)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(to.Path))); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	if links < 50 {
		t.Errorf("the checker saw %d links", links)
	}
}

// Headings follow each other level by level, and a page has one title.
func TestHeadings(t *testing.T) {
	for _, c := range examples(t) {
		if len(c.Published()) == 0 {
			continue
		}
		titles := 0
		walk(t, parsed(page(t, subject(t, c.File))), func(n ast.Node, _ int) {
			if h, is := n.(*ast.Heading); is && h.Level == 1 {
				titles++
			}
			if h, is := n.(*ast.Heading); is && h.Level > 2 {
				t.Errorf("%s: a heading of level %d", c.File, h.Level)
			}
		})
		if titles != 1 {
			t.Errorf("%s: %d titles", c.File, titles)
		}
	}
}

// skeleton is a page without its words: blocks, cells, links and emphasis.
func skeleton(t *testing.T, source string) string {
	t.Helper()
	var out strings.Builder
	walk(t, parsed(source), func(n ast.Node, depth int) {
		switch n := n.(type) {
		case *ast.Text, *ast.String, *ast.CodeSpan: // words; what a span cannot hold is text
			return
		case *ast.AutoLink:
			if n.AutoLinkType == ast.AutoLinkEmail { // of an owner or reader; it leads to nobody else
				return
			}
			fmt.Fprintf(&out, "%sAutoLink %s\n", strings.Repeat(" ", depth), n.URL([]byte(source)))
		case *ast.Heading:
			fmt.Fprintf(&out, "%sHeading %d\n", strings.Repeat(" ", depth), n.Level)
		case *ast.FencedCodeBlock:
			fmt.Fprintf(&out, "%sFence %s\n", strings.Repeat(" ", depth), n.Language([]byte(source)))
		default:
			fmt.Fprintf(&out, "%s%s\n", strings.Repeat(" ", depth), n.Kind())
		}
	})
	return out.String()
}

var pasted = regexp.MustCompile("(?s)\n````*sql\n.*?\n````*\n")

// visible reports whether a page holds nothing that would hide text or act on a
// terminal. SQL to paste is left out: a name in it must stay what it is.
func visible(source string) bool {
	source = pasted.ReplaceAllString(source, "\n")
	return !strings.ContainsFunc(source, func(r rune) bool {
		return r != '\n' && unicode.In(r, unicode.C, unicode.Zl, unicode.Zp)
	})
}

// cells holds that every line of a table has the pipes of its head: a parser drops
// the cells that are too many, so that its tree would not show them.
func cells(t *testing.T, source string) {
	t.Helper()
	fence, pipes := "", 0
	for _, line := range strings.Split(source, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "":
			if line == fence {
				fence = ""
			}
		case len(ticks) >= 3:
			fence = ticks
		case !strings.HasPrefix(line, "|"):
			pipes = 0
		case pipes == 0:
			pipes = strings.Count(line, "|")
		case strings.Count(line, "|") != pipes:
			t.Errorf("a line has %d pipes, its head %d: %s", strings.Count(line, "|"), pipes, line)
		}
	}
	if fence != "" {
		t.Errorf("a code block has no end")
	}
}
