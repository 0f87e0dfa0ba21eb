package runner

import (
	"time"

	"sluice/gen/plan"
)

// Options are what a run is asked to do.
type Options struct {
	Batch          string
	AcceptChanged  bool        // publish a batch id that came back with other content
	Migrate        string      // the command that mends drift of the target, as a person would type it
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
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewRunID == nil {
		o.NewRunID = randomID
	}
	return o
}
