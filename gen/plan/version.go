package plan

import (
	"cmp"
	"strconv"
	"strings"
)

// Standing is how the version of a contract stands to the property
// contract.version of a table.
type Standing string

// The standings. What a writer may do in each is design section 2.
const (
	SameVersion   Standing = "same"
	NoVersion     Standing = "none"       // the table was not finished, or sluice never wrote it
	BadVersion    Standing = "unreadable" // the property is no MAJOR.MINOR.PATCH
	ContractAhead Standing = "ahead"      // of the same major
	TableAhead    Standing = "behind"     // of the same major: this writer is old
	MajorAhead    Standing = "newMajor"
	MajorBehind   Standing = "oldMajor"
)

// Older reports whether a newer contract wrote the table: this one must never
// change it.
func (s Standing) Older() bool { return s == TableAhead || s == MajorBehind }

// Stand compares the version of a contract with the one that a table carries.
func Stand(contract, table string) Standing {
	if table == "" {
		return NoVersion
	}
	theirs, ok := parseVersion(table)
	ours, _ := parseVersion(contract)
	order := cmp.Or(cmp.Compare(ours[0], theirs[0]), cmp.Compare(ours[1], theirs[1]), cmp.Compare(ours[2], theirs[2]))
	switch {
	case !ok:
		return BadVersion
	case order == 0:
		return SameVersion
	case ours[0] > theirs[0]:
		return MajorAhead
	case ours[0] < theirs[0]:
		return MajorBehind
	case order > 0:
		return ContractAhead
	default:
		return TableAhead
	}
}

func parseVersion(text string) ([3]int, bool) {
	var v [3]int
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

// Major is the first part of MAJOR.MINOR.PATCH.
func Major(version string) (int, bool) {
	parts, ok := parseVersion(version)
	return parts[0], ok
}
