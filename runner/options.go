package runner

import (
	"strings"
	"time"

	"sluice/gen/plan"
)

// Options are what a run is asked to do.
type Options struct {
	Batch         string
	Partition     map[string]string // the partition that the run replaces: texts by column
	AcceptChanged bool              // publish a batch id that came back with other content
	Allow         []string          // partition checks that may fail: nothing_accepted, partition_shrinks, older_delivery
	Migrate       string            // the command that mends drift of the target, as a person would type it
	// Rerun is the command that runs another batch of the table, as a person would
	// type it; partition is "" or as --partition takes it.
	Rerun          func(batch, partition string) string
	Observe        func(Event) // progress; may be nil
	Now            func() time.Time
	NewRunID       func() string                // a fresh id for each attempt; default: random
	AfterStatement func(s plan.Statement) error // tests plant faults here; nil in production
}

// complete fills in what production leaves out.
func (o Options) complete() Options {
	if o.Migrate == "" {
		o.Migrate = "sluice migrate CONTRACT"
	}
	if o.Rerun == nil {
		o.Rerun = func(batch, partition string) string {
			return strings.TrimSuffix("sluice run CONTRACT --batch "+batch+" --partition "+partition, " --partition ")
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewRunID == nil {
		o.NewRunID = NewRunID
	}
	return o
}
