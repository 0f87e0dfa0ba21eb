package cli

import (
	"slices"
	"strings"

	"sluice/gen/plan"

	ucli "github.com/urfave/cli/v2"
)

func partitionFlag(usage string) ucli.Flag {
	return &ucli.StringFlag{Name: "partition", Usage: usage}
}

// parsePartition reads upload_date=2026-09-30,store=7.
func parsePartition(text string) (map[string]string, error) {
	out := map[string]string{}
	if text == "" {
		return out, nil
	}
	for _, part := range strings.Split(text, ",") {
		column, value, whole := strings.Cut(part, "=")
		if _, twice := out[column]; !whole || twice || column == "" {
			return nil, usagef("--partition %q: write COLUMN=VALUE, each column once, with a comma between them", text)
		}
		out[column] = value
	}
	return out, nil
}

// partition is that of the command line, held to the plan, so that a wrong one
// costs no connection.
func partition(c *ucli.Context, p *plan.Plan) (map[string]string, error) {
	out, err := parsePartition(c.String("partition"))
	if err != nil {
		return nil, err
	}
	if _, _, err := p.BindPartition(out); err != nil {
		return nil, usagef("%w", err)
	}
	return out, nil
}

// allowed are the checks of the partition that may fail.
func allowed(c *ucli.Context, p *plan.Plan) ([]string, error) {
	known := []string{plan.NothingAccepted, plan.PartitionShrinks, plan.OlderDelivery}
	codes := c.StringSlice("allow")
	for _, code := range codes {
		if !slices.Contains(known, code) {
			return nil, usagef("--allow %q: it is one of %s", code, strings.Join(known, ", "))
		}
		if len(p.Partition) == 0 {
			return nil, usagef("--allow %s: table %s merges its batches and has no such check", code, p.Table)
		}
	}
	return codes, nil
}

// rerun is the command that runs another batch of the table.
func (j job) rerun(batch, partition string) string {
	command := "sluice run " + shellWord(j.contract.File) + " --batch " + batch
	if partition != "" {
		command += " --partition " + shellWord(partition)
	}
	if len(j.contract.Published()) > 1 {
		command += " --table " + shellWord(j.table.Name)
	}
	return command
}
