package render

import (
	"encoding/xml"
	"io"
	"path/filepath"
	"strings"

	"sluice/contracts"
)

type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the outcome of lint as a test case a file. Errors, and warnings
// when strict, are its failure; the rest is its output. A problem of a file that
// was not asked for (one that a relationship leads to) gets a case of its own.
func JUnit(w io.Writer, files []string, problems contracts.Problems, strict bool) error {
	suite := junitSuite{Name: "sluice lint"}
	of := map[string]contracts.Problems{}
	for _, p := range problems {
		file := filepath.Clean(p.Position.File)
		if of[file] == nil && !cleanContains(files, file) {
			files = append(files[:len(files):len(files)], p.Position.File)
		}
		of[file] = append(of[file], p)
	}
	for _, file := range files {
		one := junitOf(file, of[filepath.Clean(file)], strict)
		if one.Failure != nil {
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, one)
	}
	return writeSuite(w, suite)
}

func writeSuite(w io.Writer, suite junitSuite) error {
	suite.Tests = len(suite.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func cleanContains(files []string, file string) bool {
	for _, f := range files {
		if filepath.Clean(f) == file {
			return true
		}
	}
	return false
}

func junitOf(file string, problems contracts.Problems, strict bool) junitCase {
	out := junitCase{Class: "sluice.lint", Name: line(file)}
	var failed, told []string
	for _, p := range problems {
		text := line(p.String())
		if p.Severity != contracts.Error && (!strict || len(contracts.Problems{p}.Strict()) == 0) {
			told = append(told, text)
			continue
		}
		if out.Failure == nil {
			out.Failure = &junitFailure{Message: line(p.Text), Type: p.ID}
		}
		failed = append(failed, text)
	}
	if len(failed) > 1 {
		out.Failure.Message = Count(len(failed), "problem")
	}
	if out.Failure != nil {
		out.Failure.Text = strings.Join(failed, "\n")
	}
	out.Output = strings.Join(told, "\n")
	return out
}
