package plan

import "testing"

func TestSegment(t *testing.T) {
	text := func(s string) *string { return &s }
	for want, c := range map[string]struct {
		by     []string
		values []*string
	}{
		"origin=LGA":               {[]string{"origin"}, []*string{text("LGA")}},
		"origin=LGA,carrier=UA":    {[]string{"origin", "carrier"}, []*string{text("LGA"), text("UA")}},
		"origin=NULL":              {[]string{"origin"}, []*string{nil}},
		"origin=%4EULL":            {[]string{"origin"}, []*string{text("NULL")}},
		"origin=null":              {[]string{"origin"}, []*string{text("null")}},
		"origin=":                  {[]string{"origin"}, []*string{text("")}},
		"origin=a%2Ccarrier%3DUA":  {[]string{"origin"}, []*string{text("a,carrier=UA")}},
		"origin=5%25":              {[]string{"origin"}, []*string{text("5%")}},
		"origin=a%0Ab%00":          {[]string{"origin"}, []*string{text("a\nb\x00")}},
		"origin=%FF\u00e9\ufffd":   {[]string{"origin"}, []*string{text("\xff\u00e9\ufffd")}},
		"a%3Db=x":                  {[]string{"a=b"}, []*string{text("x")}},
		"origin=%E2%80%AE,b=New Y": {[]string{"origin", "b"}, []*string{text("\u202e"), text("New Y")}},
	} {
		if got := Segment(c.by, c.values); got != want {
			t.Errorf("Segment(%q) = %q, want %q", c.by, got, want)
		}
	}
}

func TestHasNull(t *testing.T) {
	for segment, want := range map[string]bool{
		"a=NULL": true, "a=NULL,b=x": true, "a=x,b=NULL": true, "a=x": false, "a=%4EULL": false, "a=NULLS": false, "NULL=x": false,
	} {
		if got := HasNull(segment); got != want {
			t.Errorf("HasNull(%q) = %v", segment, got)
		}
	}
}

// The bits are Spark's: the first grouping column is the highest one.
func TestGroupingID(t *testing.T) {
	groupings := [][]string{{"origin"}, {"carrier", "origin"}, {"dest"}}
	columns := GroupingColumns(groupings)
	for i, want := range []int64{0b011, 0b001, 0b110} {
		if got := GroupingID(columns, groupings[i]); got != want {
			t.Errorf("GroupingID(%v, %v) = %03b, want %03b", columns, groupings[i], got, want)
		}
	}
}
