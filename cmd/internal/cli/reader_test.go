package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/runner"
)

func TestReader(t *testing.T) {
	for _, one := range []struct {
		flags, out, says string
		code             int
	}{
		{flags: "--major 2", out: "silver.orders is at contract 2.1.0, within 2.x\n"},
		{flags: "--consumer churn-model", out: "silver.orders is at contract 2.1.0, within 2.x\n"},
		{flags: "--major 3", code: 1, out: "expects silver.orders contract 3.x, found 2.1.0\n", says: "must not read"},
		{flags: "--major 3 --consumer churn-model", code: 1, out: "expects silver.orders contract 3.x, found 2.1.0\n"},
		{flags: "--major -1", code: 2, says: "no major version"},
		{flags: "--consumer nobody", code: 2, says: "it has finance-reporting, churn-model"},
		{flags: "--columns order_id", code: 2, says: "--columns is for --emit"},
		{flags: "--emit perl", code: 2, says: "sql or python"},
		{flags: "--emit sql --json", code: 2, says: "leave --json"},
		{flags: "--emit sql --columns order_id,nope", code: 2, says: `has no column "nope"`},
	} {
		b := newBench()
		b.session.Answer = func(string) ([]runner.Row, error) {
			return []runner.Row{{"key": "contract.version", "value": "2.1.0"}}, nil
		}
		code := b.main(append([]string{"reader", orders}, strings.Fields(one.flags)...)...)
		if code != one.code || b.out.String() != one.out || !strings.Contains(b.err.String(), one.says) {
			t.Errorf("%s: exit code %d, %s%s", one.flags, code, &b.out, &b.err)
		}
	}
}

func TestReaderJSON(t *testing.T) {
	b := newBench()
	code := b.main("reader", orders, "--major", "2", "--json", "-q")
	var got map[string]any
	if err := json.Unmarshal(b.out.Bytes(), &got); err != nil || code != 1 || got["found"] != "" || got["ok"] != false || got["expects"] != "2.x" {
		t.Errorf("exit code %d: %v %s%s", code, err, &b.out, &b.err)
	}
}
