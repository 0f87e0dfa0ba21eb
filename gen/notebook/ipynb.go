package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"sluice/gen/plan"
	"sluice/templates"
)

// Generator marks the notebooks that sluice writes, in their metadata.
const Generator = "sluice gen --notebook; do not edit"

// Options are how a notebook was written. They are kept in it, so that what is
// there can be compared and written again.
type Options struct {
	Format    string            `json:"format,omitempty"` // "" = Python, Magic
	Fixtures  bool              `json:"fixtures,omitempty"`
	Batch     string            `json:"batch,omitempty"` // this and below: Magic
	Run       string            `json:"run,omitempty"`
	Partition map[string]string `json:"partition,omitempty"`
	Existing  bool              `json:"existing,omitempty"` // the table is there
}

// Occasion is the one that the steps of a Magic notebook are sent on.
func (o Options) Occasion() plan.Occasion {
	if o.Existing {
		return plan.LaterRun
	}
	return plan.FirstRun
}

// Magic is the format of cells that begin with %%sql.
const Magic = "magic"

// mark is what the metadata of a notebook says of its origin.
type mark struct {
	Generator string `json:"generator"`
	Options
}

// Of returns how a notebook was written, and whether sluice wrote it at all.
func Of(text []byte) (o Options, ours bool) {
	var have struct {
		Metadata struct {
			Sluice mark `json:"sluice"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(text, &have); err != nil {
		return o, false
	}
	return have.Metadata.Sluice.Options, have.Metadata.Sluice.Generator == Generator
}

// book is a notebook while it is written.
type book struct {
	plan   *plan.Plan
	source string
	tested bool // it has fixtures
	cells  []cell
}

// cell is one of nbformat 4.5, whose ids are unique words of at most 64 characters.
type cell struct {
	Type     string         `json:"cell_type"`
	Count    *int           `json:"execution_count"`
	ID       string         `json:"id"`
	Metadata map[string]any `json:"metadata"`
	Outputs  []any          `json:"outputs"`
	Source   []string       `json:"source"`
}

// MarshalJSON leaves out what a cell of Markdown must not have.
func (c cell) MarshalJSON() ([]byte, error) {
	out := map[string]any{"cell_type": c.Type, "id": c.ID, "metadata": c.Metadata, "source": c.Source}
	if c.Type == "code" {
		out["execution_count"], out["outputs"] = nil, []any{}
	}
	return encode(out)
}

func (b *book) markdown(id, text string) { b.add("markdown", id, map[string]any{}, text) }

func (b *book) code(id, text string) { b.add("code", id, map[string]any{}, text) }

func (b *book) tagged(id, tag, text string) {
	b.add("code", id, map[string]any{"tags": []string{tag}}, text)
}

// hidden folds the source away, where the program that shows it can.
func (b *book) hidden(id, text string) {
	b.add("code", id, map[string]any{"jupyter": map[string]any{"source_hidden": true}}, text)
}

var idWord = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

func (b *book) add(kind, id string, metadata map[string]any, text string) {
	id = idWord.ReplaceAllString(id, "-")
	if len(id) > 50 {
		id = id[:50]
	}
	stem := id
	for n := 2; b.has(id); n++ {
		id = fmt.Sprintf("%s-%d", stem, n)
	}
	b.cells = append(b.cells, cell{Type: kind, ID: id, Metadata: metadata, Source: strings.SplitAfter(strings.Trim(text, "\n"), "\n")})
}

func (b *book) has(id string) bool {
	for _, c := range b.cells {
		if c.ID == id {
			return true
		}
	}
	return false
}

// bytes is the notebook as nbformat writes it: sorted keys, an indent of one.
func (b *book) bytes(o Options) ([]byte, error) {
	text, err := encode(map[string]any{
		"cells": b.cells,
		"metadata": map[string]any{
			"kernelspec":    map[string]any{"display_name": "Python 3", "language": "python", "name": "python3"},
			"language_info": map[string]any{"name": "python"},
			"sluice":        mark{Generator, o},
		},
		"nbformat": 4, "nbformat_minor": 5,
	})
	if err != nil {
		return nil, fmt.Errorf("writing the notebook of %s: %w", b.plan.Table, err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", " "); err != nil {
		return nil, fmt.Errorf("writing the notebook of %s: %w", b.plan.Table, err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSpace(out.Bytes()), err
}

// module is a part of the protocol.
func module(name string) (string, error) {
	text, err := templates.FS.ReadFile("notebook/" + name + ".py")
	if err != nil {
		return "", fmt.Errorf("reading the part %s of the run protocol: %w", name, err)
	}
	return string(text), nil
}
