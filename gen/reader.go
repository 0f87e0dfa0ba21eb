package gen

import (
	"fmt"
	"strconv"
	"strings"

	"sluice/contracts"
)

// Reader is who reads a published table, and what of it.
type Reader struct {
	Name    string // of the consumer; "" = anybody
	Major   int
	Columns []*contracts.Column
}

// ReaderForm is a language in which a reader's guard can be written.
type ReaderForm string

// The forms of a reader.
const (
	ReaderSQL    ReaderForm = "sql"
	ReaderPython ReaderForm = "python"
)

// ReaderForms are all forms.
func ReaderForms() []string { return []string{string(ReaderSQL), string(ReaderPython)} }

// readerView is what the templates of a reader see.
type readerView struct {
	Title, Table, PythonTable string
	Major                     int
	SelectList, PythonList    []string
}

// EmitReader writes the guard of a reader and its explicit select list, to paste.
func EmitReader(c *contracts.Contract, t *contracts.Table, r Reader, form ReaderForm) (string, error) {
	v := readerView{Table: t.Target.SQL(), PythonTable: pythonString(t.Target.SQL()), Major: r.Major}
	v.Title = fmt.Sprintf("%s as contract %d.x of %s has it", oneLine(t.Target.String()), r.Major, oneLine(c.ID))
	if r.Name != "" {
		v.Title += ", for " + oneLine(r.Name)
	}
	v.Title += "."
	endings := map[string]contracts.Ending{}
	for _, e := range c.Endings(t) {
		endings[e.Column] = e
	}
	for i, column := range r.Columns {
		note := ""
		if e, ending := endings[column.Name]; ending {
			note = oneLine(endingNote(e))
		}
		comma := ","
		if i == len(r.Columns)-1 {
			comma = ""
		}
		v.SelectList = append(v.SelectList, commented(ident(column.Name)+comma, " -- ", note))
		v.PythonList = append(v.PythonList, commented(pythonString(ident(column.Name))+",", "  # ", note))
	}
	file := map[ReaderForm]string{ReaderSQL: "reader.sql.tmpl", ReaderPython: "reader.py.tmpl"}[form]
	var out strings.Builder
	if err := templatesOf(c.Server.Format).ExecuteTemplate(&out, file, v); err != nil {
		return "", fmt.Errorf("writing the reader of %s: %w", t.Target, err)
	}
	return out.String(), nil
}

func commented(code, mark, note string) string {
	if note == "" {
		return code
	}
	return code + mark + note
}

func endingNote(e contracts.Ending) string {
	note := "deprecated"
	if e.EndOfLife != "" {
		note += ", ends on " + e.EndOfLife
	}
	if e.Successor != "" {
		note += ", use " + e.Successor
	}
	return note
}

// pythonString is a Python literal: Go's ASCII escapes are Python's as well.
func pythonString(text string) string { return strconv.QuoteToASCII(text) }
