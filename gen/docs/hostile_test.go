package docs_test

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen/docs"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
)

// payloads are texts that would be more than text.
var payloads = []string{
	"| b | c |", "\n\n# Heading\n\n", "\n| --- | --- |\n", "](http://evil.example)", "[x](javascript:alert(1))", "![x](http://evil.example/x.png)",
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- ", "<http://evil.example>", "http://evil.example", "www.evil.example", "https://evil.example/?a=b",
	"`", "``", "```", "\n```\n", "~~~", "*x*", "**x**", "_x_", "~~x~~", "$x$", "$$x$$", "&lt;b&gt;", "&#124;", "\\", "\\|", "\\`", `\\|`, " ", "\t", "\u2028", "\u202e", "\x1b[31m",
	"[//]: # \"", "[x]: http://evil.example", "\n- [ ] x", "\n> x", "\n1. x", "\n---\n", "\n    x", "end", "\"]; click t1 \"javascript:alert(1)\"", "%%{init: {}}%%", "-->", "--- x ---", "#quot;", "{{.}}",
}

// No text of a contract or fixture changes what a page is made of: the same
// blocks, cells and links come out, and nothing else.
func TestHostileTexts(t *testing.T) {
	for _, name := range []string{"sales/orders", "aviation/flights", "retail/pos_line"} {
		path := filepath.Join(root, name+".odcs.yaml")
		for i, payload := range payloads {
			spoil := func(s string) string { return s + payload }
			if i%2 == 1 {
				spoil = func(s string) string { return payload + s + payload }
			}
			// The same number of texts, so that empty parts stay empty.
			plain, hostile := subject(t, path), subject(t, path)
			spoilAll(plain, func(s string) string { return s + "x" })
			spoilAll(hostile, spoil)
			out := page(t, hostile)
			if diff := cmp.Diff(skeleton(t, page(t, plain)), skeleton(t, out)); diff != "" {
				t.Errorf("%s with %q is made of other parts (-plain +hostile):\n%s", name, payload, diff)
			}
			if !visible(out) {
				t.Errorf("%s with %q has characters that nobody sees", name, payload)
			}
			harmless(t, out)
		}
	}
}

// harmless: links stay in the repository, and no HTML is there.
func harmless(t *testing.T, source string) {
	t.Helper()
	cells(t, source)
	walk(t, parsed(source), func(n ast.Node, _ int) {
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock, *ast.Image:
			t.Errorf("the page holds %s", n.Kind())
		case *ast.Link:
			if to := string(n.Destination); !regexp.MustCompile(`^(#[a-z-]+|[A-Za-z0-9_./%-]+)$`).MatchString(to) {
				t.Errorf("the page has a link to %q", to)
			}
		}
	})
}

// Contracts with nested columns, typed sources, other zones and hostile names have
// pages like any other.
func TestOtherContracts(t *testing.T) {
	others := []string{"wide", "typed", "stamped", "zones", "hostile"}
	for i, name := range others {
		others[i] = "../testdata/" + name + ".odcs.yaml"
	}
	others = append(others, "../../contracts/testdata/good/full-3.2.yaml", "../../contracts/testdata/good/old-3.0.yaml")
	for _, path := range others {
		c, err := contracts.Load(path, contracts.Options{Vars: map[string]string{"T": "t"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range c.Published() {
			out := page(t, docs.Subject{Contract: c, Table: table})
			harmless(t, out)
			for _, slip := range []string{"%!", "<no value>", "{{", "<nil>"} {
				if strings.Contains(out, slip) && !strings.Contains(path, "hostile") {
					t.Errorf("the page of %s holds %s", path, slip)
				}
			}
		}
	}
}

var drawn = regexp.MustCompile(`^(flowchart LR|  t\d+(\["[A-Za-z0-9 ._,#;]*"\]|\[\("[A-Za-z0-9 ._,#;]*"\)\])|  t\d+ (-->|-\.->)\|"[A-Za-z0-9 ._,#;]*"\| t\d+)$`)

// The same of the index, whose diagram has a language of its own.
func TestHostileIndex(t *testing.T) {
	for _, payload := range payloads {
		plain, hostile := examples(t), examples(t)
		for i := range plain {
			spoilAll(docs.Subject{Contract: plain[i]}, func(s string) string { return s + "x" })
			spoilAll(docs.Subject{Contract: hostile[i]}, func(s string) string { return s + payload })
		}
		out := index(t, hostile)
		if diff := cmp.Diff(skeleton(t, index(t, plain)), skeleton(t, out)); diff != "" {
			t.Errorf("the index with %q is made of other parts (-plain +hostile):\n%s", payload, diff)
		}
		harmless(t, out)
		_, diagram, _ := strings.Cut(out, "```mermaid\n")
		diagram, _, found := strings.Cut(diagram, "\n```")
		if !found {
			t.Fatalf("the index has no diagram:\n%s", out)
		}
		for _, line := range strings.Split(diagram, "\n") {
			if !drawn.MatchString(line) {
				t.Errorf("with %q the diagram says %s", payload, line)
			}
		}
	}
}

// spoilAll changes every text that an author could have written.
func spoilAll(s docs.Subject, spoil func(string) string) {
	spoiler := &spoiler{spoil: spoil, seen: map[any]bool{}}
	spoiler.value(reflect.ValueOf(s))
}

type spoiler struct {
	spoil func(string) string
	seen  map[any]bool
}

var kept = []reflect.Type{reflect.TypeFor[contracts.Position](), reflect.TypeFor[contracts.Comparison]()}

func (s *spoiler) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !s.seen[v.Interface()] {
			s.seen[v.Interface()] = true
			s.value(v.Elem())
		}
	case reflect.Struct:
		for _, k := range kept {
			if v.Type() == k {
				return
			}
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				s.value(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.value(v.Index(i))
		}
	case reflect.Map:
		s.keys(v)
	case reflect.String:
		s.text(v)
	default:
	}
}

// text spoils what is there. A type of its own is one of a closed set, which no
// author's text is.
func (s *spoiler) text(v reflect.Value) {
	if v.Type() == reflect.TypeFor[string]() && v.CanSet() && v.String() != "" && v.String() != "accepted" {
		v.SetString(s.spoil(v.String()))
	}
}

// keys spoils the codes by which a fixture counts.
func (s *spoiler) keys(v reflect.Value) {
	if v.Type() != reflect.TypeFor[map[string]int64]() {
		return
	}
	for _, key := range v.MapKeys() {
		n := v.MapIndex(key)
		v.SetMapIndex(key, reflect.Value{})
		v.SetMapIndex(reflect.ValueOf(s.spoil(key.String())), n)
	}
}
