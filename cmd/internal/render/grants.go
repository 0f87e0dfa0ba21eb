package render

import (
	"fmt"
	"io"

	"sluice/gen/plan"
)

// Grants writes what each identity needs as statements under their reasons, for a
// platform admin to read before any is run.
func Grants(w io.Writer, p *plan.Plan, grants []plan.Grant) {
	fmt.Fprintf(w, "-- %s %s: who needs what for %s, mode %s\n", line(p.Contract), line(p.Version), line(p.Table), p.Mode)
	fmt.Fprintln(w, "-- Put your principals in place of sluice_land, sluice_run, sluice_migrate, sluice_look and sluice_read.")
	fmt.Fprintln(w, "-- The words are those of Unity Catalog, where who creates a table owns it: a grant on one that is not there")
	fmt.Fprintln(w, "-- yet is needed only if somebody else creates it. Spark itself has no GRANT; other catalogs have other words")
	fmt.Fprintln(w, "-- for the same list. Nobody else needs staging, verdicts or quarantine.")
	for _, i := range plan.Identities() {
		first := true
		for _, g := range grants {
			if string(g.Identity) != i.Name {
				continue
			}
			if first {
				fmt.Fprintf(w, "\n-- %s: %s\n", i.Name, i.Does)
				first = false
			}
			until := ""
			if g.Until != "" {
				until = "; until " + line(g.Until)
			}
			fmt.Fprintf(w, "%s; -- %s%s\n", g.SQL, line(g.Why), until)
		}
	}
}
