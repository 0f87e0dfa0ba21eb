package contracts

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
	"time"

	"sluice/gen/sparksql"
)

var (
	decimalText = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)
	momentText  = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$`)
	localText   = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?$`)
	dateText    = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// canonical gives the one text of a value of a type: plain digits without
// needless zeros, yyyy-MM-dd, yyyy-MM-dd HH:mm:ss[.ffffff] in UTC, true or false.
func canonical(t sparksql.Type, text string) (string, error) {
	switch t.Kind {
	case sparksql.STRING:
		return text, nil
	case sparksql.BOOLEAN:
		if text != "true" && text != "false" {
			return "", errors.New("is neither true nor false")
		}
		return text, nil
	case sparksql.DATE:
		if _, err := time.Parse(time.DateOnly, text); err != nil || !dateText.MatchString(text) || text < "0001" {
			return "", errors.New("is no date; write yyyy-MM-dd")
		}
		return text, nil
	case sparksql.TIMESTAMP:
		if !momentText.MatchString(text) {
			return "", errors.New("is no moment; write yyyy-MM-ddTHH:mm:ssZ")
		}
		return canonicalMoment(text, "Z07:00")
	case sparksql.TIMESTAMPNTZ:
		if !localText.MatchString(text) {
			return "", errors.New("is no local time; write yyyy-MM-ddTHH:mm:ss without a zone")
		}
		return canonicalMoment(text, "")
	default:
		return canonicalNumber(t, text)
	}
}

var clockText = regexp.MustCompile(`^\d\d:\d\d:\d\d(\.\d{1,6})?$`)

// canonicalClock is HH:mm:ss[.ffffff].
func canonicalClock(text string) (string, error) {
	moment, err := time.Parse("15:04:05", text)
	if err != nil || !clockText.MatchString(text) {
		return "", errors.New("is no time of day; write HH:mm:ss")
	}
	return moment.Format("15:04:05.999999"), nil
}

func canonicalMoment(text, zone string) (string, error) {
	moment, err := time.Parse("2006-01-02T15:04:05"+zone, strings.Replace(text, " ", "T", 1))
	if err != nil || moment.UTC().Year() < 1 || moment.UTC().Year() > 9999 {
		return "", errors.New("does not exist in the calendar; write yyyy-MM-ddTHH:mm:ss with an existing day and time")
	}
	return moment.UTC().Format("2006-01-02 15:04:05.999999"), nil
}

func canonicalNumber(t sparksql.Type, text string) (string, error) {
	if !decimalText.MatchString(text) {
		return "", errors.New("is no number in plain digits")
	}
	negative := strings.HasPrefix(text, "-")
	whole, fraction, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if len(whole)+len(fraction) > 38 {
		return "", errors.New("has more than 38 digits, which no Spark number holds")
	}
	if fraction != "" && t.Integer() {
		return "", errors.New("is not whole, but the column is of type " + t.String())
	}
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if negative && whole != "0" {
		whole = "-" + whole
	}
	return whole, nil
}

// compareCanonical orders two canonical texts of a type, or two lengths.
func compareCanonical(t sparksql.Type, a, b string, lengths bool) int {
	if !lengths && !t.Numeric() {
		return strings.Compare(a, b) // dates and moments in one zone order as text
	}
	x, _ := new(big.Rat).SetString(a)
	y, _ := new(big.Rat).SetString(b)
	if x == nil || y == nil {
		return 0
	}
	return x.Cmp(y)
}

// Moment is a text with or without a zone (UTC without one) as the one text of its
// instant: yyyy-MM-dd HH:mm:ss[.ffffff] in UTC.
func Moment(text string) (string, bool) {
	for _, candidate := range []string{text, text + "Z"} {
		if out, err := canonical(sparksql.Type{Kind: sparksql.TIMESTAMP}, candidate); err == nil {
			return out, true
		}
	}
	return "", false
}
