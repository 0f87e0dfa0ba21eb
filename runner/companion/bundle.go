package companion

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// Write lays the bundle out and returns the paths of its files, slashes and all,
// below the folder.
func (b Bundle) Write() ([]string, error) {
	var written []string
	put := func(name string, mode fs.FileMode, content []byte) error {
		path := filepath.Join(b.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making a folder of the bundle: %w", err)
		}
		if err := os.WriteFile(path, content, mode); err != nil {
			return fmt.Errorf("writing the bundle: %w", err)
		}
		written = append(written, name)
		return nil
	}
	if err := put(Name, 0o644, Main(b.Version)); err != nil {
		return nil, err
	}
	for _, binary := range b.Binaries {
		name := BinaryName(binary.Arch)
		if err := copyFile(binary.Path, filepath.Join(b.Dir, name)); err != nil {
			return nil, err
		}
		written = append(written, name)
	}
	archive, err := b.putContracts(put)
	if err != nil {
		return nil, err
	}
	definition, err := b.fabric()
	if err != nil {
		return nil, err
	}
	for _, file := range []struct {
		name    string
		mode    fs.FileMode
		content []byte
	}{{"contracts.zip", 0o644, archive}, {"SparkJobDefinitionV1.json", 0o644, definition}, {"spark-submit.sh", 0o755, b.submit()}} {
		if err := put(file.name, file.mode, file.content); err != nil {
			return nil, err
		}
	}
	return written, nil
}

// putContracts writes the contracts and returns them as an archive too: some
// platforms take files for a job, but no folders. Its bytes depend on nothing else.
func (b Bundle) putContracts(put func(string, fs.FileMode, []byte) error) ([]byte, error) {
	var names []string
	for name := range b.Contracts {
		names = append(names, name)
	}
	slices.Sort(names)
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range names {
		content, err := os.ReadFile(b.Contracts[name])
		if err != nil {
			return nil, fmt.Errorf("reading a contract: %w", err)
		}
		if err := put("contracts/"+name, 0o644, content); err != nil {
			return nil, err
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			return nil, fmt.Errorf("packing the contracts: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("packing the contracts: %w", err)
	}
	return archive.Bytes(), nil
}

// place is where Fabric finds the bundle; the two words in capitals are for the user.
const place = "abfss://WORKSPACE@onelake.dfs.fabric.microsoft.com/LAKEHOUSE.Lakehouse/Files/sluice"

// fabric is the definition of a Spark job as Fabric's REST API takes it, in the
// format SparkJobDefinitionV1. The binary is named by its URI: reference files
// of a job definition are Python files and jars.
func (b Bundle) fabric() ([]byte, error) {
	args := append([]string{"--sluice-binary", place, "--contracts", place + "/contracts"}, b.Run...)
	args = append(args, "--batch", "BATCH", "--report", place+"/reports/")
	out, err := json.MarshalIndent(struct {
		Executable  string   `json:"executableFile"`
		Lakehouse   string   `json:"defaultLakehouseArtifactId"`
		MainClass   string   `json:"mainClass"`
		Additional  []string `json:"additionalLakehouseIds"`
		RetryPolicy *string  `json:"retryPolicy"`
		Arguments   string   `json:"commandLineArguments"`
		LibraryURIs []string `json:"additionalLibraryUris"`
		Language    string   `json:"language"`
		Environment *string  `json:"environmentArtifactId"`
	}{Executable: place + "/" + Name, Lakehouse: "LAKEHOUSE-ID", Additional: []string{}, LibraryURIs: []string{}, Arguments: strings.Join(args, " "), Language: "Python"}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the job definition: %w", err)
	}
	return append(out, '\n'), nil
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

func copyFile(from, to string) error {
	if same(from, to) {
		return nil // it was built there
	}
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("reading a binary: %w", err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return fmt.Errorf("writing a binary: %w", err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copying %q: %w", from, err)
	}
	return nil
}

func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
