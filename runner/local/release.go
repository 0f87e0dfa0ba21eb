package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// release is one Spark with the packages that were proven beside it.
type release struct {
	spark    string
	packages []string
	python   [2]int // oldest Python whose pip installs it
	mega     int    // size of its download
	everyone bool   // the server cannot be bound to loopback
	apart    string // ends the name of its folder of jars, where another release has the same Spark
}

// Delta 4.1.0 breaks on Spark 4.1.3, and spark-connect_2.12 does not exist for
// 3.5.8 and 3.5.9, so these are not simply the newest ones.
var releases = map[string]release{
	"4.1": {spark: "4.1.3", packages: []string{
		"io.delta:delta-spark_4.1_2.13:4.3.1",
		"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
	}, python: [2]int{3, 10}, mega: 455},
	"4.0": {spark: "4.0.1", packages: []string{
		"io.delta:delta-spark_2.13:4.0.1",
		"org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
	}, python: [2]int{3, 9}, mega: 434},
	"3.5": {spark: "3.5.7", packages: []string{
		"org.apache.spark:spark-connect_2.12:3.5.7",
		"io.delta:delta-spark_2.12:3.3.2",
		"org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0",
	}, python: [2]int{3, 8}, mega: 317, everyone: true},
	// The Delta of Fabric's runtime 1.3: for tests, which ask what it lacks.
	"3.5-delta3.2": {spark: "3.5.7", packages: []string{
		"org.apache.spark:spark-connect_2.12:3.5.7",
		"io.delta:delta-spark_2.12:3.2.1",
		"org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0",
	}, python: [2]int{3, 8}, mega: 317, everyone: true, apart: "_delta3.2"},
}

// spare are dependencies of the packages that Spark has itself. They would
// double the download, and Spark never loads them.
const spare = "org.apache.hadoop:hadoop-client-api,org.apache.hadoop:hadoop-client-runtime"

// Versions are the versions that people choose from, newest first.
func Versions() []string { return []string{"4.1", "4.0", "3.5"} }

// every is every version that Start knows.
func every() []string { return slices.Sorted(maps.Keys(releases)) }

// installed is a Spark on disk.
type installed struct {
	home  string
	spark string // 4.1.3
	line  string // 4.1
	scala string // 2.13
}

var coreJar = regexp.MustCompile(`spark-core_(\d+\.\d+)-((\d+\.\d+)\.[^/]*)\.jar$`)

// inspect reads a Spark's version from the jar that each kind of install has.
func inspect(home string) (installed, error) {
	if home == "" {
		return installed{}, errors.New("it is not set")
	}
	if _, err := os.Stat(filepath.Join(home, "bin", "spark-submit")); err != nil {
		return installed{}, errors.New("it has no bin/spark-submit")
	}
	found, err := filepath.Glob(filepath.Join(home, "jars", "spark-core_*.jar"))
	if err != nil || len(found) != 1 {
		return installed{}, errors.New("it has no jars/spark-core_*.jar that tells its version")
	}
	m := coreJar.FindStringSubmatch(found[0])
	if m == nil {
		return installed{}, fmt.Errorf("%s does not tell its version", filepath.Base(found[0]))
	}
	return installed{home: home, scala: m[1], spark: m[2], line: m[3]}, nil
}

// findSpark returns SPARK_HOME if it is of the wanted version, else pyspark in a
// private virtual environment, installed now if it is not there.
func (m maker) findSpark(ctx context.Context) (installed, error) {
	home := m.Getenv("SPARK_HOME")
	if home == "" {
		return m.pyspark(ctx)
	}
	found, err := inspect(home)
	if err != nil {
		return found, fmt.Errorf("looking for Spark: SPARK_HOME is %s, but %w; correct or unset it", home, err)
	}
	if found.line != m.Version {
		m.say("SPARK_HOME %s is Spark %s, not %s, and is left alone", home, found.spark, m.Version)
		return m.pyspark(ctx)
	}
	m.say("using Spark %s of SPARK_HOME %s", found.spark, home)
	return found, nil
}

// coordinates are the packages for a Spark that may not be the proven one: its
// own Scala, and the Connect server of its own patch release where that exists.
func (r release) coordinates(s installed) []string {
	out := slices.Clone(r.packages)
	for i, p := range out {
		if s.line == "3.5" {
			p = strings.Replace(p, "_2.12:", "_"+s.scala+":", 1)
		}
		if patch, err := strconv.Atoi(strings.TrimPrefix(s.spark, "3.5.")); err == nil && patch < 6 && strings.HasPrefix(p, "org.apache.spark:") {
			p = strings.TrimSuffix(p, r.spark) + s.spark
		}
		out[i] = p
	}
	return out
}
