package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/runner"
)

// Refs writes the branches and tags of a table, a line each.
func Refs(w io.Writer, r runner.Refs) {
	if len(r.Heads) == 0 {
		fmt.Fprintf(w, "no branch and no tag of %s\n", line(r.Table))
		return
	}
	out := []string{"name\ttype\tsnapshot\tcommitted at\trows\tcontract\tbatch\tsays\t"}
	for _, h := range r.Heads {
		rows := "not known"
		if h.Rows != nil {
			rows = fmt.Sprint(*h.Rows)
		}
		committed := strings.NewReplacer("T", " ", "Z", "").Replace(h.Committed)
		out = append(out, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s",
			line(h.Name), line(h.Type), line(h.Snapshot), committed, rows, line(h.Contract), line(h.Batch), sourceText[h.Source], line(h.Remark)))
	}
	table(w, out...)
}

var sourceText = map[runner.RefSource]string{
	runner.FromStamp: "stamp", runner.FromAuditLog: "audit log", runner.FromProperty: "property", runner.FromTag: "tag", runner.FromNothing: "",
}
