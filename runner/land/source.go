package land

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// UnsupportedError is a path that this package does not read: a URI, standard
// input, or a format other than delimited text.
type UnsupportedError struct {
	Path   string
	URI    bool // it has a scheme: the server could read it
	Reason string
}

func (e *UnsupportedError) Error() string { return e.Reason }

// uri asks for two letters before the colon, so that C:\data.csv is a path.
var uri = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:/`)

// formats are refused by name: read as text, the first would fail with an
// error about bytes and the others would land as nonsense.
var formats = map[string]string{
	".parquet": "parquet", ".avro": "avro", ".orc": "orc",
	".json": "json", ".jsonl": "json", ".ndjson": "json", ".xml": "xml",
	".xlsx": "a spreadsheet", ".xls": "a spreadsheet", ".ods": "a spreadsheet",
	".zip": "an archive", ".tar": "an archive", ".tgz": "an archive", ".7z": "an archive",
	".bz2": "compressed with bzip2", ".xz": "compressed with xz", ".zst": "compressed with zstd", ".lz4": "compressed with lz4", ".snappy": "compressed with snappy",
}

// magics name files by their first bytes when the file name does not.
var magics = []struct{ magic, advice string }{
	{"\x1f\x8b", "it is compressed with gzip; a file is unpacked if its name ends in .gz"},
	{"PAR1", "it is parquet; land reads delimited text"},
	{"PK\x03\x04", "it is a spreadsheet or an archive; export it as CSV"},
	{"\x28\xb5\x2f\xfd", "it is compressed with zstd; unpack it first, or use gzip"},
}

// source is an open file: decoded text to its reader, raw bytes to its hash.
type source struct {
	io.Reader
	file *os.File
	raw  *hashing
	stat fs.FileInfo
}

func (s *source) Close() error { return s.file.Close() }

// open refuses what is not a local file of delimited text, and returns the
// file's text as UTF-8 without a byte order mark.
func open(ctx context.Context, path string, opts Options) (*source, error) {
	if err := supported(path); err != nil {
		return nil, err
	}
	// Stat before Open: opening a pipe that nobody writes to would hang.
	if err := regular(os.Stat(path)); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	stat, err := file.Stat()
	if err := regular(stat, err); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	s := &source{file: file, stat: stat, raw: &hashing{ctx: ctx, src: file, sum: sha256.New()}}
	if s.Reader, err = s.text(path, opts.Encoding); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// regular passes a plain file only: Scan and Land read it twice, which a pipe
// does not survive.
func regular(stat fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return withoutPath(err)
	case stat.IsDir():
		return errors.New("it is a folder; name its files")
	case !stat.Mode().IsRegular():
		return errors.New("it is not a regular file; a file is read twice, so write the data to one first")
	}
	return nil
}

func (s *source) text(path, enc string) (io.Reader, error) {
	var plain io.Reader = s.raw
	if strings.EqualFold(filepath.Ext(path), ".gz") {
		z, err := gzip.NewReader(s.raw)
		if errors.Is(err, io.EOF) {
			return nil, errNoHeader
		}
		if err != nil {
			return nil, fmt.Errorf("unpacking: %w", err)
		}
		plain = z
	}
	b := bufio.NewReaderSize(plain, 64<<10)
	head, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line 1: %w", withoutPath(err))
	}
	if len(head) == 0 {
		return nil, errNoHeader
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return nil, &UnsupportedError{Path: path, Reason: m.advice}
		}
	}
	return decode(b, head, enc)
}

// sum drains what is left of the raw file, for a checksum of the whole of it.
func (s *source) sum() (int64, string, error) {
	if _, err := io.Copy(io.Discard, s.raw); err != nil {
		return 0, "", withoutPath(err)
	}
	// A writer that is still at work shows in the size or the time.
	now, err := s.file.Stat()
	if err != nil {
		return 0, "", withoutPath(err)
	}
	if now.Size() != s.raw.n || !now.ModTime().Equal(s.stat.ModTime()) {
		return 0, "", ErrChanged
	}
	return s.raw.n, hex.EncodeToString(s.raw.sum.Sum(nil)), nil
}

// hashing counts and sums the bytes that pass, and stops when ctx ends.
type hashing struct {
	ctx context.Context
	src io.Reader
	sum hash.Hash
	n   int64
}

func (h *hashing) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := h.src.Read(p)
	h.sum.Write(p[:n]) // a hash.Hash never fails
	h.n += int64(n)
	return n, err
}

func supported(path string) error {
	unsupported := func(isURI bool, reason string) error {
		return &UnsupportedError{Path: path, URI: isURI, Reason: reason}
	}
	switch {
	case path == "-":
		return unsupported(false, "standard input cannot be read twice; write it to a file and land that")
	case uri.MatchString(path):
		return unsupported(true, "a URI is read by the server; not supported yet: copy the file here and name its local path")
	case !utf8.ValidString(path):
		return unsupported(false, "the file name is not UTF-8 and cannot be written beside its rows; rename the file")
	}
	for _, ext := range []string{extension(path), strings.ToLower(filepath.Ext(path))} {
		if what, ok := formats[ext]; ok {
			return unsupported(false, fmt.Sprintf("a file named %s is %s; land reads delimited text (csv, tsv), plain or as .gz", ext, what))
		}
	}
	return nil
}

// extension is the lower-case extension below .gz: .csv of a.CSV.gz.
func extension(path string) string {
	path = strings.ToLower(path)
	return filepath.Ext(strings.TrimSuffix(path, ".gz"))
}

func cleanName(path string) string { return filepath.ToSlash(filepath.Clean(path)) }

// withoutPath drops the path from an fs error, since the caller names it.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// identities refuses one file under two names: its rows would land twice.
type identities struct {
	paths []string
	stats []fs.FileInfo
}

func (s *identities) add(path string, stat fs.FileInfo) error {
	for i := range s.stats {
		if os.SameFile(s.stats[i], stat) {
			return fmt.Errorf("it is the same file as %q; its rows would land twice", s.paths[i])
		}
	}
	s.paths, s.stats = append(s.paths, path), append(s.stats, stat)
	return nil
}
