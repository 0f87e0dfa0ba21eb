package local

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// startTime bounds a start whose packages may have to be downloaded first.
const startTime = 6 * time.Minute

func (o Options) launch(ctx context.Context, r release, home, java string, port int) (Server, error) {
	logPath := filepath.Join(o.State, "server.log")
	log, err := os.Create(logPath)
	if err != nil {
		return Server{}, fmt.Errorf("opening the server's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(filepath.Join(home, "bin", "spark-submit"), o.arguments(r, port)...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, o.State
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives this command and its terminal
	cmd.Env = o.environment(home, java)
	if r.everyone {
		o.say("Spark %s can only listen on every interface of this machine; stop it when you are done (sluice spark stop)", r.spark)
	}
	o.say("starting Spark %s; the first start also downloads its packages (about 60 MB)", r.spark)
	if err := cmd.Start(); err != nil {
		return Server{}, fmt.Errorf("starting spark-submit: %w", err)
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }()
	s := Server{Version: o.Version, Spark: r.spark, PID: cmd.Process.Pid, Port: port, Remote: "sc://localhost:" + strconv.Itoa(port), Log: logPath, Started: time.Now().UTC(), Birth: birth(cmd.Process.Pid)}
	if err := o.wait(ctx, s, died); err != nil {
		_ = syscall.Kill(-s.PID, syscall.SIGKILL)
		return Server{}, fmt.Errorf("starting Spark %s: %w: %s (whole log: %s)", r.spark, err, cause(logPath), logPath)
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return s, err
	}
	return s, os.WriteFile(o.stateFile(), append(text, '\n'), 0o644)
}

// wait returns when the server answers, ends, or takes too long.
func (o Options) wait(ctx context.Context, s Server, died <-chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, fmt.Errorf("it did not answer within %s", startTime))
	defer cancel()
	for began, next := time.Now(), 10*time.Second; ; {
		select {
		case <-died:
			return errDied
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(150 * time.Millisecond):
		}
		if answers(s.Port) && birth(s.PID) == s.Birth {
			return nil
		}
		if took := time.Since(began); took > next {
			o.say("Spark is starting, %d s: %s", int(took.Seconds()), progress(s.Log))
			next += 10 * time.Second
		}
	}
}

// environment gives the server nothing of ours but what it needs. SPARK_HOME and
// PYSPARK variables of another Spark would mix two versions.
func (o Options) environment(home, java string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "SPARK_") && !strings.HasPrefix(name, "PYSPARK_") && name != "PYTHONPATH" {
			env = append(env, kv)
		}
	}
	return append(env, "SPARK_HOME="+home, "SPARK_LOCAL_IP=127.0.0.1", "JAVA_HOME="+filepath.Dir(filepath.Dir(java)))
}

// arguments name every file of the server in its own folders: its ivy and its
// user.home, because a half-filled entry of the user's local Maven repository
// makes Spark's resolver fail, and an embedded metastore, because without one
// every table is forgotten at a restart while its files stay.
func (o Options) arguments(r release, port int) []string {
	home := filepath.Join(o.Home, "home")
	args := []string{
		"--class", "org.apache.spark.sql.connect.service.SparkConnectServer",
		"--name", "sluice-" + o.Version, "--master", "local[2]", "--driver-memory", o.Memory,
		"--packages", strings.Join(r.packages, ","),
		"--driver-java-options", "-Duser.home=" + home + " -Duser.timezone=UTC -Dderby.system.home=" + filepath.Join(o.State, "derby") + " -Dderby.stream.error.file=" + filepath.Join(o.State, "derby.log"),
	}
	warehouse := filepath.Join(o.State, "warehouse")
	conf := [][2]string{
		{"spark.jars.ivy", filepath.Join(o.Home, "ivy-"+o.Version)},
		{"spark.connect.grpc.binding.port", strconv.Itoa(port)},
		{"spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension,org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"},
		{"spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"},
		{"spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog"},
		{"spark.sql.catalog.lake.type", "hadoop"},
		{"spark.sql.catalog.lake.warehouse", filepath.Join(o.State, "lake")},
		{"spark.sql.catalog.lake.cache-enabled", "false"},
		{"spark.sql.catalogImplementation", "hive"},
		{"spark.hadoop.javax.jdo.option.ConnectionURL", "jdbc:derby:;databaseName=" + filepath.Join(o.State, "metastore") + ";create=true"},
		{"spark.sql.warehouse.dir", warehouse},
		{"spark.sql.session.timeZone", "UTC"},
		{"spark.sql.shuffle.partitions", "2"},
		{"spark.default.parallelism", "2"},
		{"spark.databricks.delta.snapshotPartitions", "2"},
		{"spark.ui.enabled", strconv.FormatBool(o.UI)},
		{"spark.ui.showConsoleProgress", "false"},
	}
	if !r.everyone {
		conf = append(conf, [2]string{"spark.connect.grpc.binding.address", "127.0.0.1"})
	}
	for _, kv := range conf {
		args = append(args, "--conf", kv[0]+"="+kv[1])
	}
	return append(args, "spark-internal")
}

// cause quotes what a log says of a failed start.
func cause(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	var found []string
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"Exception", "ERROR", "Error:", "unresolved dependency", "download failed", "not found:", "Address already in use"} {
			if strings.Contains(line, mark) && !strings.HasPrefix(line, "at ") {
				found = append(found, line)
				break
			}
		}
	}
	if len(found) == 0 {
		return lastLines(text, 3)
	}
	if len(found) > 4 {
		found = append(found[:2], found[len(found)-2:]...)
	}
	return strings.Join(found, "; ")
}

func progress(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line := lastLines(text, 1)
	return line[:min(len(line), 120)]
}
