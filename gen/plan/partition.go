package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The texts that a value of a partition column may have, by type. They are bound
// as literals and cast by the statements; what a cast would refuse or read in
// another way than the command line shows it is refused here.
var partitionTexts = map[string]*regexp.Regexp{
	"DATE":    regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`),
	"INT":     regexp.MustCompile(`^-?(0|[1-9]\d{0,9})$`),
	"BIGINT":  regexp.MustCompile(`^-?(0|[1-9]\d{0,18})$`),
	"STRING":  regexp.MustCompile(`^[^\pC]+$`),
	"BOOLEAN": regexp.MustCompile(`^(true|false)$`),
}

// longestPartition is in characters. As a repetition in the pattern it would take
// ten megabytes and most of the time in which a command starts.
const longestPartition = 256

// Nameable reports whether a text names a value of a type exactly.
func Nameable(typ string) bool { return partitionTexts[typ] != nil }

// BindPartition gives the markers of the replaced partition their values, and
// the text that reports and the audit log hold: upload_date=2026-09-30. given are
// texts by column name. A plan that replaces no partition takes none.
func (p *Plan) BindPartition(given map[string]string) (values Values, text string, err error) {
	values = Values{}
	var parts []string
	for _, c := range p.Partition {
		value, found := given[c.Name]
		if !found {
			return nil, "", fmt.Errorf("reading the partition: table %s replaces one partition a run; add --partition %s", p.Table, p.partitionForm())
		}
		if err := checkPartition(c, value); err != nil {
			return nil, "", err
		}
		values[c.Param] = value
		parts = append(parts, c.Name+"="+value)
	}
	for name := range given {
		if !slices.ContainsFunc(p.Partition, func(c PartitionColumn) bool { return c.Name == name }) {
			return nil, "", fmt.Errorf("reading the partition: %q is no partition column that a run of table %s replaces; %s", name, p.Table, p.partitionAdvice())
		}
	}
	return values, strings.Join(parts, ","), nil
}

func (p *Plan) partitionForm() string {
	var out []string
	for _, c := range p.Partition {
		out = append(out, c.Name+"=VALUE")
	}
	return strings.Join(out, ",")
}

func (p *Plan) partitionAdvice() string {
	if len(p.Partition) == 0 {
		return "it merges its batches, so leave --partition out"
	}
	return "write --partition " + p.partitionForm()
}

func checkPartition(c PartitionColumn, value string) error {
	text, known := partitionTexts[c.Type]
	if !known {
		return fmt.Errorf("reading the partition: column %q is %s; partitions of type DATE, STRING, INT, BIGINT and BOOLEAN can be replaced", c.Name, c.Type)
	}
	if !text.MatchString(value) || utf8.RuneCountInString(value) > longestPartition {
		return fmt.Errorf("reading the partition: %s=%q is no %s", c.Name, value, c.Type)
	}
	if c.Type == "DATE" {
		if !onCalendar(value) {
			return fmt.Errorf("reading the partition: %s=%q is no day of the calendar", c.Name, value)
		}
	}
	return nil
}

// onCalendar reports whether yyyy-MM-dd is a day. (No clock belongs here, nor its package.)
func onCalendar(text string) bool {
	year, _ := strconv.Atoi(text[:4])
	month, _ := strconv.Atoi(text[5:7])
	day, _ := strconv.Atoi(text[8:])
	if month < 1 || month > 12 || day < 1 || year < 1 {
		return false
	}
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		days = 29
	}
	return day <= days
}
