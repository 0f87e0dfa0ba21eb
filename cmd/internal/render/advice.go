package render

import "sluice/runner"

// adviceText says what to do about a failure, by the code that begins it.
var adviceText = map[string]string{
	"missing_source_column": "see whether the batch was landed and the feed still has the column; else change the contract with its owner",
	"lookup_missing":        "create and fill the lookup table, or remove the relationship from the contract",
	"target_drift":          "bring table and contract together: someone changed one without the other",
	"empty_batch":           "see whether the feed sent the batch, and under this batch id",
	"column_all_null":       "see whether the feed renamed or dropped the column",
	"reject_ceiling":        "look at the reasons: mend the feed and land the batch again, or agree on another ceiling",
	"volume_out_of_range":   "see whether the feed sent the whole batch, and only once; a real change of volume needs another range in the contract",
	"audit_failed":          "look at the check that failed; its owner decides",
	"batch_changed":         "this batch id was published with other content: use a new id, or --accept-changed if the correction is meant",
	"rows_not_conserved":    "rows do not add up or a key occurs twice where it must not; look there before anything else",
	"target_busy":           "run again when the other writer of the table is done",
	"wrong_partition":       "name the partition that the rows are of, or land them as a batch of their own",
	"nothing_accepted":      "look at the reasons; if the partition is to be empty, run with --allow nothing_accepted",
	"partition_shrinks":     "see whether the feed sent the whole partition; if it did, run with --allow partition_shrinks",
	"older_delivery":        "a newer delivery of the partition is published already; to go back to this one, run with --allow older_delivery",
	"end_of_life":           "take out of the contract what has ended, or agree on another day with its readers",
}

// resultText ends the advice.
var resultText = map[runner.Result]string{
	runner.Refused: "nothing was published; after the repair run the same command again",
	runner.Failed:  "nothing was published; the same command may be run again at any time",
	runner.Unknown: "look at the history of the table before anything else; running the same command again repairs what is missing",
}

// warningText says what the fixed warnings count.
var warningText = map[string]string{
	"newest_rejected":        "the newest version of a key is rejected while an older one is published",
	"rejected_but_published": "a rejected row has the key and change time of the published one",
	"column_vanished":        "an optional column has no value in this batch although earlier ones had some",
	"writer_behind":          "the table was written by a newer version of the contract",
	"deprecated":             "a column or the table is on its way out",
	"orphaned_rejects":       "rows of other batches were rejected for a key that is published nowhere any more",
	"batch_changed":          "the batch was published before with other content, and --accept-changed allowed it",
}
