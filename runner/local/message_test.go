package local

import (
	"context"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Each missing or broken prerequisite ends at once in a message that names the
// cause and what to do.
func TestBrokenPrerequisites(t *testing.T) {
	python := func(text string) map[string]string { return map[string]string{"python3": text} }
	submit := func(resolve, server string) map[string]string {
		return python(fakePython("", sparkSubmit(resolve, server)))
	}
	for name, c := range map[string]struct {
		scripts map[string]string // over those that work
		env     map[string]string
		want    []string
	}{
		"java that reports 11":  {scripts: map[string]string{"java": `echo 'openjdk version "11.0.20" 2023-07-18' >&2`}, want: []string{"/java is version 11", "17", "JAVA_HOME"}},
		"java 8 counts as 8":    {scripts: map[string]string{"java": `echo 'java version "1.8.0_381"' >&2`}, want: []string{"version 8", "17"}},
		"java that reports 25":  {scripts: map[string]string{"java": `echo 'openjdk version "25" 2025-09-16' >&2`}, want: []string{"/java is version 25", "17 to 23", "JAVA_HOME"}},
		"java that is none":     {scripts: map[string]string{"java": `echo 'hello'`}, want: []string{"hello", "JAVA_HOME"}},
		"java that fails":       {scripts: map[string]string{"java": `echo 'libjvm.so: cannot open' >&2; exit 1`}, want: []string{"libjvm.so: cannot open", "install Java 17"}},
		"JAVA_HOME without one": {env: map[string]string{"JAVA_HOME": "/nowhere"}, want: []string{"/nowhere/bin/java", "install Java 17"}},
		"python 3.8":            {scripts: python(`echo 3 8`), want: []string{"python3 is version 3.8", "3.10", "SPARK_HOME"}},
		"python that fails":     {scripts: python(`echo 'pyenv: no such version' >&2; exit 1`), want: []string{"pyenv: no such version"}},
		"no venv module": {
			scripts: python(`echo 3 11; echo "ModuleNotFoundError: No module named 'ensurepip'" >&2; exit 1`),
			want:    []string{"No module named 'ensurepip'", "python3-venv"},
		},
		"venv that fails": {
			scripts: python(`if [ "$1" = -c ]; then echo 3 11; exit; fi; echo 'The virtual environment was not created successfully'; exit 1`),
			want:    []string{"was not created successfully", "python3-venv"},
		},
		"pip that fails": {
			scripts: python(fakePython(`echo 'Collecting pyspark'; echo "ERROR: No matching distribution found for pyspark"; exit 1`, "")),
			want:    []string{"ERROR: No matching distribution found for pyspark", "SPARK_HOME"},
		},
		"SPARK_HOME without a Spark": {env: map[string]string{"SPARK_HOME": "/nowhere"}, want: []string{"SPARK_HOME is /nowhere", "bin/spark-submit"}},
		"a port that is none":        {env: map[string]string{"SLUICE_SPARK_PORT": "many"}, want: []string{"SLUICE_SPARK_PORT", "many"}},
		"a port in use":              {env: map[string]string{"SLUICE_SPARK_PORT": "taken"}, want: []string{"taking port ", "address already in use", "--port"}},
		"a resolver that fails": {
			scripts: submit(`echo 'Exception in thread "main" java.lang.RuntimeException: [unresolved dependency: io.delta#delta-spark: not found]'; exit 1`, listens),
			want:    []string{"downloading io.delta:", "unresolved dependency: io.delta#delta-spark", "DEFAULT_ARTIFACT_REPOSITORY"},
		},
		"a download that fails":          {scripts: submit(`echo '[download failed: io.delta#delta-storage!delta-storage.jar]'; exit 1`, listens), want: []string{"download failed: io.delta#delta-storage"}},
		"a resolver that brings nothing": {scripts: submit(`true`, listens), want: []string{"brought no jars"}},
		"a server that dies":             {scripts: submit(resolves, dies), want: []string{"ended while starting", "no metastore", "ClassNotFoundException: io.delta.Missing", "whole log"}},
		"a server that says nothing":     {scripts: submit(resolves, `echo so long; exit 3`), want: []string{"ended while starting: so long"}},
	} {
		t.Run(name, func(t *testing.T) {
			scripts := works()
			maps.Copy(scripts, c.scripts)
			o := tools(t, scripts)
			env := maps.Clone(c.env)
			if env["SLUICE_SPARK_PORT"] == "taken" {
				env["SLUICE_SPARK_PORT"] = taken(t)
			}
			o.Getenv = func(name string) string { return env[name] }
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := Start(ctx, o)
			lacks(t, err, c.want...)
			if strings.Contains(err.Error(), "Main.scala") {
				t.Errorf("it quotes stack frames: %v", err)
			}
			if list, err := Status(o); err != nil || len(list) > 0 {
				t.Errorf("something was left: %+v, %v", list, err)
			}
		})
	}
}

func taken(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

func TestNothingInstalled(t *testing.T) {
	o := Options{Home: t.TempDir(), Getenv: func(string) string { return "" }}
	t.Setenv("PATH", t.TempDir())
	_, err := Start(t.Context(), o)
	lacks(t, err, `"java"`, "install Java 17")

	o = tools(t, map[string]string{"java": java17})
	t.Setenv("PATH", strings.Split(os.Getenv("PATH"), ":")[0]) // the scripts alone; java needs only the shell
	_, err = Start(t.Context(), o)
	lacks(t, err, `"python3"`, "install Python 3.10", "SPARK_HOME")
}

func TestUnknownVersion(t *testing.T) {
	_, err := Start(t.Context(), Options{Version: "3.4", Home: t.TempDir()})
	lacks(t, err, `"3.4"`, "4.1, 4.0, 3.5")
}

func TestCause(t *testing.T) {
	long := "ERROR " + strings.Repeat("x", 1000)
	for log, want := range map[string]string{
		"":           "",
		"a\nb\nc\nd": "b; c; d",
		"WARN\n2026 WARN X: SomeException\nERROR one\n\tat a.Exception(B.java)\nERROR one\nCaused by: twoException": "ERROR one; Caused by: twoException",
		"ERROR 1\nERROR 2\nERROR 3\nERROR 4\nERROR 5":                                                               "ERROR 1; ERROR 2; ERROR 4; ERROR 5",
		long: long[:longest] + "…",
	} {
		if got := cause([]byte(log)); got != want {
			t.Errorf("cause(%q) = %q, want %q", log, got, want)
		}
	}
}

func TestProxies(t *testing.T) {
	env := map[string]string{"https_proxy": "http://proxy.example:3128", "HTTP_PROXY": "http://[::1]"}
	m := maker{Options: Options{Getenv: func(name string) string { return env[name] }}}
	want := []string{"-Dhttp.proxyHost=::1", "-Dhttps.proxyHost=proxy.example", "-Dhttps.proxyPort=3128"}
	if got := m.proxies(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
