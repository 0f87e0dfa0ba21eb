package render

import (
	"fmt"
	"io"
	"strings"

	"sluice/gen/plan"
	"sluice/gen/sparksql"
)

// Script writes a plan as SQL that can be read from top to bottom and pasted:
// numbered steps in run order, each with why it is there and when it is
// skipped, session settings first, a semicolon after every statement.
//
// A plan of one batch becomes a script for a table in a known state: steps of
// other occasions stand in it as comments. Without one, occasion is "" and
// nothing is left out.
func Script(w io.Writer, p *plan.Plan, source string, occasion plan.Occasion) {
	fmt.Fprintf(w, "-- %s %s: one run of one batch into %s, mode %s\n", line(p.Contract), line(p.Version), line(p.Table), p.Mode)
	fmt.Fprintf(w, "-- From %s by sluice plan.\n", line(source))
	fmt.Fprintln(w, "-- sluice run sends these statements in this order. What a step finds decides whether the run")
	fmt.Fprintln(w, "-- goes on, so read the results of one before you paste the next. An error ends the run with")
	fmt.Fprintln(w, "-- exit 3 and nothing published, where a step does not say otherwise.")
	sent := scriptOf(p, occasion)
	if occasion != "" {
		written(w, occasion)
	}
	markers(w, sent)
	fmt.Fprintln(w)
	if p.Catalog != "" {
		fmt.Fprintf(w, "-- Names of two parts in rules of the contract are of this catalog.\nSET CATALOG %s;\n", sparksql.Ident(p.Catalog))
	}
	for _, s := range plan.SessionSettings(true) {
		fmt.Fprintln(w, set(s))
	}
	for i := range p.Steps {
		heading(w, &p.Steps[i], i+1, len(p.Steps))
		if sent.Step(p.Steps[i].Name) == nil {
			leftOut(w, &p.Steps[i])
			continue
		}
		step(w, &p.Steps[i])
	}
}

// written says for what the script was written, and what nobody judges in it.
func written(w io.Writer, occasion plan.Occasion) {
	if occasion == plan.FirstRun {
		fmt.Fprintln(w, "--\n-- Written for a table that is not there yet; for one that is, print it with --existing.")
	} else {
		fmt.Fprintln(w, "--\n-- Written for a table that is there.")
	}
	fmt.Fprintln(w, "-- Steps of other cases stand as comments. From top to bottom it publishes the batch whatever the")
	fmt.Fprintln(w, "-- checks below would say: sluice run judges them, a SQL shell does not. The run id is of this")
	fmt.Fprintln(w, "-- script alone: print another one for another attempt.")
}

// scriptOf is the plan without the steps that stand as comments.
func scriptOf(p *plan.Plan, occasion plan.Occasion) *plan.Plan {
	if occasion == "" {
		return p
	}
	out := *p
	out.Steps = nil
	for _, s := range p.Steps {
		if s.Sent(occasion) {
			out.Steps = append(out.Steps, s)
		}
	}
	return &out
}

// leftOut writes a step as a comment, without semicolons: simple clients part
// statements at those, wherever they stand.
func leftOut(w io.Writer, s *plan.Step) {
	var text strings.Builder
	step(&text, s)
	fmt.Fprintln(w, "-- left out of this script:")
	for _, one := range strings.Split(strings.TrimSpace(text.String()), "\n") {
		fmt.Fprintln(w, strings.TrimRight("--   "+strings.TrimRight(one, ";"), " "))
	}
}

// markers says what fills the markers that are left in the statements. Those
// that are filled alike share a line.
func markers(w io.Writer, p *plan.Plan) {
	left := unfilled(p)
	var order []string
	names := map[string][]string{}
	for _, param := range p.Params {
		if !left[param.Name] {
			continue
		}
		if names[param.Why] == nil {
			order = append(order, param.Why)
		}
		names[param.Why] = append(names[param.Why], ":"+param.Name)
	}
	if len(order) > 0 {
		fmt.Fprintln(w, "--\n-- Markers that a run fills:")
	}
	for _, why := range order {
		fmt.Fprintf(w, "--   %s: %s\n", strings.Join(names[why], ", "), line(why))
	}
}

// unfilled are the markers in statements and settings.
func unfilled(p *plan.Plan) map[string]bool {
	left := map[string]bool{}
	for _, s := range p.Steps {
		for _, st := range s.Statements {
			for _, tok := range sparksql.Tokens(st.SQL) {
				if tok.Kind == sparksql.Marker {
					left[tok.Text[1:]] = true
				}
			}
		}
		for _, setting := range s.Settings {
			for _, param := range p.Params {
				left[param.Name] = left[param.Name] || strings.Contains(setting.Value, ":"+param.Name)
			}
		}
	}
	return left
}

func heading(w io.Writer, s *plan.Step, number, of int) {
	fmt.Fprintf(w, "\n-- %s\n-- [%d/%d] %s: %s\n", strings.Repeat("-", 77), number, of, line(s.Name), line(s.Why))
	fmt.Fprintf(w, "-- kind %s", s.Kind)
	if s.SkipIfZero != "" {
		fmt.Fprintf(w, "; only if %s > 0", line(s.SkipIfZero))
	}
	fmt.Fprintln(w, failure(s.OnFailure))
}

func step(w io.Writer, s *plan.Step) {
	StepRules(w, s)
	for _, setting := range s.Settings {
		fmt.Fprintln(w, set(setting))
	}
	for _, st := range s.Statements {
		fmt.Fprintf(w, "\n-- %s%s\n", line(st.Name), map[plan.Use]string{plan.Describe: " (a run only analyses this, for the columns)"}[st.Use])
		fmt.Fprintln(w, terminated(st.SQL))
	}
	if len(s.Settings) > 0 {
		fmt.Fprintln(w, "\n-- Paste this as well when a statement of this step has failed: later ones must not run under its settings.")
	}
	for _, setting := range s.Settings {
		fmt.Fprintf(w, "RESET %s;\n", settingKey(setting.Key))
	}
}

// StepRules writes what a step judges, a comment line each.
func StepRules(w io.Writer, s *plan.Step) {
	for _, c := range s.Checks {
		fmt.Fprintln(w, "-- check "+line(c.Text()))
	}
}

func failure(f plan.Failure) string {
	switch f {
	case plan.FailPublish:
		return "; an error: exit 3 if the history shows no commit of this run, else 5"
	case plan.FailRecorded:
		return "; an error: exit 5, published but not recorded"
	default:
		return ""
	}
}

// Statements writes statements bare: one as it is, several with semicolons.
func Statements(w io.Writer, statements []plan.Statement) {
	if len(statements) == 1 {
		fmt.Fprintln(w, strings.TrimRight(statements[0].SQL, "\n"))
		return
	}
	for i, st := range statements {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "-- %s\n%s\n", line(st.Name), terminated(st.SQL))
	}
}

// Explained writes how the cluster would run a statement, as a comment of SQL.
func Explained(w io.Writer, st plan.Statement, text string, err error) {
	fmt.Fprintf(w, "-- %s\n", line(st.Name))
	if err != nil {
		text = "not planned: " + err.Error()
	}
	for _, one := range strings.Split(strings.TrimSpace(text), "\n") {
		fmt.Fprintf(w, "--   %s\n", line(one))
	}
	fmt.Fprintln(w)
}

// terminated ends a statement. A semicolon behind a comment would be part of it.
func terminated(sql string) string {
	sql = strings.TrimRight(sql, " \n\t")
	tokens := sparksql.Tokens(sql)
	if n := len(tokens); n > 0 && tokens[n-1].Kind == sparksql.Comment && strings.HasPrefix(tokens[n-1].Text, "--") {
		return sql + "\n;"
	}
	return sql + ";"
}

// set writes a setting. Spark takes a plain value as it stands, up to the
// semicolon; a value that could end the line or begin a comment is quoted.
func set(s plan.Setting) string {
	value := s.Value
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._:+-= /@", r)
	}
	if strings.Contains(value, "--") || strings.Contains(value, "/*") || strings.ContainsFunc(value, func(r rune) bool { return !plain(r) }) {
		value = sparksql.Ident(line(value))
	}
	return "SET " + settingKey(s.Key) + "=" + value + ";"
}

// settingKey quotes a key that is not made of words and dots; Spark takes no dash
// without quotes (INVALID_SET_SYNTAX, 4.1).
func settingKey(key string) string {
	for _, r := range key {
		plain := r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '.' || r == '_'
		if !plain {
			return sparksql.Ident(line(key))
		}
	}
	return key
}
