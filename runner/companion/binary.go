package companion

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Arches are the processors that drivers have.
func Arches() []string { return []string{"amd64", "arm64"} }

// module is the one that a sluice binary was built from.
const module = "sluice"

// Binary is a sluice program for Linux.
type Binary struct {
	Path   string
	Arch   string // amd64 or arm64, as Go calls them
	Static bool   // needs no C library of the machine that it runs on
}

// BinaryName is what the program for a processor is called in a bundle; the
// main file looks for these names.
func BinaryName(arch string) string { return "sluice-linux-" + arch }

// Inspect reads what a program is from its ELF header and its build info. A file
// that would only fail on the cluster is refused here.
func Inspect(path string) (Binary, error) {
	file, err := elf.Open(path)
	var format *elf.FormatError
	if errors.As(err, &format) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Binary{}, fmt.Errorf("reading %q: it is no program for Linux; build one with GOOS=linux go build ./cmd/sluice", path)
	}
	if err != nil {
		return Binary{}, fmt.Errorf("reading the binary: %w", err)
	}
	defer func() { _ = file.Close() }()
	arch, ok := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[file.Machine]
	if !ok {
		return Binary{}, fmt.Errorf("reading %q: it is for %s; drivers are %s", path, file.Machine, strings.Join(Arches(), " or "))
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil || info.Main.Path != module {
		return Binary{}, fmt.Errorf("reading %q: it is a program for Linux, but not sluice", path)
	}
	dynamic := slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
	return Binary{Path: path, Arch: arch, Static: !dynamic}, nil
}

// Source finds the checkout of sluice that the current folder is in, "" for none.
func Source(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, dir, found := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || !found || path != module {
		return ""
	}
	if _, err := os.Stat(filepath.Join(dir, "cmd", "sluice", "main.go")); err != nil {
		return ""
	}
	return dir
}

// Build compiles the program for a processor from a checkout, without cgo: it
// then runs whatever C library the driver has.
func Build(ctx context.Context, source, arch, path string) (Binary, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return Binary{}, fmt.Errorf("building %q: %w", path, err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", full, "./cmd/sluice")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch) //nolint:forbidigo // the compiler's caches are the user's
	if out, err := cmd.CombinedOutput(); err != nil {
		return Binary{}, fmt.Errorf("building sluice for linux/%s: %w: %s", arch, err, bytes.TrimSpace(out))
	}
	return Inspect(full)
}

// Choose finds the program for a processor: one that was named, else this very
// program if it is one, else one that is built into the folder from a checkout.
func Choose(ctx context.Context, arch string, named []Binary, own, folder string) (Binary, error) {
	for _, b := range named {
		if b.Arch == arch {
			return b, nil
		}
	}
	if b, err := Inspect(own); err == nil && b.Arch == arch && b.Static {
		return b, nil
	}
	if source := Source(ctx); source != "" {
		return Build(ctx, source, arch, filepath.Join(folder, BinaryName(arch)))
	}
	return Binary{}, fmt.Errorf("looking for a static binary for linux/%s: this program is none, and the current folder is no checkout to build one from; "+
		"name one with --binary (CGO_ENABLED=0 GOOS=linux GOARCH=%s go build ./cmd/sluice), or leave this processor out with --arch", arch, arch)
}
