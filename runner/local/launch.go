package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

const (
	startTime  = 3 * time.Minute  // everything is downloaded by then
	answerTime = 30 * time.Second // for a server that is up, on a busy machine
)

var errDied = errors.New("the server ended while starting")

// launch starts the server and waits until it answers. The state file is written
// as soon as there is a process: if this command is killed while it waits, the
// next one finds the server instead of starting a second one on one metastore.
func (m maker) launch(ctx context.Context, spark installed, jars []string, port int) (Server, error) {
	if err := os.RemoveAll(m.temporary()); err != nil {
		return Server{}, fmt.Errorf("clearing the server's temporary folder: %w", err)
	}
	conf, err := m.configuration(jars, port)
	if err != nil {
		return Server{}, err
	}
	if m.everyone {
		m.say("Spark %s can only listen on every network interface of this machine; stop it when you are done (sluice spark stop)", spark.spark)
	}
	m.say("starting Spark %s on port %d", spark.spark, port)
	s := Server{Version: m.Version, Spark: spark.spark, Port: port, Remote: "sc://localhost:" + strconv.Itoa(port), Log: filepath.Join(m.State, "server.log"), Started: time.Now().UTC()}
	if s.PID, err = m.spawn(spark, conf, s.Log); err != nil {
		return Server{}, err
	}
	s.Birth = birth(s.PID)
	if err = writeJSON(m.stateFile(), s); err == nil {
		err = m.wait(ctx, s, startTime)
	}
	if err == nil {
		s.Ready = true
		return s, nil
	}
	abandon(s)
	m.forget(s)
	if ctx.Err() != nil {
		return Server{}, fmt.Errorf("starting Spark %s: %w", s.Spark, err)
	}
	text, readErr := os.ReadFile(s.Log)
	if readErr != nil {
		return Server{}, fmt.Errorf("starting Spark %s: %w (its log: %w)", s.Spark, err, readErr)
	}
	return Server{}, fmt.Errorf("starting Spark %s: %w: %s (whole log: %s)", s.Spark, err, cause(text), s.Log)
}

// spawn starts the server's process; the log of the one before is kept.
func (m maker) spawn(spark installed, conf, path string) (int, error) {
	_ = os.Rename(path, path+".1")
	log, err := os.Create(path)
	if err != nil {
		return 0, fmt.Errorf("opening the server's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(filepath.Join(spark.home, "bin", "spark-submit"),
		"--properties-file", conf, "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal")
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, m.State
	cmd.Env = append(m.environment(spark), "SPARK_CONF_DIR="+filepath.Dir(conf))
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("starting spark-submit: %w", err)
	}
	go func() { _ = cmd.Wait() }() // or a dead server stays as a zombie of this process
	return cmd.Process.Pid, nil
}

// join waits for a server that is already there: it may be busy, or still
// starting because the command that started it was killed.
func (m maker) join(ctx context.Context, s Server) (Server, error) {
	limit := max(answerTime, startTime-time.Since(s.Started))
	if err := m.wait(ctx, s, limit); err != nil {
		return Server{}, fmt.Errorf("finding Spark %s, pid %d, on port %d: %w; sluice spark stop ends it (log: %s)", s.Spark, s.PID, s.Port, err, s.Log)
	}
	s.Ready, s.Reused = true, true
	return s, nil
}

// wait returns when the server answers, ends, or takes too long.
func (m maker) wait(ctx context.Context, s Server, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not answer within %s", limit.Round(time.Second)))
	defer cancel()
	for began, next := time.Now(), 10*time.Second; ; {
		if !s.alive() {
			return errDied
		}
		if answers(s.Port) {
			return nil
		}
		if took := time.Since(began); took > next {
			m.say("waiting for Spark %s, %d s", s.Spark, int(took.Seconds()))
			next += 10 * time.Second
		}
		if err := sleep(ctx, 150*time.Millisecond); err != nil {
			return err
		}
	}
}

// abandon kills a server that did not come up, and waits until the kernel is
// rid of it: the next start needs its metastore.
func abandon(s Server) {
	_ = killGroup(s.PID)
	for range 50 {
		if !s.alive() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// end stops a server as Spark wants to be stopped, and kills it if it does not end.
func end(ctx context.Context, s Server) error {
	for _, step := range []struct {
		signal func(pid int) error
		wait   time.Duration
	}{{terminate, 20 * time.Second}, {killGroup, 10 * time.Second}} {
		if err := step.signal(s.PID); err != nil {
			return err
		}
		for deadline := time.Now().Add(step.wait); time.Now().Before(deadline); {
			if !s.alive() {
				return nil
			}
			if err := sleep(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return errors.New("it does not end; end it by hand")
}
