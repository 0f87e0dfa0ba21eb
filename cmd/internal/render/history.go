package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/runner"
)

// Journal writes the entries of a table's history, a line each, and below what is
// odd about the marked ones.
func Journal(w io.Writer, j runner.Journal) {
	if len(j.Entries) == 0 {
		fmt.Fprintf(w, "no run and no commit of %s\n", line(j.Table))
		return
	}
	out := []string{"when\tbatch\tcontract\trows\trejected\tpublished\tcommit\t"}
	var odd []string
	for _, e := range j.Entries {
		out = append(out, entry(e))
		if e.Mark != "" {
			odd = append(odd, fmt.Sprintf("  %s\t%s\t%s", e.Mark, commitText(e), e.Why))
		}
	}
	table(w, out...)
	if len(odd) > 0 {
		fmt.Fprintln(w, "\nmarked")
		table(w, odd...)
	}
	switch {
	case j.More && j.Last != "":
		fmt.Fprintf(w, "\nsnapshots before %s were expired or not read\n", line(j.Last))
	case j.More:
		fmt.Fprintf(w, "\ncommits before version %d were not read\n", j.Oldest)
	}
}

func entry(e runner.Entry) string {
	input, rejected, published := "", "", ""
	if e.Rows != nil {
		input, rejected, published = fmt.Sprint(e.Rows.Input), fmt.Sprint(e.Rows.Rejected), "no"
	}
	if e.Published {
		published = "yes"
	}
	remark := string(e.Mark)
	switch {
	case remark != "":
	case e.Migration:
		remark = "migration"
	case e.Recovered:
		remark = "recovered"
	case e.Failures != "":
		remark, _, _ = strings.Cut(e.Failures, ":")
		remark = cut(remark, 40)
	}
	when := strings.NewReplacer("T", " ", "Z", "").Replace(e.When)
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", when, line(e.Batch), line(e.Contract), input, rejected, published, commitText(e), line(remark))
}

func commitText(e runner.Entry) string {
	switch {
	case e.Commit == nil && e.Published:
		return "none needed"
	case e.Commit == nil:
		return ""
	case e.Commit.Snapshot != "":
		return strings.TrimRight(line(e.Commit.Snapshot+" "+e.Commit.Operation), " ")
	default:
		return strings.TrimRight(fmt.Sprintf("%d %s", e.Commit.Version, line(e.Commit.Operation)), " ")
	}
}
