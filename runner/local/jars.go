package local

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// resolved lists what Spark's resolver brought, so that later starts need
// neither network nor resolver.
type resolved struct {
	Packages []string         `json:"packages"`
	Jars     map[string]int64 `json:"jars"` // path in the folder, size
}

// jars returns the jars of the release's packages, resolved now if they are not
// there. The folder counts only with its list, which is written last.
func (m maker) jars(ctx context.Context, s installed) ([]string, error) {
	dir := filepath.Join(m.Home, "jars-"+s.spark+"_"+s.scala+m.apart)
	want := m.coordinates(s)
	if found, ok := readJars(dir, want); ok {
		return found, nil
	}
	lock, err := m.lock(ctx, dir+".lock", "another download of Delta and Iceberg")
	if err != nil {
		return nil, err
	}
	defer unlock(lock)
	if found, ok := readJars(dir, want); ok {
		return found, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("clearing a half-made download: %w", err)
	}
	if err := m.resolve(ctx, s, dir, want, lock); err != nil {
		return nil, err
	}
	found, ok := readJars(dir, want)
	if !ok {
		return nil, fmt.Errorf("reading %s: its list of jars does not fit them; remove that folder and start again", dir)
	}
	return found, nil
}

// resolve has Spark's own resolver fetch the packages: --packages does that
// before any main class, and this one only prints a version. The user's
// configuration folder stays, as it may name repositories or an ivy settings file.
func (m maker) resolve(ctx context.Context, s installed, dir string, want []string, lock *os.File) error {
	m.say("downloading Delta and Iceberg for Spark %s (about 80 MB, once) into %s", s.spark, dir)
	options := append([]string{quoted("-Duser.home=" + m.userHome())}, m.proxies()...)
	out, err := m.run(ctx, job{
		path: filepath.Join(s.home, "bin", "spark-submit"),
		args: []string{
			"--master", "local[1]", "--driver-memory", "512m",
			"--packages", strings.Join(want, ","), "--exclude-packages", spare,
			"--conf", "spark.jars.ivy=" + dir,
			"--driver-java-options", strings.Join(options, " "),
			"--class", "org.apache.hadoop.util.VersionInfo", "spark-internal",
		},
		env: m.environment(s), lock: lock,
		size: func() int64 { return folderSize(dir, "") },
		tick: func(n int64) string { return fmt.Sprintf("Delta and Iceberg: %d MB downloaded", n>>20) },
	})
	if err != nil {
		return fmt.Errorf("downloading %s: %w: %s; is the network reachable? a mirror can be named in DEFAULT_ARTIFACT_REPOSITORY", strings.Join(want, ", "), err, cause(out))
	}
	if err := writeJars(dir, want); err != nil {
		return err
	}
	_ = os.RemoveAll(filepath.Join(dir, "cache")) // the resolver's own copy of every jar
	return nil
}

func writeJars(dir string, packages []string) error {
	list := resolved{Packages: packages, Jars: map[string]int64{}}
	found, err := filepath.Glob(filepath.Join(dir, "jars", "*.jar"))
	if err != nil || len(found) == 0 {
		return fmt.Errorf("downloading %s: the resolver brought no jars to %s", strings.Join(packages, ", "), dir)
	}
	for _, path := range found {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("listing the jars: %w", err)
		}
		list.Jars[filepath.Join("jars", filepath.Base(path))] = info.Size()
	}
	return writeJSON(filepath.Join(dir, "list.json"), list)
}

// readJars returns the jars of a folder if all of them are there in full.
func readJars(dir string, packages []string) ([]string, bool) {
	var list resolved
	text, err := os.ReadFile(filepath.Join(dir, "list.json"))
	if err != nil || json.Unmarshal(text, &list) != nil || !slices.Equal(list.Packages, packages) || len(list.Jars) == 0 {
		return nil, false
	}
	var out []string
	for name, size := range list.Jars {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.Size() != size {
			return nil, false
		}
		out = append(out, path)
	}
	slices.Sort(out)
	return out, true
}

// proxies tells the JVM what other programs read from the environment.
func (m maker) proxies() []string {
	var out []string
	for _, scheme := range []string{"http", "https"} {
		text := m.Getenv(scheme + "_proxy")
		if text == "" {
			text = m.Getenv(strings.ToUpper(scheme) + "_PROXY")
		}
		proxy, err := url.Parse(text)
		if text == "" || err != nil || proxy.Hostname() == "" {
			continue
		}
		out = append(out, "-D"+scheme+".proxyHost="+proxy.Hostname())
		if proxy.Port() != "" {
			out = append(out, "-D"+scheme+".proxyPort="+proxy.Port())
		}
	}
	return out
}
