package contracts

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"sluice/contracts/odcs"
)

const (
	day     = 24 * time.Hour
	longest = 100 * 365 * day // beyond it a typing error is more likely than a wish
)

// ISO 8601 durations of one unit each; a year is 365 days and a month 30.
var duration = regexp.MustCompile(`^P(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?$`)

// durationUnits are the units of the pattern duration, in its order.
var durationUnits = []time.Duration{365 * day, 30 * day, 7 * day, day, time.Hour, time.Minute, time.Second}

// keepFor reads how long our own artefacts live.
func (t *tableLoader) keepFor(n *odcs.Node) {
	k := &t.table.Keep
	for key, target := range map[string]*time.Duration{"quarantine": &k.Quarantine, "staging": &k.Staging, "branch": &k.Branch, "auditLog": &k.AuditLog} {
		value := n.Get(key)
		if value == nil {
			continue
		}
		d, err := parseDuration(value.Text())
		if err != nil {
			t.problem(value, "bad-duration", "keepFor.%s: %v", key, err)
		}
		*target = d
	}
}

func parseDuration(text string) (time.Duration, error) {
	m := duration.FindStringSubmatch(text)
	var total time.Duration
	for i := range durationUnits {
		if m == nil {
			break
		}
		n, _ := strconv.Atoi("0" + m[i+1])
		if time.Duration(n) > longest/durationUnits[i] { // before it overflows
			total = 0
			break
		}
		total += time.Duration(n) * durationUnits[i]
	}
	if total <= 0 || total > longest {
		return 0, fmt.Errorf("reading %q: write an ISO 8601 duration of up to a hundred years, for example P90D or PT12H", text)
	}
	return total, nil
}
