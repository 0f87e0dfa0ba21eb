package local

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bin makes a folder of scripts and an environment in which they are the only tools.
func bin(t *testing.T, scripts map[string]string) Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	if err := os.MkdirAll(filepath.Join(dir, "none"), 0o755); err != nil {
		t.Fatal(err)
	}
	return Options{Home: t.TempDir(), Getenv: func(string) string { return "" }, Log: func(s string) { t.Log(s) }}
}

const java17 = `echo 'openjdk version "17.0.9" 2023-10-17' >&2`

// Each missing or broken prerequisite ends at once in a message that names the
// cause and what to do.
func TestBrokenPrerequisites(t *testing.T) {
	for name, c := range map[string]struct {
		scripts map[string]string
		env     map[string]string
		want    []string
	}{
		"java that reports 11": {map[string]string{"java": `echo 'openjdk version "11.0.20" 2023-07-18' >&2`}, nil, []string{"version 11", "17", "JAVA_HOME"}},
		"java 8 counts as 8":   {map[string]string{"java": `echo 'java version "1.8.0_381"' >&2`}, nil, []string{"version 8", "17"}},
		"java that is none":    {map[string]string{"java": `echo 'hello'`}, nil, []string{"hello", "JAVA_HOME"}},
		"java that fails":      {map[string]string{"java": `echo 'libjvm.so: cannot open' >&2; exit 1`}, nil, []string{"libjvm.so: cannot open"}},
		"JAVA_HOME without one": {map[string]string{"java": java17}, map[string]string{"JAVA_HOME": "/nowhere"},
			[]string{"/nowhere/bin/java", "install Java 17"}},
		"no venv module": {map[string]string{"java": java17, "python3": `echo 'The virtual environment was not created successfully because ensurepip is not available.'; exit 1`}, nil,
			[]string{"ensurepip is not available", "python3-venv"}},
		"pip that fails": {map[string]string{"java": java17, "python3": `
mkdir -p "$3/bin"
printf '#!/bin/sh\necho "ERROR: No matching distribution found for pyspark"; exit 1\n' > "$3/bin/python"
chmod +x "$3/bin/python"`}, nil, []string{"No matching distribution found for pyspark"}},
		"SPARK_HOME without a Spark": {map[string]string{"java": java17}, map[string]string{"SPARK_HOME": "/nowhere"}, []string{"SPARK_HOME is /nowhere", "bin/spark-submit"}},
		"a port that is no port":     {map[string]string{"java": java17, "python3": fakePython(launcherThatDies)}, map[string]string{"SLUICE_SPARK_PORT": "many"}, []string{"SLUICE_SPARK_PORT", "many"}},
		"a port in use":              {map[string]string{"java": java17, "python3": fakePython(launcherThatDies)}, map[string]string{"SLUICE_SPARK_PORT": "taken"}, []string{"address already in use", "--port"}},
		"a server that dies": {map[string]string{"java": java17, "python3": fakePython(launcherThatDies)}, nil,
			[]string{"ended while starting", "ClassNotFoundException: io.delta", "whole log"}},
		"a half-filled repository": {map[string]string{"java": java17, "python3": fakePython(`echo 'unresolved dependency: io.delta#delta-spark: download failed'; exit 1`)}, nil,
			[]string{"unresolved dependency", "download failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := bin(t, c.scripts)
			env := c.env
			if env["SLUICE_SPARK_PORT"] == "taken" {
				port, l := listen(t)
				defer l()
				env = map[string]string{"SLUICE_SPARK_PORT": port}
			}
			o.Getenv = func(name string) string { return env[name] }
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := Start(ctx, o)
			if err == nil {
				t.Fatal("it started")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the message lacks %q: %v", want, err)
				}
			}
		})
	}
}

func TestUnknownVersion(t *testing.T) {
	if _, err := Start(t.Context(), Options{Version: "3.4", Home: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "4.1, 3.5") {
		t.Error(err)
	}
}

func TestNoJavaAtAll(t *testing.T) {
	o := Options{Home: t.TempDir(), Getenv: func(string) string { return "" }}
	t.Setenv("PATH", t.TempDir())
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "install Java 17") {
		t.Error(err)
	}
}

const launcherThatDies = `echo 'Exception in thread "main" java.lang.ClassNotFoundException: io.delta.Missing'; exit 1`

// launcherThatListens is a server as far as a start can see: it answers on the
// port that it is given, until it is told to end.
const launcherThatListens = `
for a in "$@"; do case "$a" in spark.connect.grpc.binding.port=*) port="${a#*=}";; esac; done
exec /usr/bin/env python3-real -c "
import socket,time
s=socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(('127.0.0.1', $port)); s.listen(9)
while True: c,_=s.accept(); c.close()"`

// fakePython makes a virtual environment whose pip succeeds and whose spark-submit is launcher.
func fakePython(launcher string) string {
	return `
bin="$3/lib/python3.11/site-packages/pyspark/bin"
mkdir -p "$bin" "$3/bin"
printf '#!/bin/sh\nexit 0\n' > "$3/bin/python"
cat > "$bin/spark-submit" <<'SCRIPT'
#!/bin/sh
` + launcher + `
SCRIPT
chmod +x "$3/bin/python" "$bin/spark-submit"`
}

// Two starts at once give one server; a third reuses it; stop ends it, and a
// state file that is left over is not taken for a server.
func TestTwoStartsGiveOneServer(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs a Python for the stand-in server")
	}
	o := bin(t, map[string]string{"java": java17, "python3": fakePython(launcherThatListens), "python3-real": `exec ` + python + ` "$@"`})
	type result struct {
		Server
		err error
	}
	results := make(chan result, 2)
	for range 2 {
		go func() {
			s, err := Start(t.Context(), o)
			results <- result{s, err}
		}()
	}
	a, b := <-results, <-results
	if a.err != nil || b.err != nil {
		t.Fatalf("%v, %v", a.err, b.err)
	}
	if a.PID != b.PID || a.Reused == b.Reused {
		t.Errorf("two servers: %+v and %+v", a.Server, b.Server)
	}
	began := time.Now()
	if c, err := Start(t.Context(), o); err != nil || !c.Reused || time.Since(began) > 2*time.Second {
		t.Errorf("a later start: %+v, %v after %s", c, err, time.Since(began))
	}
	if list, err := Status(o); err != nil || len(list) != 1 || list[0].Port != a.Port {
		t.Errorf("status %+v, %v", list, err)
	}
	if stopped, err := Stop(t.Context(), o); err != nil || len(stopped) != 1 || answers(a.Port) {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
	if list, err := Status(o); err != nil || len(list) != 0 {
		t.Errorf("status after the stop: %+v, %v", list, err)
	}
}

func TestACancelledStartLeavesNoProcess(t *testing.T) {
	o := bin(t, map[string]string{"java": java17, "python3": fakePython(`echo $$ > pid; exec sleep 60`)})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := Start(ctx, o); err == nil {
		t.Fatal("it started")
	}
	text, err := os.ReadFile(filepath.Join(o.Home, "state", "4.1", "pid"))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if out, _ := exec.Command("ps", "-o", "stat=", "-p", strings.TrimSpace(string(text))).Output(); len(out) > 0 && out[0] != 'Z' {
		t.Errorf("process %s is still there: %s", text, out)
	}
}
