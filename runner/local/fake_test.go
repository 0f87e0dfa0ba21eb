package local

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary plays two more parts: a server that greets like gRPC, and a
// sluice that starts one and can be killed meanwhile.
func TestMain(m *testing.M) {
	if port := os.Getenv("FAKE_PORT"); port != "" {
		serve(port)
	}
	if home := os.Getenv("FAKE_SLUICE"); home != "" {
		s, err := Start(context.Background(), Options{Home: home})
		fmt.Println(s.PID, s.Reused, err)
		os.Exit(0)
	}
	code := m.Run()
	if testLock != nil {
		unlock(testLock) // a server that a test started may hold a copy
	}
	os.Exit(code)
}

// serve answers on a port until it is ended; not for ever, if a test forgets it.
func serve(port string) {
	time.AfterFunc(time.Minute, func() { os.Exit(1) })
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		fmt.Println("ERROR", err)
		os.Exit(1)
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			os.Exit(1)
		}
		go func() {
			_, _ = conn.Write([]byte{0, 0, 0, 4, 0, 0, 0, 0, 0})
			_, _ = bufio.NewReader(conn).ReadByte()
			_ = conn.Close()
		}()
	}
}

const (
	java17 = `echo 'openjdk version "17.0.9" 2023-10-17' >&2`

	// The parts of a stand-in for Spark.
	resolves = `mkdir -p "$ivy/jars" && echo jar > "$ivy/jars/delta.jar"`
	listens  = `export FAKE_PORT="$port"; exec "$SELF"`
	dies     = `echo 'Exception in thread "main" java.lang.IllegalStateException: no metastore'
echo '	at org.apache.spark.Main(Main.scala:1)'
echo 'Caused by: java.lang.ClassNotFoundException: io.delta.Missing'; exit 1`
)

// sparkSubmit is a spark-submit that knows a resolver's call from a server's.
func sparkSubmit(resolve, server string) string {
	return `for a in "$@"; do case "$a" in spark.jars.ivy=*) ivy="${a#*=}";; */spark-defaults.conf) conf="$a";; esac; done
if [ -n "$ivy" ]; then ` + resolve + `; exit; fi
port=$(sed -n 's/^spark.connect.grpc.binding.port //p' "$conf")
` + server
}

// fakePython makes virtual environments in which pip installs a stand-in for Spark.
func fakePython(pip, submit string) string {
	return `if [ "$1" = -c ]; then echo 3 11; exit; fi
mkdir -p "$3/bin"
cat > "$3/bin/python" <<'PIP'
#!/bin/sh
venv=$(dirname "$(dirname "$0")")
` + pip + `
spark="$venv/lib/python3.11/site-packages/pyspark"
mkdir -p "$spark/bin" "$spark/jars"
echo > "$spark/jars/spark-core_2.13-4.1.3.jar"
cat > "$spark/bin/spark-submit" <<'SUBMIT'
#!/bin/sh
` + submit + `
SUBMIT
chmod +x "$spark/bin/spark-submit"
PIP
chmod +x "$3/bin/python"`
}

func works() map[string]string {
	return map[string]string{"java": java17, "python3": fakePython("", sparkSubmit(resolves, listens))}
}

// tools makes a folder of scripts that come first in PATH, and Options with an empty home.
func tools(t *testing.T, scripts map[string]string) Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range scripts {
		write(t, filepath.Join(dir, name), "#!/bin/sh\n"+text+"\n", 0o755)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	t.Setenv("SELF", self)
	for _, name := range []string{"SPARK_HOME", "JAVA_HOME", "SLUICE_SPARK_PORT"} {
		t.Setenv(name, "")
	}
	o := Options{Home: t.TempDir(), Getenv: func(string) string { return "" }, Log: func(s string) { t.Log(s) }}
	t.Cleanup(func() {
		if _, err := Stop(context.Background(), o); err != nil {
			t.Error(err)
		}
	})
	return o
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// sluice is this test binary in the part of a sluice that starts the server.
func sluice(t *testing.T, o Options) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Getenv("SELF"))
	cmd.Env = append(os.Environ(), "FAKE_SLUICE="+o.Home)
	return cmd
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 100 {
		if ok() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("it never came to this: ", what)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func lacks(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the message lacks %q: %v", w, err)
		}
	}
}
