// Package companion holds what takes sluice onto a cluster that has no Spark
// Connect endpoint: sluice_job.py, the main file of a Spark job, which starts
// Connect inside the job's own driver and runs the sluice binary beside it, and
// the folder that is uploaded for it. It knows no contract, and what a platform
// makes of the files is the platform's.
//
//	text := companion.Main(version)
//	files, err := companion.Bundle{Dir: "out", Contracts: …, Binaries: …}.Write()
//
// The Python file has tests beside this package that run it as a job and as a
// notebook on real Spark, for it is the one part that Go's compiler does not read.
package companion

import (
	"bytes"
	_ "embed"
	"strconv"
)

// Name is what the main file is called: notebooks import it by this name.
const Name = "sluice_job.py"

//go:embed sluice_job.py
var text []byte

// Main is the main file with its version line.
func Main(version string) []byte {
	return bytes.Replace(text, []byte(`__version__ = "devel"`), []byte("__version__ = "+strconv.QuoteToASCII(version)), 1)
}
