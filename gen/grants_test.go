package gen_test

import (
	"slices"
	"strings"
	"testing"

	"sluice/contracts"
	"sluice/gen"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// Every table that a statement of the plan names is granted to the identity that
// runs it, and every one that it writes to, or makes, with the privilege for that.
func TestGrantsCoverThePlan(t *testing.T) {
	for _, path := range []string{"../contracts/retail/pos_line.odcs.yaml", "../contracts/sales/orders.odcs.yaml", "../contracts/aviation/flights.odcs.yaml", "testdata/elsewhere.odcs.yaml"} {
		c, err := contracts.Load(path, contracts.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table := c.Published()[0]
		p, err := gen.Build(c, table)
		if err != nil {
			t.Fatal(err)
		}
		grants, err := gen.Grants(c, table)
		if err != nil {
			t.Fatal(err)
		}
		may := func(object, name, privilege string) bool {
			return slices.ContainsFunc(grants, func(g plan.Grant) bool {
				return g.Identity == plan.Runner && g.Object == object && g.Name == name && slices.Contains(g.Privileges, privilege)
			})
		}
		for _, g := range grants {
			if err := sparksql.Closed(g.SQL); err != nil || strings.Count(g.SQL, "GRANT") != 1 {
				t.Errorf("%s: %s: %v", path, g.SQL, err)
			}
		}
		for _, step := range p.Steps {
			for _, s := range step.Statements {
				for _, one := range p.Tables {
					for _, need := range needs(s, one.SQL) {
						object, name := "TABLE", one.Name
						if need == "CREATE TABLE" {
							object, name = "SCHEMA", name[:strings.LastIndex(name, ".")]
						}
						if !may(object, name, need) {
							t.Errorf("%s: statement %s needs %s on %s", path, s.Name, need, name)
						}
					}
				}
			}
		}
	}
}

// needs are the privileges that a statement asks on a table.
func needs(s plan.Statement, table string) []string {
	sql := s.SQL
	for {
		rest, found := strings.CutPrefix(sql, "--")
		if !found {
			break
		}
		_, sql, _ = strings.Cut(rest, "\n")
	}
	if !strings.Contains(sql, table) {
		return nil
	}
	out := []string{"SELECT"}
	first := strings.Index(sql, "`")
	switch verb := sql[:max(first, 0)]; {
	case !strings.HasPrefix(sql[max(first, 0):], table) || s.Use != plan.Exec:
	case strings.HasPrefix(verb, "CREATE TABLE"):
		return []string{"CREATE TABLE"}
	case strings.HasPrefix(verb, "REFRESH"):
	default: // INSERT INTO, INSERT OVERWRITE, MERGE INTO, DELETE FROM, ALTER TABLE
		out = append(out, "MODIFY")
	}
	return out
}

// Readers get the published table and nothing else of ours, and a catalog that a
// name leaves to the session is not granted.
func TestGrantsOfReaders(t *testing.T) {
	c, err := contracts.Load("testdata/elsewhere.odcs.yaml", contracts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	grants, err := gen.Grants(c, c.Published()[0])
	if err != nil {
		t.Fatal(err)
	}
	var got, catalogs []string
	for _, g := range grants {
		if g.Identity == plan.Reader {
			got = append(got, g.SQL)
		}
		if g.Identity == plan.Runner && g.Object == "CATALOG" {
			catalogs = append(catalogs, g.Privileges[0]+" "+g.Name)
		}
	}
	want := []string{
		"GRANT USE CATALOG ON CATALOG `lake` TO `sluice_read`", "GRANT USE SCHEMA ON SCHEMA `lake`.`gold` TO `sluice_read`",
		"GRANT SELECT ON TABLE `lake`.`gold`.`stock` TO `sluice_read`",
	}
	if !slices.Equal(got, want) {
		t.Errorf("readers get %q, want %q", got, want)
	}
	if want := []string{"USE CATALOG lake", "USE CATALOG work", "CREATE SCHEMA lake", "CREATE SCHEMA work"}; !slices.Equal(catalogs, want) {
		t.Errorf("a run gets %q, want %q", catalogs, want)
	}
}
