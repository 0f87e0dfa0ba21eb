// Command sluice takes raw batches to published Spark tables by their contracts.
package main

import (
	"os"

	"sluice/cmd/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args, cli.Process())) }
