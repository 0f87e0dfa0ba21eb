package contracts_test

import (
	"strings"
	"testing"

	"sluice/contracts"

	"github.com/google/go-cmp/cmp"
)

func TestServiceLevelsKnowTheirElement(t *testing.T) {
	c, err := contracts.Load("testdata/good/lookups.yaml", contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	element := func(c *contracts.Contract) []string {
		var out []string
		for _, one := range c.SLA {
			table := "the contract"
			if one.Table != nil {
				table = one.Table.Target.String() + " " + one.Column
			}
			out = append(out, one.Property+" "+one.Value+" "+one.Unit+" of "+table)
		}
		return out
	}
	want := []string{
		"freshness 30 m of silver.spark ",
		"retention P7Y  of the contract",
		"latency 4 Hours of silver.dotted k",
		"latency 4 Hours of silver.spark address",
		"throughput many rows/s of the contract",
		"endOfLife 2099-03-31T12:00:00-08:00  of silver.spark amount",
	}
	if diff := cmp.Diff(want, element(c)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	moved := c.Rehome(func(string) string { return "scratch" })
	if got := element(moved)[2]; got != "latency 4 Hours of scratch.dotted k" {
		t.Errorf("a moved contract says %s", got)
	}
	if got := element(c)[2]; got != want[2] {
		t.Errorf("moving a copy changed the contract to %s", got)
	}
}

// Without an element of its own a level is about slaDefaultElement.
func TestDefaultElement(t *testing.T) {
	text := smallContract("a", "") + "slaDefaultElement: a.at\nslaProperties: [{property: freshness, value: 1, unit: h}]\n"
	c, err := contracts.Load("a.yaml", contracts.Options{ReadFile: memory(map[string]string{"a.yaml": text})})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.SLA) != 1 || c.SLA[0].Table != c.Tables[0] || c.SLA[0].Column != "at" {
		t.Errorf("got %+v", c.SLA)
	}
}

// The end of a member is not the end of the column that holds it.
func TestAMemberEndsAlone(t *testing.T) {
	text := strings.Replace(smallContract("a", ""), "    properties:\n", "    properties:\n      - {name: address, logicalType: object, properties: [{name: city, logicalType: string}]}\n", 1) +
		"slaProperties: [{property: endOfLife, value: 2026-01-31, element: a.address.city}]\n"
	c, err := contracts.Load("a.yaml", contracts.Options{ReadFile: memory(map[string]string{"a.yaml": text})})
	if err != nil {
		t.Fatal(err)
	}
	want := []contracts.Ending{{Column: "address.city", EndOfLife: "2026-01-31"}}
	if diff := cmp.Diff(want, c.Endings(c.Tables[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A column lives through the day of its end; without a day nothing is judged, so
// that what a contract is does not change by the calendar.
func TestPastEndOfLife(t *testing.T) {
	for today, want := range map[string][]string{"": nil, "2027-03-31": nil, "2027-04-01": {"past-end-of-life"}} {
		found, err := contracts.Lint([]string{"sales/orders.odcs.yaml"}, contracts.Options{Today: today})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range found.Of(contracts.Warning) {
			got = append(got, p.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(found.Strict()) != 0 {
			t.Errorf("on %q (-want +got):\n%s, strict %v", today, diff, found.Strict())
		}
	}
	if _, err := contracts.Load("sales/orders.odcs.yaml", contracts.Options{Today: "2099-01-01"}); err != nil {
		t.Errorf("an end of life keeps the contract from being used: %v", err)
	}
}
