package local

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// checkJava refuses a Java that Spark would only fail on later and obscurely.
// It looks where Spark's own scripts look: JAVA_HOME, else the PATH.
func (m maker) checkJava(ctx context.Context) error {
	path := "java"
	if home := m.Getenv("JAVA_HOME"); home != "" {
		path = filepath.Join(home, "bin", "java")
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return fmt.Errorf("looking for Java: %w; install Java 17 (a JRE is enough) or set JAVA_HOME to one", err)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, found, "-version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("asking %s for its version: %w: %s; install Java 17 or set JAVA_HOME to one", found, err, lastLines(out, 3))
	}
	version := javaVersion.FindSubmatch(out)
	if version == nil {
		return fmt.Errorf("asking %s for its version: it says %q; install Java 17 or set JAVA_HOME to one", found, lastLines(out, 1))
	}
	n, err := strconv.Atoi(string(version[1]))
	if err != nil || n < 17 {
		return fmt.Errorf("checking Java: %s is version %s, Spark needs 17 or later; install Java 17 or set JAVA_HOME to one", found, version[1])
	}
	if n > 23 { // Java 24 took away what Hadoop's login needs: "getSubject is not supported"
		return fmt.Errorf("checking Java: %s is version %d, Spark %s runs on 17 to 23; install Java 17 or set JAVA_HOME to one", found, n, m.Version)
	}
	return nil
}
