package local

import (
	"slices"
	"strings"
)

// longest is the most that one quoted line may take of a message.
const longest = 400

// cause quotes what the output of a failed Spark says: what was thrown first,
// and the last thing named as its cause.
func cause(out []byte) string {
	var found []string
	for _, line := range strings.Split(string(out), "\n") {
		line = strings.TrimSpace(line)
		if telling(line) && !slices.Contains(found, short(line)) {
			found = append(found, short(line))
		}
	}
	if len(found) == 0 {
		return lastLines(out, 3)
	}
	if len(found) > 4 {
		found = append(found[:2], found[len(found)-2:]...)
	}
	return strings.Join(found, "; ")
}

func telling(line string) bool {
	if strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "...") || strings.Contains(line, " WARN ") {
		return false
	}
	for _, mark := range []string{"Exception", "ERROR", "Error:", "unresolved dependency", "download failed", "not found:", "in use", "Unrecognized", "Could not create"} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// errorLines are the lines that say ERROR, else the last ones.
func errorLines(out []byte) string {
	var found []string
	for _, line := range strings.Split(string(out), "\n") {
		if strings.Contains(line, "ERROR") || strings.Contains(line, "error:") {
			found = append(found, short(strings.TrimSpace(line)))
		}
	}
	if len(found) == 0 {
		return lastLines(out, 4)
	}
	return strings.Join(found[max(0, len(found)-4):], "; ")
}

func lastLines(out []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i := range lines {
		lines[i] = short(strings.TrimSpace(lines[i]))
	}
	return strings.Join(lines, "; ")
}

func short(line string) string {
	if len(line) <= longest {
		return line
	}
	return strings.ToValidUTF8(line[:longest], "") + "…"
}
