package companion

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bundle is what is uploaded for a job.
type Bundle struct {
	Dir       string            // a new or empty folder
	Version   string            // of the main file
	Contracts map[string]string // slash path below contracts/, file to copy
	Binaries  []Binary
	Run       []string // sluice's arguments of the job, but for the batch: run flights.odcs.yaml
}

// Prepare makes the folder of a bundle. A folder that holds anything is refused:
// what was taken out of the contracts would stay in it, and it may be somebody's own.
func Prepare(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the bundle's folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("laying out the bundle: %q is not empty; name a new folder or clear it", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the bundle's folder: %w", err)
	}
	return nil
}

// Write lays the bundle out and returns the slash paths of its files below the folder.
func (b Bundle) Write() ([]string, error) {
	l := &layout{dir: b.Dir}
	l.put(Name, 0o644, Main(b.Version))
	for _, binary := range b.Binaries {
		l.copy(BinaryName(binary.Arch), binary.Path)
	}
	l.put("contracts.zip", 0o644, b.contracts(l))
	l.put("SparkJobDefinitionV1.json", 0o644, b.fabric())
	l.put("spark-submit.sh", 0o755, b.submit())
	return l.written, l.err
}

// layout writes files below a folder until one of them fails.
type layout struct {
	dir     string
	written []string
	err     error
}

func (l *layout) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

func (l *layout) put(name string, mode fs.FileMode, content []byte) {
	if l.err != nil {
		return
	}
	path := filepath.Join(l.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.fail("making a folder of the bundle: %w", err)
	} else if err := os.WriteFile(path, content, mode); err != nil {
		l.fail("writing the bundle: %w", err)
	}
	l.written = append(l.written, name)
}

// contracts writes the contracts and returns them as an archive too: some
// platforms take files for a job, but no folders. Its bytes depend on nothing else.
func (b Bundle) contracts(l *layout) []byte {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range slices.Sorted(maps.Keys(b.Contracts)) {
		content, err := os.ReadFile(b.Contracts[name])
		if err != nil {
			l.fail("reading a contract: %w", err)
			return nil
		}
		l.put("contracts/"+name, 0o644, content)
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			l.fail("packing the contracts: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		l.fail("packing the contracts: %w", err)
	}
	return archive.Bytes()
}

// place is where Fabric finds the bundle; the two words in capitals are for the user.
const place = "abfss://WORKSPACE@onelake.dfs.fabric.microsoft.com/LAKEHOUSE.Lakehouse/Files/sluice"

// fabric is the definition of a Spark job as Fabric's REST API takes it, in the
// format SparkJobDefinitionV1. The binary is named by its URI: reference files
// of a job definition are Python files and jars.
func (b Bundle) fabric() []byte {
	args := append([]string{"--sluice-binary", place, "--contracts", place + "/contracts"}, b.Run...)
	args = append(args, "--batch", "BATCH", "--report", place+"/reports/")
	out, err := json.MarshalIndent(jobDefinition{
		Executable: place + "/" + Name, Lakehouse: "LAKEHOUSE-ID", Additional: []string{}, Libraries: []string{},
		Arguments: strings.Join(args, " "), Language: "Python",
	}, "", "  ")
	if err != nil {
		panic(err) // texts and lists of texts
	}
	return append(out, '\n')
}

// jobDefinition has every field of the format, in the order of its documentation.
type jobDefinition struct {
	Executable  string   `json:"executableFile"`
	Lakehouse   string   `json:"defaultLakehouseArtifactId"`
	MainClass   string   `json:"mainClass"`
	Additional  []string `json:"additionalLakehouseIds"`
	RetryPolicy *string  `json:"retryPolicy"`
	Arguments   string   `json:"commandLineArguments"`
	Libraries   []string `json:"additionalLibraryUris"`
	Language    string   `json:"language"`
	Environment *string  `json:"environmentArtifactId"`
}

// submit is the line for spark-submit, as a script.
func (b Bundle) submit() []byte {
	var words []string
	for _, word := range b.Run {
		words = append(words, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return []byte(`#!/bin/sh
# Runs one batch beside the driver: sh spark-submit.sh BATCH [more of sluice's arguments]
# Spark 3.5 has Spark Connect in a package of its own:
#   SPARK_SUBMIT="spark-submit --packages org.apache.spark:spark-connect_2.12:3.5.7" sh spark-submit.sh BATCH
# With --deploy-mode cluster add --files with the binary and contracts.zip, or name both by URI.
batch=${1:?give a batch id}
shift
exec ${SPARK_SUBMIT:-spark-submit} "$(dirname "$0")/` + Name + `" ` + strings.Join(words, " ") + ` --batch "$batch" "$@"
`)
}

// copy copies a program, unless it was built in its place.
func (l *layout) copy(name, from string) {
	to := filepath.Join(l.dir, name)
	l.written = append(l.written, name)
	if l.err != nil || same(from, to) {
		return
	}
	in, err := os.Open(from)
	if err != nil {
		l.fail("reading a binary: %w", err)
		return
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		l.fail("writing a binary: %w", err)
		return
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		l.fail("copying %q: %w", from, err)
	}
}

func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
