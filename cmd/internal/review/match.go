package review

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"sluice/contracts/breaking"
	"sluice/contracts/odcs"
)

// renamed maps contracts whose path is new to their old paths: those with the
// same contract id, else what git calls a rename.
func (t *tree) renamed(ctx context.Context, commit string) (map[string]string, error) {
	gone := map[string]string{} // path by contract id
	for _, path := range slices.Sorted(maps.Keys(t.old)) {
		if !slices.Contains(t.present, path) {
			gone[idOf(t.old[path])] = path
		}
	}
	out := map[string]string{}
	if len(gone) == 0 {
		return out, nil
	}
	similar, err := t.repo.Renames(ctx, commit)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, path := range t.present {
		if t.old[path] != nil {
			continue
		}
		data, err := os.ReadFile(t.full(path))
		if err != nil {
			return nil, fmt.Errorf("reading contract: %w", err)
		}
		from := gone[idOf(data)]
		if from == "" && slices.Contains(slices.Collect(maps.Values(gone)), similar[path]) {
			from = similar[path]
		}
		if from != "" && !taken[from] {
			out[path], taken[from] = from, true
		}
	}
	return out, nil
}

// idOf is the id of a contract, or a text that no other file has.
func idOf(data []byte) string {
	if doc, _ := odcs.Parse("", data); doc != nil {
		if id := doc.Root.Get("id").Text(); id != "" {
			return id
		}
	}
	return "\x00" + string(data)
}

// compare judges one contract of the working tree.
func (t *tree) compare(path string, renamed map[string]string) error {
	data, err := os.ReadFile(t.full(path))
	if err != nil {
		return fmt.Errorf("reading contract: %w", err)
	}
	from := path
	if t.old[path] == nil {
		from = renamed[path]
	}
	before, existed := t.old[from]
	compare := t.opts.Compare
	waivers, fine, err := t.waivers(path)
	if err != nil || !fine {
		return err
	}
	idle := existed && from == path && bytes.Equal(before, data)
	if idle && waivers == nil {
		return nil
	}
	new, err := t.parse(t.shown(path), data)
	if new == nil {
		return err
	}
	if compare.Waivers = waivers; waivers != nil {
		waivers.Idle = idle
	}
	if !existed {
		t.review.Results = append(t.review.Results, breaking.Added(new, compare))
		return nil
	}
	old, err := t.parse(t.review.Base.Short()+":"+from, before)
	if old == nil {
		return err
	}
	one := breaking.Compare(old, new, compare)
	if !idle || len(one.Problems) > 0 {
		t.review.Results = append(t.review.Results, one)
	}
	return nil
}

// removed judges the contracts that only the commit has.
func (t *tree) removed(renamed map[string]string) error {
	moved := slices.Collect(maps.Values(renamed))
	for _, path := range slices.Sorted(maps.Keys(t.old)) {
		if slices.Contains(t.present, path) || slices.Contains(moved, path) {
			continue
		}
		old, err := t.parse(t.review.Base.Short()+":"+path, t.old[path])
		if old == nil {
			if err != nil {
				return err
			}
			continue
		}
		compare := t.opts.Compare
		var fine bool
		if compare.Waivers, fine, err = t.waivers(path); err != nil {
			return err
		}
		if !fine {
			continue
		}
		one := breaking.Removed(old, compare)
		one.File = t.shown(path)
		t.review.Results = append(t.review.Results, one)
	}
	return nil
}
