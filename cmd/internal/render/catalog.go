package render

import (
	"fmt"
	"io"

	"sluice/gen/plan"
)

// Catalog writes the statements that describe a table in a catalog as a script for
// review.
func Catalog(w io.Writer, table, contract, version string, statements []plan.Statement) {
	fmt.Fprintf(w, "-- What a catalog shows of %s, by contract %s %s.\n", line(table), line(contract), line(version))
	fmt.Fprintln(w, "-- Printed by sluice docs --catalog for review: nothing was run. A comment that is there is replaced.")
	for _, s := range statements {
		fmt.Fprintf(w, "%s;\n", s.SQL)
	}
}
