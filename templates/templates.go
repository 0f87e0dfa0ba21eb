// Package templates embeds the statement templates, one file a statement, by
// target: shared, delta, iceberg; docs has the pages for readers, notebook
// the run protocol in Python. Their logic is range, if and with; every
// expression in them is a finished string that package gen built.
package templates

import "embed"

// FS holds <target>/<statement>.sql.tmpl, and what is printed for readers.
//
//go:embed shared/*.tmpl delta/*.tmpl iceberg/*.tmpl docs/*.tmpl notebook/*.py
var FS embed.FS
