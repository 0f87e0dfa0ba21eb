package docs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Text makes contract text safe anywhere inside a line of Markdown: it begins no
// markup, link, HTML, formula or entity, ends no table cell and breaks no line.
// A pipe is an entity, since not every reader of tables takes an escape alike.
func Text(s string) string {
	var b strings.Builder
	s = oneLine(s)
	for i, r := range s {
		switch {
		case r == '|':
			b.WriteString("&#124;")
			continue
		case strings.ContainsRune("\\`*_[]<>~&#$", r),
			r == ':' && strings.HasPrefix(s[i:], "://"),
			r == '.' && strings.HasSuffix(strings.ToLower(s[:i]), "www"): // the last two would become links
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// oneLine drops what breaks a line, acts on a terminal or hides text.
func oneLine(s string) string {
	fields := strings.FieldsFunc(s, func(r rune) bool { return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) })
	return strings.TrimSpace(strings.Join(fields, " "))
}

// Code is a code span. What a span cannot hold in a table cell, a pipe, makes it text.
func Code(s string) string {
	s = oneLine(s)
	if s == "" || strings.Contains(s, "|") {
		return Text(s)
	}
	fence := strings.Repeat("`", longest(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// longest is the length of the longest run of backticks.
func longest(s string) int {
	most, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}

// Codes are code spans behind each other.
func Codes(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = Code(n)
	}
	return strings.Join(out, ", ")
}

// fenced is a code block that its content cannot end.
func fenced(language, content string) string {
	fence := strings.Repeat("`", max(3, longest(content)+1))
	return fence + language + "\n" + strings.TrimRight(content, "\n") + "\n" + fence
}

// link leads to a file by a slash path from the page.
func link(label, path string) string { return "[" + label + "](" + destination(path) + ")" }

// destination is a path without a character that has a meaning to Markdown or in
// an address; a colon would make a scheme of what stands before it.
func destination(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || slices.Contains([]byte("-_./"), c) {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// table is a Markdown table; its cells are finished. It is empty without rows.
func table(head []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	b.WriteString("|" + strings.Repeat(" --- |", len(head)) + "\n")
	for _, row := range rows {
		line(row)
	}
	return strings.TrimRight(b.String(), "\n")
}

// value shows a value whose edges would not be seen, or that is empty, in quotes.
func value(s string) string {
	if s == "" || s != oneLine(s) {
		return strconv.Quote(s)
	}
	return s
}

// either is the text, or what stands in its place when it is empty.
func either(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}

func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
