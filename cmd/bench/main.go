// Command bench measures what sluice's promises cost: a full run against the
// floor, one unchecked dedup and MERGE of the same batch into the same table.
// Both alternate in one warm session; the target is restored and the batch gets
// a new id before each. Compare ratios, never seconds of different machines.
//
//	go run ./cmd/bench -rows 2000000 -profile both -pairs 3
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	rows := flag.Int64("rows", 2_000_000, "rows of the batch; the target holds half as many again")
	profile := flag.String("profile", "both", "messy, daily or both")
	pairs := flag.Int("pairs", 3, "measured pairs after one warm-up pair")
	remote := flag.String("remote", os.Getenv("SPARK_REMOTE"), "Spark Connect endpoint; without one the local Spark is used")
	version := flag.String("spark", "4.1", "version of the local Spark")
	memory := flag.String("memory", "6g", "heap of the local Spark, if it is started now")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := bench{rows: *rows, pairs: *pairs, remote: *remote, version: *version, memory: *memory, out: os.Stdout}
	if err := b.run(ctx, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
