package local

import (
	"context"
	"os/exec"
	"path/filepath"
)

// Application is what runs an application of one's own, a job or a notebook, on
// the Spark of a local server: the same packages and settings, with its tables
// in a state folder of its own, whose metastore takes one application at a time.
type Application struct {
	Spark string   // 4.1.3
	Home  string   // SPARK_HOME
	Conf  string   // a file for --properties-file
	Env   []string // of the process
}

// Prepare installs and configures what an application needs, as Start does for
// a server, and starts nothing.
func Prepare(ctx context.Context, o Options) (Application, error) {
	m, err := o.complete()
	if err != nil {
		return Application{}, err
	}
	if err := m.checkJava(ctx); err != nil {
		return Application{}, err
	}
	spark, err := m.findSpark(ctx)
	if err != nil {
		return Application{}, err
	}
	jars, err := m.jars(ctx, spark)
	if err != nil {
		return Application{}, err
	}
	conf, err := m.configuration(jars, 0)
	if err != nil {
		return Application{}, err
	}
	return Application{
		Spark: spark.spark, Home: spark.home, Conf: conf,
		Env: append(m.environment(spark), "SPARK_CONF_DIR="+filepath.Dir(conf)),
	}, nil
}

// Submit is the command that submits a main file with its arguments.
func (a Application) Submit(ctx context.Context, args ...string) *exec.Cmd {
	return a.command(ctx, "spark-submit", args)
}

// SQL is the command that runs statements in Spark's own SQL shell.
func (a Application) SQL(ctx context.Context, args ...string) *exec.Cmd {
	return a.command(ctx, "spark-sql", args)
}

func (a Application) command(ctx context.Context, program string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(a.Home, "bin", program), append([]string{"--properties-file", a.Conf}, args...)...)
	cmd.Env = a.Env
	return cmd
}
