package plan

import "strings"

// decided are what the run protocol decides, by rule or by the statement that counts.
var decided = map[string]string{
	ProofChain:         "the branch stands on main's head, with the snapshots of this run and no other",
	ProofRows:          "as many rows as were accepted",
	ProofKeys:          "each written key is there once, with the content that was staged",
	ProofPartitions:    "every other partition has the same files on the branch and on main",
	"prove_partitions": "every other partition has the same files on the branch and on main",
	NothingAccepted:    "at least one row is accepted",
	PartitionShrinks:   "at least half of the rows that the partition has now",
	OlderDelivery:      "not older than the newest row of the partition now",
}

// Text says in one sentence what a check holds against which bound. It holds text
// of the contract as it is.
func (c Check) Text() string {
	text := c.Code
	if c.Rule != "" && c.Rule != c.Code {
		text += ", rule " + c.Rule
	}
	text += ": " + c.judged()
	if len(c.By) > 0 {
		text += ", for each " + strings.Join(c.By, ", ")
	}
	if c.Severity == "warning" {
		text += "; else a warning"
	}
	return text
}

func (c Check) judged() string {
	bounds := strings.Join(c.Bounds, " and ")
	of := c.Statement
	if c.Column != "" {
		of = c.Column + " of " + of
	}
	switch c.Kind {
	case CheckRowCount:
		return "rows of the batch, " + c.Op + " " + bounds
	case CheckCeiling:
		return "rejects, at most " + bounds + " %"
	case CheckVolume:
		return "rows against the median of published batches, between " + bounds + " times"
	case CheckValue:
		return "the value of " + of + ", " + c.Op + " " + bounds
	case CheckShare:
		return of + " in percent of its rows, " + c.Op + " " + bounds
	case CheckAge:
		return of + ", at most " + bounds + " seconds"
	case CheckReason:
		return "no row is rejected as " + c.Op
	case CheckKey:
		return "no key twice"
	case CheckLookup:
		return "unknown_rows of " + c.Statement + " is 0"
	case CheckLookupOnce:
		return "ambiguous_rows of " + c.Statement + " is 0"
	}
	if text := decided[c.Rule]; text != "" {
		return text
	}
	return decided[c.Statement]
}
