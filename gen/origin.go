package gen

import (
	"sluice/contracts"
	"sluice/gen/plan"
)

// origins says where each code comes from that a row of t gets by itself.
func origins(t *contracts.Table, into map[string]plan.Origin) {
	into["malformed_row"] = plan.Origin{Rule: "number of fields"}
	into["header_row"] = plan.Origin{Rule: "header"}
	for _, c := range t.Columns {
		columnOrigins(c, c.Name, c.Sources, into)
	}
	for _, r := range t.RowRules {
		into[r.Code] = plan.Origin{Rule: r.ID}
	}
}

func columnOrigins(c *contracts.Column, path string, sources []string, into map[string]plan.Origin) {
	origin := func(rule string) plan.Origin { return plan.Origin{Column: path, Rule: rule, Sources: sources} }
	if c.Codes.Missing != "" {
		into[c.Codes.Missing] = origin("required")
	}
	if c.Codes.Unparseable != "" {
		into[c.Codes.Unparseable] = origin("type")
	}
	for _, r := range c.Rules {
		into[r.Code] = origin(string(r.Option))
	}
	for _, m := range c.Members {
		columnOrigins(m, path+"."+m.Name, sources, into)
	}
	if c.Item != nil {
		columnOrigins(c.Item, path, sources, into)
	}
}
