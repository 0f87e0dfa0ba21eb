package local

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// release is one Spark with the packages that were proven beside it.
type release struct {
	spark    string
	packages []string
	everyone bool // the server cannot be bound to loopback
}

// Delta 4.1.0 breaks on Spark 4.1.3, and spark-connect_2.12 does not exist for
// 3.5.8 and 3.5.9, so these are not simply the newest ones.
var releases = map[string]release{
	"4.1": {"4.1.3", []string{
		"io.delta:delta-spark_4.1_2.13:4.3.1",
		"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
	}, false},
	"3.5": {"3.5.7", []string{
		"org.apache.spark:spark-connect_2.12:3.5.7",
		"io.delta:delta-spark_2.12:3.3.2",
		"org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0",
	}, true},
}

// Versions are the versions that Start knows, newest first.
func Versions() []string { return []string{"4.1", "3.5"} }

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// java finds a Java of version 17 or later.
func (o Options) java(ctx context.Context) (string, error) {
	path := "java"
	if home := o.Getenv("JAVA_HOME"); home != "" {
		path = filepath.Join(home, "bin", "java")
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("looking for Java: %w; install Java 17 (a JRE is enough) or set JAVA_HOME", err)
	}
	out, err := exec.CommandContext(ctx, found, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w: %s", found, err, lastLines(out, 3))
	}
	m := javaVersion.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("asking %s for its version: it says %q; set JAVA_HOME to a Java 17", found, lastLines(out, 1))
	}
	if n, _ := strconv.Atoi(string(m[1])); n < 17 {
		return "", fmt.Errorf("checking Java: %s is version %d, Spark needs 17 or later; install Java 17 or set JAVA_HOME to one", found, n)
	}
	return found, nil
}

// spark returns the home of a Spark: SPARK_HOME, else pyspark in a private
// virtual environment, installed now if it is not there.
func (o Options) spark(ctx context.Context, r release) (string, error) {
	if home := o.Getenv("SPARK_HOME"); home != "" {
		if _, err := os.Stat(filepath.Join(home, "bin", "spark-submit")); err != nil {
			return "", fmt.Errorf("looking for Spark: SPARK_HOME is %s, but it has no bin/spark-submit; correct or unset it", home)
		}
		o.say("using SPARK_HOME %s", home)
		return home, nil
	}
	venv := filepath.Join(o.Home, "pyspark-"+r.spark)
	done := filepath.Join(venv, ".complete")
	if _, err := os.Stat(done); err == nil {
		return sparkIn(venv)
	}
	if err := os.RemoveAll(venv); err != nil { // what a killed install left
		return "", fmt.Errorf("clearing a half-made install: %w", err)
	}
	if err := o.install(ctx, r, venv); err != nil {
		return "", err
	}
	if err := os.WriteFile(done, []byte(r.spark+"\n"), 0o644); err != nil {
		return "", err
	}
	return sparkIn(venv)
}

func sparkIn(venv string) (string, error) {
	found, err := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages", "pyspark"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("looking for pyspark in %s: it is not there; remove that folder and start again", venv)
	}
	return found[0], nil
}

func (o Options) install(ctx context.Context, r release, venv string) error {
	python, err := exec.LookPath("python3")
	if err != nil {
		return fmt.Errorf("looking for Python: %w; install Python 3, or set SPARK_HOME to a Spark %s", err, o.Version)
	}
	o.say("making a virtual environment in %s", venv)
	if out, err := exec.CommandContext(ctx, python, "-m", "venv", venv).CombinedOutput(); err != nil {
		return fmt.Errorf("making a virtual environment with %s: %w: %s; install the venv module (Debian, Ubuntu: apt install python3-venv)", python, err, lastLines(out, 6))
	}
	o.say("downloading pyspark %s (about 450 MB), once", r.spark)
	pip := exec.CommandContext(ctx, filepath.Join(venv, "bin", "python"), "-m", "pip", "install", "--progress-bar", "off", "pyspark=="+r.spark)
	out, in := io.Pipe()
	pip.Stdout, pip.Stderr = in, in
	if err := pip.Start(); err != nil {
		return fmt.Errorf("running pip: %w", err)
	}
	said := make(chan []byte)
	go func() { said <- o.follow(out) }()
	err = pip.Wait()
	_ = in.Close()
	all := <-said
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("installing pyspark %s with pip: %w: %s", r.spark, err, errorLines(all))
	}
	return nil
}

// follow shows pip's larger steps and returns all that it said.
func (o Options) follow(out io.Reader) []byte {
	var all bytes.Buffer
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		all.WriteString(line + "\n")
		for _, step := range []string{"Downloading", "Building wheel", "Installing collected"} {
			if strings.HasPrefix(line, step) {
				o.say("pip: %s", line)
			}
		}
	}
	return all.Bytes()
}

// errorLines are the lines that say ERROR, else the last ones.
func errorLines(out []byte) string {
	var found []string
	for _, line := range strings.Split(string(out), "\n") {
		if strings.Contains(line, "ERROR") || strings.Contains(line, "error:") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	if len(found) == 0 {
		return lastLines(out, 4)
	}
	return strings.Join(found[max(0, len(found)-4):], "; ")
}

func lastLines(out []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSpace(strings.Join(lines[max(0, len(lines)-n):], "; "))
}

var errDied = errors.New("the server ended while starting")
