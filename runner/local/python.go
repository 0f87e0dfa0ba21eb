package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// pyspark returns the Spark of the private virtual environment. Environments
// cannot be moved, so one is made in place and counts only with its marker,
// which is written last; one without was killed half way and is made anew.
func (m maker) pyspark(ctx context.Context) (installed, error) {
	venv := filepath.Join(m.Home, "pyspark-"+m.spark)
	if s, err := complete(venv); err == nil {
		return s, nil
	}
	lock, err := m.lock(ctx, venv+".lock", "another installation of pyspark "+m.spark)
	if err != nil {
		return installed{}, err
	}
	defer unlock(lock)
	if s, err := complete(venv); err == nil {
		return s, nil
	}
	if err := os.RemoveAll(venv); err != nil {
		return installed{}, fmt.Errorf("clearing a half-made install: %w", err)
	}
	if err := m.install(ctx, venv, lock); err != nil {
		return installed{}, err
	}
	if err := os.WriteFile(filepath.Join(venv, marker), []byte(m.spark+"\n"), 0o644); err != nil {
		return installed{}, fmt.Errorf("marking the install as complete: %w", err)
	}
	s, err := complete(venv)
	if err != nil {
		return s, fmt.Errorf("looking for pyspark in %s: %w; remove that folder and start again", venv, err)
	}
	return s, nil
}

const marker = ".complete"

func complete(venv string) (installed, error) {
	if _, err := os.Stat(filepath.Join(venv, marker)); err != nil {
		return installed{}, err
	}
	found, err := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages", "pyspark"))
	if err != nil || len(found) != 1 {
		return installed{}, errors.New("it has no site-packages/pyspark")
	}
	return inspect(found[0])
}

// install makes the environment and fills it. The children hold the lock too: a
// pip that outlives a killed sluice must not meet a second one in its folder.
func (m maker) install(ctx context.Context, venv string, lock *os.File) error {
	python, err := m.python(ctx)
	if err != nil {
		return err
	}
	m.say("installing pyspark %s (about %d MB to download, once) into %s", m.spark, m.mega, venv)
	env := pipEnvironment()
	out, err := m.run(ctx, job{path: python, args: []string{"-m", "venv", venv}, env: env, lock: lock})
	if err != nil {
		return fmt.Errorf("making a virtual environment with %s: %w: %s; install the venv module (Debian, Ubuntu: apt install python3-venv)", python, err, lastLines(out, 6))
	}
	tmp := venv + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return fmt.Errorf("clearing %s: %w", tmp, err)
	}
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return fmt.Errorf("making pip's folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	step := "pip looks for it"
	out, err = m.run(ctx, job{
		path: filepath.Join(venv, "bin", "python"),
		args: []string{"-m", "pip", "install", "--no-input", "--no-compile", "--progress-bar", "off", "pyspark==" + m.spark},
		env:  append(env, "TMPDIR="+tmp), lock: lock,
		said: func(line string) { step = pipStep(line, step) },
		size: func() int64 { return folderSize(tmp, "") + folderSize(venv, "") },
		tick: func(int64) string {
			if step == "downloading" {
				return fmt.Sprintf("pyspark %s: %d of about %d MB downloaded", m.spark, folderSize(tmp, "pyspark-")>>20, m.mega)
			}
			return fmt.Sprintf("pyspark %s: %s", m.spark, step)
		},
	})
	if err != nil {
		return fmt.Errorf("installing pyspark %s with pip: %w: %s; or set SPARK_HOME to a Spark %s", m.spark, err, errorLines(out), m.Version)
	}
	return nil
}

// python finds a Python that can make the environment.
func (m maker) python(ctx context.Context) (string, error) {
	found, err := exec.LookPath("python3")
	if err != nil {
		return "", fmt.Errorf("looking for Python: %w; install Python 3.%d or later, or set SPARK_HOME to a Spark %s", err, m.release.python[1], m.Version)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	probe := exec.CommandContext(ctx, found, "-c", `import sys; print(*sys.version_info[:2]); import venv, ensurepip`)
	probe.Env = pipEnvironment()
	out, err := probe.CombinedOutput()
	var have [2]int
	if _, scanned := fmt.Sscan(string(out), &have[0], &have[1]); scanned != nil {
		return "", fmt.Errorf("asking %s for its version: it says %q; install Python 3 or set SPARK_HOME to a Spark %s", found, lastLines(out, 3), m.Version)
	}
	if need := m.release.python; have[0] != 3 || have[1] < need[1] {
		return "", fmt.Errorf("checking Python: %s is version %d.%d, pyspark %s needs 3.%d or later; install one, or set SPARK_HOME to a Spark %s", found, have[0], have[1], m.spark, need[1], m.Version)
	}
	if err != nil {
		return "", fmt.Errorf("checking Python: %s cannot make virtual environments: %s; install its venv module (Debian, Ubuntu: apt install python3-venv) or set SPARK_HOME to a Spark %s", found, lastLines(out, 1), m.Version)
	}
	return found, nil
}

// pipEnvironment is ours without what would send the packages elsewhere.
// Proxies, indexes and certificates stay as the user has them.
func pipEnvironment() []string {
	return append(without(func(name string) bool {
		switch name {
		case "PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_DRY_RUN", "TMPDIR":
			return true
		default:
			return false
		}
	}), "PIP_USER=0")
}

// pipStep turns a line of pip into what it is doing.
func pipStep(line, step string) string {
	switch {
	case strings.HasPrefix(line, "Downloading pyspark"):
		return "downloading"
	case strings.HasPrefix(line, "Installing build"), strings.HasPrefix(line, "Building"):
		return "pip builds a wheel from it"
	case strings.HasPrefix(line, "Installing collected"):
		return "pip unpacks it"
	default:
		return step
	}
}

// folderSize adds up the files of a folder, or is the largest one of a name.
func folderSize(dir, prefix string) int64 {
	var sum, largest int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // files come and go while pip works
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // the same
		}
		sum += info.Size()
		if prefix != "" && strings.HasPrefix(d.Name(), prefix) {
			largest = max(largest, info.Size())
		}
		return nil
	})
	if prefix != "" {
		return largest
	}
	return sum
}
