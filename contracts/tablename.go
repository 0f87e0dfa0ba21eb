package contracts

import (
	"fmt"
	"regexp"
	"strings"

	"sluice/gen/sparksql"
)

// maxName leaves room for what sluice adds to the names of its own tables; file
// systems and catalogs end at 255.
const maxName = 200

var sessionName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// tableName says why no catalog, or not the one that the server names, holds a
// name, so that a run does not find out half-way. Spark's own catalog takes
// ASCII words alone (SessionCatalog.validateName).
func tableName(name sparksql.Name, server Server) string {
	catalog := ""
	if len(name) == 3 {
		catalog = name[0]
	}
	own := server.Format == Delta && (catalog == "" || strings.EqualFold(catalog, "spark_catalog"))
	for _, part := range name {
		switch {
		case variable.MatchString(part): // reported where it stands
		case len(part) > maxName:
			return fmt.Sprintf("the table name %.20q… has a part of %d bytes; a part may have %d", name, len(part), maxName)
		case strings.ContainsAny(part, "./\\"):
			return fmt.Sprintf("the table name %q has a part with a dot or slash, which catalogs refuse; use letters, digits and _", name)
		case own && !sessionName.MatchString(part):
			return fmt.Sprintf("the table name %q holds what Spark's own catalog refuses; use ASCII letters, digits and _, or name another catalog on the server", name)
		}
	}
	return ""
}
