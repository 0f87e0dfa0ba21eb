package odcs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Limits of a file. A contract is written by a person; beyond these it is a
// mistake or an attack, and reading it must still end soon.
const (
	MaxBytes    = 8 << 20
	maxDepth    = 64
	maxExpanded = 100_000 // nodes that aliases may add
)

// read turns bytes into nodes, or reports why it cannot.
func read(file string, data []byte, report *Report) *Node {
	start := Position{File: file, Line: 1, Column: 1}
	if len(data) > MaxBytes {
		report.Add(Problem{Position: start, ID: "too-large", Text: fmt.Sprintf("the file has %d bytes; a contract may have %d", len(data), MaxBytes)})
		return nil
	}
	if !utf8.Valid(data) {
		report.Add(Problem{Position: invalidAt(file, data), ID: "not-utf8", Text: "the bytes here are not UTF-8; save the file as UTF-8"})
		return nil
	}
	root, err := decode(data)
	if err != nil {
		report.Add(syntaxProblem(start, data, err))
		return nil
	}
	if root == nil {
		report.Add(Problem{Position: start, ID: "empty-file", Text: "the file holds no document"})
		return nil
	}
	c := &converter{file: file, report: report}
	return c.value(root, "", 0)
}

var errMany = errors.New("multi-document")

type manyError struct{ line, column int }

func (e manyError) Error() string { return errMany.Error() }

// decode returns the one document of the data. yaml.v3 may panic on input that
// its authors did not foresee; for a file of somebody else that is a problem to
// report, not a crash.
func decode(data []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(&next); err == nil {
		return nil, manyError{next.Line, next.Column}
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// Errors of the parser, unlike those of the scanner, count lines from zero
// (yaml.v3 v3.0.1, decode.go, parser.fail).
var zeroBased = regexp.MustCompile(`^did not find expected (<|node content|key$|'-'|',')|^found undefined tag handle`)

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// syntaxProblem takes the line from the text of the error, the only place where
// yaml.v3 keeps it.
func syntaxProblem(at Position, data []byte, err error) Problem {
	var many manyError
	if errors.As(err, &many) {
		at.Line, at.Column = many.line, many.column
		return Problem{Position: at, ID: "several-documents", Text: "a second YAML document starts here; keep one document a file and remove the ---"}
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if i := bytes.IndexFunc(data, forbidden); i >= 0 && strings.HasPrefix(text, "control characters") {
		r, _ := utf8.DecodeRune(data[i:])
		at = after(at.File, data[:i])
		text = fmt.Sprintf("the control character U+%04X stands here; remove it", r)
	}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
		text = m[2]
		if zeroBased.MatchString(text) {
			at.Line++
		}
	}
	return Problem{Position: at, ID: "yaml-syntax", Text: "this is not YAML: " + text}
}

// forbidden characters have no place in YAML (yaml.v3, readerc.go).
func forbidden(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r > '~' && r < 0xA0 && r != 0x85 || r == 0xFFFE || r == 0xFFFF
}

func invalidAt(file string, data []byte) Position {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return after(file, data[:i])
		}
		i += size
	}
	return after(file, data)
}

// after is the place behind data, which a file begins with.
func after(file string, data []byte) Position {
	line := data[bytes.LastIndexByte(data, '\n')+1:]
	return Position{File: file, Line: bytes.Count(data, []byte("\n")) + 1, Column: utf8.RuneCount(line) + 1}
}
