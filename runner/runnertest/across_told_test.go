package runnertest_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// values is a row of a source as its author wrote it, by column; nil is NULL.
type values map[string]*string

// toldFile is a file of testdata/across; its head says what its words mean.
type toldFile struct {
	Columns   map[string]values
	Defaults  values
	Histories []told
}

type told struct {
	Name      string
	Batches   [][]values
	Steps     []step
	Published *[]values
	Warnings  map[string]map[string]int64

	prefix   string
	defaults values
	column   map[string]string // what stands for COLUMN and its values
}

type step struct {
	Batch            string
	Rows             []values
	Accept, Stricter bool
	Refused          string
	Warnings         map[string]int64
}

// toldHistories reads the histories of a file, each with a prefix of its own.
func toldHistories(t *testing.T, file string) []told {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/across", file))
	if err != nil {
		t.Fatal(err)
	}
	var f toldFile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var out []told
	add := func(h told, name string, column map[string]string) {
		h.Name, h.defaults, h.column = file+": "+name, f.Defaults, column
		h.prefix = fmt.Sprintf("%s-%d/", strings.TrimSuffix(file, ".yaml"), len(out)+1)
		out = append(out, h)
	}
	for _, h := range f.Histories {
		if len(f.Columns) == 0 {
			add(h, h.Name, nil)
		}
		for _, name := range slices.Sorted(maps.Keys(f.Columns)) {
			column := map[string]string{"COLUMN": name}
			for word, v := range f.Columns[name] {
				column[strings.ToUpper(word)] = *v
			}
			add(h, h.Name+" ("+name+")", column)
		}
	}
	return out
}

// filled puts the column of the history and its values in.
func (h told) filled(given values) values {
	out := values{}
	for name, v := range given {
		if column, stands := h.column[name]; stands {
			name = column
		}
		if v != nil && h.column[*v] != "" {
			text := h.column[*v]
			v = &text
		}
		out[name] = v
	}
	return out
}

// toldRow is a row with the verdicts of its first run and of later ones.
type toldRow struct {
	row
	history      *told
	first, again string
}

func (h *told) row(line int64, given values) toldRow {
	r := toldRow{row: row{line: line, text: maps.Clone(h.defaults), content: fmt.Sprintf("line %d", line), key: key{id: h.prefix}}, history: h}
	maps.Copy(r.text, h.filled(given))
	take := func(name string) string {
		v := r.text[name]
		delete(r.text, name)
		if v == nil {
			return ""
		}
		return *v
	}
	r.first, r.again = take("verdict"), take("again")
	if copies := take("copy"); copies != "" {
		r.content = copies
	}
	if r.first != "" && !accepted(r.first) && !slices.Contains([]string{"duplicate_superseded", "ambiguous_duplicate", "late_superseded"}, r.first) {
		r.codes = strings.Split(r.first, "; ")
		r.first = r.codes[0]
	}
	if r.again == "" {
		r.again = r.first
		if accepted(r.first) {
			r.again = "unchanged"
		}
	}
	if id := r.text["id"]; id != nil {
		whole := h.prefix + *id
		r.text["id"] = &whole
	}
	return r
}

func bare(rows []toldRow) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = r.row
	}
	return out
}

// published compares the rows of the history's keys with what it says of them.
func (h told) published(t *testing.T, table map[key]map[string]string) {
	t.Helper()
	if h.Published == nil {
		return
	}
	var keys []key
	for k := range table {
		if strings.HasPrefix(k.id, h.prefix) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return strings.Compare(a.id+"\x00"+a.part, b.id+"\x00"+b.part)
	})
	if len(keys) != len(*h.Published) {
		t.Errorf("%s: %d rows are published, want %d: %v", h.Name, len(keys), len(*h.Published), keys)
		return
	}
	for i, want := range *h.Published {
		got := table[keys[i]]
		got["id"] = strings.TrimPrefix(got["id"], h.prefix)
		for name, v := range h.filled(want) {
			if text, there := got[name]; there != (v != nil) || there && text != *v {
				t.Errorf("%s: row %d: %s is %q (NULL: %t), want %s", h.Name, i+1, name, text, !there, show(v))
			}
		}
	}
}
