package odcs

import (
	"fmt"
	"strings"
)

// Suggest ends a message about an unknown name with the nearest known one, if
// there is one that a person could have meant; else with nothing.
func Suggest(word string, known []string) string {
	if len(word) > 200 { // no typing error, and slow to compare
		return ""
	}
	best, distance := "", min(1+max(1, len(word)/3), len(word))
	for _, k := range known {
		if d := edits(strings.ToLower(word), strings.ToLower(k), distance); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// edits counts what turns a into b: letters added, lost, changed or swapped with
// the next (optimal string alignment). It gives up at limit.
func edits(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit || len(a) > 200 {
		return limit
	}
	var before, above, row []int
	row = make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j-1]+cost, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
