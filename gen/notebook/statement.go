package notebook

import (
	"fmt"
	"slices"
	"strings"

	"sluice/gen/docs"
	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// statements are a cell a step.
func (b *book) statements() {
	b.markdown("statements-about", "## Statements\n\nOne cell a step, in the order of a run. These cells only define.")
	for i := range b.plan.Steps {
		s := &b.plan.Steps[i]
		if s.Name == "guard_columns" {
			continue // analysed, not run: it stands with the contract
		}
		b.markdown("step-"+s.Name+"-about", about(s, i+1, len(b.plan.Steps)))
		b.code("step-"+s.Name, b.step(s))
	}
}

func about(s *plan.Step, number, of int) string {
	out := fmt.Sprintf("### [%d/%d] %s\n\n%s", number, of, docs.Code(s.Name), docs.Text(sentence(s.Why)))
	if s.SkipIfZero != "" {
		out += fmt.Sprintf(" Only if %s > 0.", docs.Code(s.SkipIfZero))
	}
	if len(s.Checks) > 0 {
		out += "\n"
	}
	for _, c := range s.Checks {
		out += "\n- " + docs.Text(c.Text())
	}
	return out
}

// sentence begins with a capital, unless with a name, and ends with a stop.
func sentence(text string) string {
	if first, _, _ := strings.Cut(text, " "); !strings.ContainsAny(first, "._") {
		text = capital(text)
	}
	if !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

func capital(text string) string {
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// step is the function that sends the statements of a step.
func (b *book) step(s *plan.Step) string {
	var out strings.Builder
	out.WriteString("@step(" + quote(s.Name))
	if s.SkipIfZero != "" {
		out.WriteString(", skip_if_zero=" + quote(s.SkipIfZero))
	}
	if len(s.Checks) > 0 {
		out.WriteString(", checks=" + python(checks(s.Checks), 0))
	}
	fmt.Fprintf(&out, ")\ndef sql_%s(run):\n", function(s.Name))
	indent := "    "
	if len(s.Settings) > 0 {
		var around dict
		for _, setting := range s.Settings {
			around = append(around, pair{setting.Key, call("run.text(" + quote(setting.Value) + ")")})
		}
		fmt.Fprintf(&out, "    with settings(%s):\n", python(around, 1))
		indent += indent
	}
	for _, st := range s.Statements {
		out.WriteString(indent + b.send(st) + "\n")
	}
	if len(s.Statements) == 0 {
		out.WriteString(indent + "pass  # its checks judge numbers that are known by now\n")
	}
	return out.String()
}

// function is a name of Python: a rule may be called by any text.
func function(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}

// send is the call of spark.sql for a statement, by run.sql where its markers can be args. Its rows are kept by name.
func (b *book) send(st plan.Statement) string {
	text := sqlText(st.SQL)
	names := markers(st.SQL)
	switch {
	case len(names) == 0:
		text = "spark.sql(" + text + ")"
	case b.takesArgs(st.SQL, names):
		text = "run.sql(" + text + ", " + strings.Join(quoteAll(names), ", ") + ")"
	default:
		text = "spark.sql(run.bound(" + text + "))"
	}
	if st.Use == plan.Query {
		return "run.keep(" + quote(st.Name) + ", " + text + ")"
	}
	return text
}

// markers are the names of the markers of a statement, each once.
func markers(sql string) []string {
	var out []string
	seen := map[string]bool{}
	for _, tok := range sparksql.Tokens(sql) {
		if tok.Kind == sparksql.Marker && !seen[tok.Text] {
			seen[tok.Text] = true
			out = append(out, tok.Text[1:])
		}
	}
	return out
}

// takesArgs reports whether the args of spark.sql can fill every marker: Spark
// takes them where an expression may stand, so not in CALL, in DDL, in the
// PARTITION of an INSERT, as a version of a table or in a typed literal (3.5), and as
// single values.
func (b *book) takesArgs(sql string, names []string) bool {
	for _, p := range b.plan.Params {
		if (p.Type == plan.ColumnsParam || p.Type == plan.NameParam || p.Type == plan.TextsParam) && slices.Contains(names, p.Name) {
			return false
		}
	}
	before, first, spec := "", true, false
	for _, tok := range sparksql.Tokens(sql) {
		if tok.Kind == sparksql.Space || tok.Kind == sparksql.Comment {
			continue
		}
		word := strings.ToUpper(tok.Text)
		if first && word != "SELECT" && word != "WITH" && word != "INSERT" && word != "MERGE" && word != "DELETE" {
			return false
		}
		first, spec = false, before == "PARTITION" && word == "(" || spec && word != ")"
		if tok.Kind == sparksql.Marker && (literalBehind[before] || spec) {
			return false
		}
		before = word
	}
	return true
}

// literalBehind are the words behind which only a literal may stand.
var literalBehind = map[string]bool{"OF": true, "DATE": true, "TIMESTAMP": true, "TIMESTAMP_NTZ": true, "INTERVAL": true, "=>": true}
