package cli

// exitMeaning is an exit code for people: what happened, and what to do.
type exitMeaning struct {
	code      int
	means, do string
}

// exitMeanings are all exit codes; the manual and the man page show them.
func exitMeanings() []exitMeaning {
	return []exitMeaning{
		{exitDone, "published, or nothing to do", "go on"},
		{exitFinding, "a check found something (lint, gen --check, docs --check, test, breaking, check, migrate, reader)", "read the findings; a retry finds them again"},
		{exitUsage, "usage, or a contract that cannot be read", "correct the command or the contract; a retry fails again"},
		{exitFailed, "cannot connect, or a statement failed; nothing was published", "read the failure; run the same command again"},
		{exitRefused, "the batch was refused; its rejects are in quarantine", "repair the feed or the contract, land again; a retry is refused again"},
		{exitUnknown, "outcome unknown, or published but not recorded", "look at the history that the message names, then run the same command again"},
		{exitInterrupted, "interrupted", "run the same command again"},
	}
}
