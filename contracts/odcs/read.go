package odcs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
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
		report.Add(syntaxProblem(start, err))
		return nil
	}
	if root == nil {
		report.Add(Problem{Position: start, ID: "empty-file", Text: "the file holds no document; start it with apiVersion, kind and id"})
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
func syntaxProblem(at Position, err error) Problem {
	var many manyError
	if errors.As(err, &many) {
		at.Line, at.Column = many.line, many.column
		return Problem{Position: at, ID: "several-documents", Text: "a second YAML document starts here; keep one contract a file and remove the ---"}
	}
	text := err.Error()
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
		text = m[2]
		if zeroBased.MatchString(text) {
			at.Line++
		}
	}
	return Problem{Position: at, ID: "yaml-syntax", Text: "this is not YAML: " + text}
}

func invalidAt(file string, data []byte) Position {
	at := Position{File: file, Line: 1, Column: 1}
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		at.Column++
		if r == '\n' {
			at.Line, at.Column = at.Line+1, 1
		}
		data = data[size:]
	}
	return at
}
