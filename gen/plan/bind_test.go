package plan

import (
	"strings"
	"testing"
)

func TestBind(t *testing.T) {
	p := &Plan{Params: []Param{
		{Name: "batch_id", Type: TextParam},
		{Name: "n", Type: IntegerParam},
		{Name: "ok", Type: BooleanParam},
		{Name: "map", Type: JSONParam},
		{Name: "columns", Type: ColumnsParam},
		{Name: "texts", Type: TextsParam},
		{Name: "none", Type: TextsParam},
	}}
	values := Values{"batch_id": "it's", "n": int64(7), "ok": true, "map": map[string]int64{"a'b": 1}, "columns": []Column{{Name: "x`y", Type: "STRING"}}, "texts": []string{"it's", "b"}, "none": []string{}}
	for in, want := range map[string]string{
		"a = :batch_id":                    `a = 'it\'s'`,
		"':batch_id' `:n` -- :n":           "':batch_id' `:n` -- :n",
		":n, :ok":                          "7, true",
		"from_json(:map, 'm')":             `from_json('{"a\'b":1}', 'm')`,
		"ADD COLUMNS (:columns)":           "ADD COLUMNS (`x``y` STRING)",
		"a IN (:texts)":                    `a IN ('it\'s', 'b')`,
		"a IN (:none)":                     "a IN ('')",
		"x = :undeclared AND y = :batch_i": "x = :undeclared AND y = :batch_i",
	} {
		got, left, err := p.Bind(in, values)
		if err != nil || got != want {
			t.Errorf("Bind(%q) = %q, %v, %v; want %q", in, got, left, err, want)
		}
	}
	if _, left, _ := p.Bind(":batch_id :other", Values{}); strings.Join(left, " ") != "batch_id other" {
		t.Errorf("left %v", left)
	}
	for name, wrong := range map[string]any{"batch_id": int64(1), "n": "1; DROP", "ok": "true", "columns": "x", "texts": "x"} {
		if _, _, err := p.Bind(":"+name, Values{name: wrong}); err == nil {
			t.Errorf("a %T fits :%s", wrong, name)
		}
	}
}

func TestCheckBatchID(t *testing.T) {
	for _, id := range []string{"2026-03-01", "b1", "a.b_c:d+e-f", strings.Repeat("x", 128)} {
		if err := CheckBatchID(id); err != nil {
			t.Error(err)
		}
	}
	for _, id := range []string{"", " ", "a b", "a'b", "a\nb", "ä", "a/b", strings.Repeat("x", 129)} {
		if CheckBatchID(id) == nil {
			t.Errorf("batch id %q was accepted", id)
		}
	}
}
