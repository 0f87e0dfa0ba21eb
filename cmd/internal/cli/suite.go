package cli

import (
	"context"
	"sync"

	spec "sluice/contracts/fixture"
	"sluice/runner/fixture"

	"golang.org/x/sync/errgroup"
)

// suite runs fixture files. Each has scratch schemas of its own, so that several
// may run side by side, each on its own session.
type suite struct {
	target  target
	env     Env
	log     func(string)
	options fixture.Options
	done    func(fixture.Report) // called in the order of the files; may be nil
	reports []fixture.Report
}

// run stops at the first file that could not be judged.
func (s *suite) run(ctx context.Context, files []*spec.File, parallel int) error {
	if parallel < 1 {
		return usagef("--parallel %d is no number of files; use 1 or more", parallel)
	}
	parallel = min(parallel, len(files))
	queue := make(chan int, len(files))
	for i := range files {
		queue <- i
	}
	close(queue)
	s.options.Observe = alternating(s.options.Observe)
	out := &ordered{reports: make([]*fixture.Report, len(files)), done: s.done}
	group, ctx := errgroup.WithContext(ctx)
	for n := range parallel {
		group.Go(func() error { return s.work(ctx, n, files, queue, out) })
	}
	err := group.Wait()
	for _, r := range out.reports {
		if r != nil {
			s.reports = append(s.reports, *r)
		}
	}
	return err
}

// session is the worker's own in a catalog, opened when the first file needs it.
func (s *suite) session(ctx context.Context, open map[string]Session, catalog string, log func(string)) (Session, error) {
	if session, found := open[catalog]; found {
		return session, nil
	}
	if len(open) > 0 {
		log = func(string) {}
	}
	target := s.target
	target.config.Catalog = catalog
	session, err := target.open(ctx, s.env, log)
	if err == nil {
		open[catalog] = session
	}
	return session, err
}

// work takes files from the queue, on sessions of its own.
func (s *suite) work(ctx context.Context, n int, files []*spec.File, queue <-chan int, out *ordered) error {
	log := s.log
	if n > 0 {
		log = func(string) {} // the first one says where all are connected
	}
	sessions := map[string]Session{} // by catalog: names of two parts are the current one's
	defer func() {
		for _, session := range sessions {
			_ = session.Close()
		}
	}()
	for i := range queue {
		session, err := s.session(ctx, sessions, files[i].Contract.Server.Catalog, log)
		if err != nil {
			return err
		}
		r, err := fixture.Run(ctx, session, files[i], s.options)
		if err != nil {
			return err
		}
		out.put(i, r)
	}
	return nil
}

// ordered hands reports on in the order of their files.
type ordered struct {
	mu      sync.Mutex
	reports []*fixture.Report
	next    int
	done    func(fixture.Report)
}

func (o *ordered) put(i int, r fixture.Report) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.reports[i] = &r; o.next < len(o.reports) && o.reports[o.next] != nil; o.next++ {
		if o.done != nil {
			o.done(*o.reports[o.next])
		}
	}
}

// alternating lets one caller at a time write a line.
func alternating(write func(string)) func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		write(line)
	}
}
