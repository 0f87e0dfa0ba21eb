package runner

// The warnings that a run gives by itself. Others have the codes of rules.
const (
	warnNewestRejected = "newest_rejected"
	warnButPublished   = "rejected_but_published"
	warnVanished       = "column_vanished"
	warnBehind         = "writer_behind"
	warnDeprecated     = "deprecated"
	warnOrphans        = "orphaned_rejects"
	warnChanged        = "batch_changed"
)

// WarningCodes are the codes of the warnings that a run gives by itself.
func WarningCodes() []string {
	return []string{warnNewestRejected, warnButPublished, warnVanished, warnBehind, warnDeprecated, warnOrphans, warnChanged}
}
