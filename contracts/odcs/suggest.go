package odcs

import (
	"fmt"
	"strings"
)

// Suggest ends a message about an unknown name with the nearest known one, if
// there is one that a person could have meant; else with nothing.
func Suggest(word string, known []string) string {
	best, distance := "", 1+max(1, len(word)/3)
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

// edits is the Levenshtein distance, given up at limit.
func edits(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit || len(a) > 200 {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
