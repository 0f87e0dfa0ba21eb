package contracts

import (
	"testing"
	"time"

	"sluice/gen/sparksql"
)

func TestCanonical(t *testing.T) {
	for _, test := range []struct{ kind, text, want string }{
		{"DECIMAL(18,2)", "+007.50", "7.5"},
		{"DECIMAL(18,2)", "-0.00", "0"},
		{"DECIMAL(18,2)", ".5", "0.5"},
		{"DECIMAL(18,2)", "5.", "5"},
		{"DOUBLE", "-0.25", "-0.25"},
		{"INT", "5.0", "5"},
		{"INT", "5.5", ""},
		{"INT", "1e3", ""},
		{"INT", "0x1F", ""},
		{"BIGINT", "1234567890123456789012345678901234567890", ""},
		{"DATE", "2024-02-29", "2024-02-29"},
		{"DATE", "2023-02-29", ""},
		{"DATE", "0000-01-01", ""},
		{"DATE", "2024-2-9", ""},
		{"TIMESTAMP", "2015-01-01T00:00:00Z", "2015-01-01 00:00:00"},
		{"TIMESTAMP", "2015-01-01 00:00:00.120+13:00", "2014-12-31 11:00:00.12"},
		{"TIMESTAMP", "2015-01-01T00:00:00", ""},
		{"TIMESTAMP", "2015-01-01T24:00:00Z", ""},
		{"TIMESTAMP", "2015-01-01T00:00:00.1234567Z", ""},
		{"TIMESTAMP", "0001-01-01T00:00:00+01:00", ""},
		{"TIMESTAMP_NTZ", "2015-01-01T00:00:00", "2015-01-01 00:00:00"},
		{"TIMESTAMP_NTZ", "2015-01-01T00:00:00Z", ""},
		{"BOOLEAN", "true", "true"},
		{"BOOLEAN", "TRUE", ""},
		{"STRING", " any ", " any "},
	} {
		kind, err := sparksql.ParseType(test.kind)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := canonical(kind, test.text); got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s %q gives %q, %v; want %q", test.kind, test.text, got, err, test.want)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, good := range []string{
		`^ORD-[0-9]{6,12}$`, `(?<name>x)\k<name>`, `[a-z&&[^b]]`, `x++`, `(?=a)b`, `\Q([\E`, `\(`, `[)(]`, `[^]a]x`, `\p{javaLowerCase}`,
	} {
		if err := checkPattern(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", `([A-Z`, `(a`, `a)`, `[a`, `a\`, `(?=a`} {
		if checkPattern(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, good := range []string{
		"yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "dd/MM/yyyy H:mm", "yyyyMMddHHmmss", "d.M.yyyy", "yyyy-MM-dd 'o''clock' HH", "yyyy-MM-ddX",
	} {
		if err := checkFormat(good, true, ZoneAllowed); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "x", "yyyy", "uuuu-MM-dd", "yyyy-MMM-dd", "yyyy-MM-dd hh:mm", "yyyy-MM-dd'", "yyyy-MM-dd SSS", "yyyyMd", "yyyy-MM-dd#", "yyyy-MM-dd HH:mm:ss.SSSSSSSSSS",
		"yyyy-MM-dd HH:mm:ssZ", "yyyy-MM-dd yyyy",
	} {
		if checkFormat(bad, true, ZoneAllowed) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"P90D": 90 * day, "P1Y": 365 * day, "PT12H": 12 * time.Hour, "P1Y2M3W4DT5H6M7S": 365*day + 60*day + 21*day + 4*day + 5*time.Hour + 6*time.Minute + 7*time.Second,
		"": 0, "P": 0, "PT": 0, "90D": 0, "P0D": 0, "P-1D": 0, "P9999Y": 0, "PT1.5H": 0,
	} {
		if got, err := parseDuration(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q gives %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestVersionsCompare(t *testing.T) {
	low, high := Version{1, 9, 0}, Version{1, 10, 0}
	if low.Compare(high) != -1 || high.Compare(low) != 1 || low.Compare(low) != 0 {
		t.Errorf("%s and %s are in the wrong order", low, high)
	}
}

func TestRecursivePatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		`^(a|b)+$`: "(a|b)+", `^(a|b)++$`: "", `^(a|b){0,99}$`: "", `^[ab]+$`: "", `^([0-9]{3}-?)*$`: "([0-9]{3}-?)*", `^(ab)+$`: "", `x(?:a|b){2,}?y`: "(?:a|b){2,}?",
		`[(a|b)+]`: "", `\(a|b\)+`: "", `\Q(a|b)+\E`: "", `^ORD-[0-9]{6,12}$`: "", `((a|b)c)+`: "((a|b)c)+",
		`[](|)+]`: "", // a ] at the start of a class is a member of it, in Java and in Go
	} {
		if got := recursive(pattern); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
