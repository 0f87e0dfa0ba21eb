package local

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// userHome is the server's, not the user's: Spark's resolver also reads the
// local Maven repository, and a half-filled entry there makes it fail.
func (m maker) userHome() string { return filepath.Join(m.State, "home") }

// configuration writes the server's configuration folder and returns the file of
// settings. With a folder of its own, settings of another Spark on this machine
// do not reach the server.
func (m maker) configuration(jars []string, port int) (string, error) {
	dir := filepath.Join(m.State, "conf")
	for _, path := range []string{dir, m.userHome(), m.temporary()} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return "", fmt.Errorf("making the server's folder: %w", err)
		}
	}
	var text strings.Builder
	text.WriteString("# Written at each start of the local Spark.\n")
	for _, kv := range m.settings(jars, port) {
		text.WriteString(kv[0] + " " + strings.ReplaceAll(kv[1], `\`, `\\`) + "\n")
	}
	path := filepath.Join(dir, "spark-defaults.conf")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		return "", fmt.Errorf("writing the server's settings: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "log4j2.properties"), []byte(logging), 0o644); err != nil {
		return "", fmt.Errorf("writing the server's log settings: %w", err)
	}
	return path, nil
}

// settings put every file of the server into its own folders. The metastore is
// on disk, because without one every table is forgotten at a restart while its
// files stay; the counts suit small tables on a small machine.
func (m maker) settings(jars []string, port int) [][2]string {
	in := func(name string) string { return filepath.Join(m.State, name) }
	java := []string{
		quoted("-Duser.home=" + m.userHome()), "-Duser.timezone=UTC",
		quoted("-Djava.io.tmpdir=" + m.temporary()),
		quoted("-Dderby.system.home=" + in("derby")), quoted("-Dderby.stream.error.file=" + in("derby.log")),
	}
	out := [][2]string{
		{"spark.master", "local[2]"},
		{"spark.app.name", "sluice-" + m.Version},
		{"spark.driver.memory", m.Memory},
		{"spark.driver.extraJavaOptions", strings.Join(java, " ")},
		{"spark.jars", strings.Join(jars, ",")},
		{"spark.local.dir", m.temporary()},
		{"spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension,org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"},
		{"spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"},
		{"spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog"},
		{"spark.sql.catalog.lake.type", "hadoop"},
		{"spark.sql.catalog.lake.warehouse", in("lake")},
		{"spark.sql.catalog.lake.cache-enabled", "false"}, // or a session reads another one's old metadata
		{"spark.sql.catalogImplementation", "hive"},
		{"spark.hadoop.javax.jdo.option.ConnectionURL", "jdbc:derby:;databaseName=" + in("metastore") + ";create=true"},
		{"spark.sql.warehouse.dir", in("warehouse")},
		{"spark.sql.session.timeZone", "UTC"},
		{"spark.sql.shuffle.partitions", "2"},
		{"spark.default.parallelism", "2"},
		{"spark.databricks.delta.snapshotPartitions", "2"},
		{"spark.sql.codegen.cache.maxEntries", "2000"}, // a run has more stages than the 100 whose code Spark keeps
		{"spark.ui.enabled", strconv.FormatBool(m.UI)},
		// The server remembers jobs and statements with their plans, also without a page that shows them: a
		// thousand wide ones fill its heap.
		{"spark.ui.retainedJobs", "100"},
		{"spark.ui.retainedStages", "100"},
		{"spark.sql.ui.retainedExecutions", "20"},
		{"spark.connect.ui.retainedSessions", "20"},
		{"spark.connect.ui.retainedStatements", "20"},
		{"spark.ui.showConsoleProgress", "false"},
	}
	if port == 0 { // an application that is no server
		return out
	}
	out = append(out, [2]string{"spark.connect.grpc.binding.port", strconv.Itoa(port)})
	if !m.everyone {
		out = append(out, [2]string{"spark.connect.grpc.binding.address", "127.0.0.1"})
	}
	return out
}

// temporary is emptied at each start: a killed server leaves its files.
func (m maker) temporary() string { return filepath.Join(m.State, "tmp") }

// logging leaves out the lines that Spark writes for each statement: a server
// that stays up for weeks must not fill the disk.
const logging = `rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{yyyy-MM-dd'T'HH:mm:ss}{UTC}Z %p %c{1}: %m%n%ex
`

// environment gives a child nothing of ours that configures another Spark.
func (m maker) environment(s installed) []string {
	env := without(func(name string) bool {
		switch name {
		case "PYTHONPATH", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "JAVA_HOME":
			return true
		case "SPARK_SUBMIT_OPTS": // JVM options, such as a proxy's
			return false
		default:
			return strings.HasPrefix(name, "SPARK_") || strings.HasPrefix(name, "PYSPARK_")
		}
	})
	if home := m.Getenv("JAVA_HOME"); home != "" {
		env = append(env, "JAVA_HOME="+home)
	}
	return append(env, "SPARK_HOME="+s.home, "SPARK_LOCAL_IP=127.0.0.1")
}

// without is the environment less some variables.
func without(drop func(name string) bool) []string {
	var out []string
	for _, kv := range os.Environ() { //nolint:forbidigo // a child gets what its user has
		if name, _, _ := strings.Cut(kv, "="); !drop(name) {
			out = append(out, kv)
		}
	}
	return out
}

// quoted keeps an option with spaces whole in a list of JVM options.
func quoted(option string) string {
	if !strings.ContainsAny(option, ` "`) {
		return option
	}
	return `"` + strings.ReplaceAll(option, `"`, `\"`) + `"`
}
