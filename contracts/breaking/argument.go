package breaking

// argumentDirection judges the lists that a metric reads: a further marker of
// missing values counts more bad rows, a further valid value or a further column
// of a tuple fewer.
func argumentDirection(e *entry, in *pair, metric string) Direction {
	if metricOf(in.old) != metric {
		return Untested // the metric carries the change
	}
	argument := e.key
	for at := e.pair; at != in; at = at.up {
		if at.up.kind == "arguments" || at.up == in {
			argument = at.key
			break
		}
	}
	more, counts := map[string]bool{"invalidValues.validValues": false, "missingValues.missingValues": true, "duplicateValues.properties": false}[metric+"."+argument]
	switch {
	case argument == "arguments" && metric == "missingValues":
		return counting(in.new, e.action == added)
	case argument == "arguments":
		return Undetermined
	case counts && e.action != updated:
		return counting(in.new, more == (e.action == added))
	case counts, metric == "invalidValues" && argument == "pattern":
		return Undetermined
	}
	return Untested
}
