package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

func show(out io.Writer, name string, rows int64, pairs []pair) {
	var ratios, floors, runs []float64
	for _, p := range pairs {
		ratios, floors, runs = append(ratios, p.run/p.floor), append(floors, p.floor), append(runs, p.run)
	}
	last := pairs[len(pairs)-1]
	fmt.Fprintf(out, "\n%s, %d rows: floor %.1f s, run %.1f s, ratio %.2f (%.2f to %.2f over %d pairs)\n", name, rows, median(floors), median(runs), median(ratios), slices.Min(ratios), slices.Max(ratios), len(pairs))
	fmt.Fprintf(out, "rows %+v, target %+v\n\n", last.report.Rows, last.report.Target)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "step\tseconds\tstatements\tjobs\t")
	statements := 0
	for _, s := range last.report.Steps {
		if s.Skipped {
			continue
		}
		statements += s.Statements
		fmt.Fprintf(w, "%s\t%.1f\t%d\t%d\t\n", s.Name, s.Seconds, s.Statements, last.stepJobs[s.Name])
	}
	fmt.Fprintf(w, "run\t%.1f\t%d\t%d\t\n", last.run, statements, last.runJobs)
	fmt.Fprintf(w, "floor\t%.1f\t%d\t%d\t\n", last.floor, 1, last.floorJobs)
	_ = w.Flush()
	fmt.Fprintln(out)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// jobs counts Spark jobs by the REST interface of the driver's UI; without one
// every count is zero.
type jobs struct{ url string }

func findJobs(ctx context.Context) *jobs {
	for port := 4040; port < 4050; port++ {
		base := fmt.Sprintf("http://localhost:%d/api/v1/applications", port)
		var apps []struct {
			ID string `json:"id"`
		}
		if fetch(ctx, base, &apps) == nil && len(apps) > 0 {
			return &jobs{base + "/" + apps[0].ID + "/jobs"}
		}
	}
	fmt.Fprintln(os.Stderr, "no Spark UI was found, so jobs are not counted")
	return &jobs{}
}

func (j *jobs) count() int {
	if j.url == "" {
		return 0
	}
	var list []struct {
		ID int `json:"jobId"`
	}
	if fetch(context.Background(), j.url, &list) != nil {
		return 0
	}
	top := 0
	for _, job := range list {
		top = max(top, job.ID+1)
	}
	return top
}

func fetch(ctx context.Context, url string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	return json.NewDecoder(response.Body).Decode(into)
}
