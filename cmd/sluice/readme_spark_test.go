package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/runner/runnertest"
)

// The blocks that need Spark are one story on one lake, from an empty start. Their
// output is that of Spark 4.1.
func TestManualCommandsOnSpark(t *testing.T) {
	runnertest.Once(t)
	if version := os.Getenv("SLUICE_SPARK"); version != "" && version != "4.1" {
		t.Skip("the manual shows what Spark 4.1 prints")
	}
	lake := runnertest.Spark(t)
	m := newManual(t, lake.Prefix)
	m.env = append(m.env, "SPARK_REMOTE="+lake.Remote)
	for _, b := range blocks(t) {
		switch {
		case strings.Contains(b.text, "sluice demo") && os.Getenv("SLUICE_SPARK_REMOTE") != "":
			t.Logf("README.md:%d: the demo is for the local Spark alone and has fixed schemas; a shared server is not asked", b.line)
		case b.mark == "spark":
			m.play(t, b)
		case b.kind == "sql" && b.mark == "":
			for _, statement := range strings.Split(strings.TrimSpace(b.text), ";\n") {
				lake.Rows(home.ReplaceAllString(strings.TrimSuffix(statement, ";"), lake.Prefix+"$1."))
			}
		}
		if t.Failed() {
			t.FailNow() // the rest of the story stands on it
		}
	}
	if _, err := os.Stat(filepath.Join(m.dir, "report.json")); err != nil {
		t.Error(err)
	}
}
