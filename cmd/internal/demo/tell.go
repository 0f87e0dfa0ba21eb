package demo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"sluice/runner"
)

// meanings say what a reason code of the demo means to its reader.
var meanings = map[string]string{
	"ambiguous_duplicate":   "two versions with one change time and different content: nobody guesses which is right",
	"bad_amount":            "the amount is no plain decimal number",
	"bad_order_ts":          "the order time is no ISO timestamp",
	"bad_source_updated_at": "the change time cannot be read",
	"duplicate_superseded":  "an older version, or a second identical copy",
	"header_row":            "the header again, in the middle of the file",
	"late_superseded":       "older than the version that is already published",
	"malformed_row":         "another number of fields than the header",
	"missing_amount":        "no amount",
	"missing_currency":      "no currency",
	"missing_order_id":      "no key",
	"negative_amount":       "below the minimum of 0",
	"pattern_order_id":      "the key has another shape than the contract says",
	"unknown_currency":      "not one of AUD, NZD, USD",
}

// tell gives the account: each act, the rejects of the second day one by one,
// the tables, and what to try next.
func (d Demo) tell(ctx context.Context, contract string, reports []runner.Report) error {
	w := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nWhat happened\n\n")
	for i, a := range acts {
		r := reports[i]
		fmt.Fprintf(w, "%d  batch %s, %s\t%s\n", i+1, r.Batch, a.title, strings.ToUpper(string(r.Result)))
		fmt.Fprintf(w, "   %s\t\n", a.lesson)
		fmt.Fprintf(w, "   %d rows = %d accepted + %d rejected; %d inserted, %d updated, %d unchanged, %d stale\t%s\n\n",
			r.Rows.Input, r.Rows.Accepted, r.Rows.Rejected, r.Target.Inserted, r.Target.Updated, r.Target.Unchanged, r.Target.Stale, commitText(r))
		for _, f := range r.Failures {
			fmt.Fprintf(w, "   %s\n\n", f)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := d.rejects(ctx, reports[1]); err != nil {
		return err
	}
	if err := d.table(ctx); err != nil {
		return err
	}
	d.next(contract)
	return nil
}

func commitText(r runner.Report) string {
	if r.Commit == nil {
		return "no commit"
	}
	return fmt.Sprintf("version %d, stamped contract=%s", r.Commit.Version, r.Version)
}

func (d Demo) rejects(ctx context.Context, r runner.Report) error {
	rows, err := d.Session.Query(ctx, "SELECT coalesce(CAST(_source_line AS STRING), '') AS line, coalesce(order_id, '') AS order_id, _reject_reasons AS reasons "+
		"FROM demo_quarantine.orders WHERE _batch_id = '"+r.Batch+"' ORDER BY _source_line")
	if err != nil {
		return err
	}
	fmt.Fprintf(d.Out, "Why %d rows of %s are in quarantine\n\n", len(rows), r.Batch)
	w := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		first, _, _ := strings.Cut(row.Text("reasons"), "; ")
		fmt.Fprintf(w, "   line %s\t%s\t%s\t%s\n", row.Text("line"), row.Text("order_id"), row.Text("reasons"), meanings[first])
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Reasons)) {
		if meanings[reason] == "" {
			fmt.Fprintf(w, "   \t\t%s\t%d rows\n", reason, r.Reasons[reason])
		}
	}
	return w.Flush()
}

func (d Demo) table(ctx context.Context) error {
	rows, err := d.Session.Query(ctx, "SELECT order_id, coalesce(customer_id, 'NULL') AS customer_id, CAST(amount AS STRING) AS amount, currency, CAST(source_updated_at AS STRING) AS changed "+
		"FROM demo_silver.orders ORDER BY order_id")
	if err != nil {
		return err
	}
	fmt.Fprintf(d.Out, "\nWhat readers of demo_silver.orders see (%d rows)\n\n", len(rows))
	w := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "   %s\t%s\t%s\t%s\t%s\n", r.Text("order_id"), r.Text("customer_id"), r.Text("amount"), r.Text("currency"), r.Text("changed"))
	}
	return w.Flush()
}

func (d Demo) next(contract string) {
	fmt.Fprintf(d.Out, `
What to try next

   sluice plan %[1]s --step stage     the SQL that typed the rows
   sluice plan %[1]s                  every statement of a run, in order
   sluice run %[1]s --batch 2026-03-21     the replay again, with its progress
   edit %[1]s (allow EUR, change the ceiling) and run the demo's days again
   sluice spark stop                  when you are done; tables stay for the next start

The tables: demo_bronze.orders, demo_silver.orders, demo_quarantine.orders, demo_staging.orders, demo_ops.audit_log
`, contract)
}
