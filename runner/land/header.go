package land

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// maxColumns is far above any real feed; a file beyond it is data read with
// the wrong line ends or the wrong delimiter.
const maxColumns = 10_000

// forbidden are the characters that Delta refuses in a column name of a table
// without column mapping. Bronze is such a table, so that any client reads it.
const forbidden = " ,;{}()\n\t="

var errNoHeader = errors.New("it has no header; the first line must name the columns")

// header reads the first record and keeps its width. All that is wrong with
// the names is said at once.
func (r *reader) header(reserved []string) ([]string, error) {
	err := r.next()
	if errors.Is(err, io.EOF) {
		return nil, errNoHeader
	}
	if err != nil {
		return nil, err
	}
	if r.broken {
		return nil, fmt.Errorf("line %d: the quoting of the header is broken: %q", r.line, clip(string(r.src.rest()[:r.size])))
	}
	if len(r.fields) > maxColumns {
		return nil, fmt.Errorf("line %d: the header has %d columns, more than %d; is %q the delimiter?", r.line, len(r.fields), maxColumns, r.delim)
	}
	names := slices.Clone(r.record().Fields)
	for i := range names {
		names[i] = strings.TrimFunc(names[i], invisible)
	}
	if problems := nameProblems(names, reserved, string(r.delim)); len(problems) > 0 {
		return nil, fmt.Errorf("line %d: %s", r.line, strings.Join(problems, "; "))
	}
	r.width = len(names)
	return names, nil
}

// invisible characters at the edge of a name make a second column that looks
// like the first.
func invisible(c rune) bool {
	return unicode.IsSpace(c) || unicode.IsControl(c) || unicode.Is(unicode.Cf, c)
}

func nameProblems(names, reserved []string, delim string) []string {
	var problems []string
	add := func(format string, args ...any) {
		const most = 5 // a data row read as the header has one problem a column
		if len(problems) < most {
			problems = append(problems, fmt.Sprintf(format, args...))
		} else if len(problems) == most {
			problems = append(problems, "and more")
		}
	}
	taken := map[string]bool{}
	for _, name := range reserved {
		taken[fold(name)] = true
	}
	first := map[string]int{}
	for i, name := range names {
		key := fold(name)
		before, twice := first[key]
		at := strings.IndexFunc(name, func(c rune) bool { return strings.ContainsRune(forbidden, c) || unicode.IsControl(c) })
		switch {
		case name == "":
			add("column %d has no name; name every column, or remove the delimiter at the end of the header", i+1)
		case twice:
			add("columns %d and %d are both named %q (upper and lower case are the same); rename one", before+1, i+1, clip(name))
		case taken[key]:
			add("column %d, %q, has a name that landing itself writes; rename it", i+1, clip(name))
		case at >= 0:
			add("column %d, %q: a Delta column name cannot hold %s; %s", i+1, clip(name), shown([]rune(name[at:])[0]), advice(name, delim))
		}
		if !twice {
			first[key] = i
		}
	}
	return problems
}

func shown(c rune) string {
	if c == ' ' {
		return "a space"
	}
	return fmt.Sprintf("%q", c)
}

// advice guesses what went wrong with a name; all of these are common.
func advice(name, delim string) string {
	switch {
	case strings.Contains(name, "\r"):
		return "a line must end with LF or CRLF, so convert the file if CR alone ends its lines"
	case delim != ";" && strings.Contains(name, ";"):
		return "give --delimiter ';' if that separates the columns, else rename it"
	case delim != "\t" && strings.Contains(name, "\t"):
		return "give --delimiter '\\t' if a tab separates the columns, else rename it"
	default:
		return "rename it in the file, for example with _"
	}
}

// Columns is the union of the headers by name, ignoring case, each spelled and
// placed as it first appears.
func Columns(files []File) ([]string, error) {
	var columns []string
	seen := map[string]bool{}
	for _, f := range files {
		for _, name := range f.Header {
			if key := fold(name); !seen[key] {
				seen[key] = true
				columns = append(columns, name)
			}
		}
	}
	if len(columns) > maxColumns {
		return nil, fmt.Errorf("joining %d files: together they have %d columns, more than %d; land files of different tables apart", len(files), len(columns), maxColumns)
	}
	return columns, nil
}

// fold makes names equal that Spark's equalsIgnoreCase takes for equal, rune by
// rune and in no locale.
func fold(name string) string {
	return strings.Map(func(c rune) rune { return unicode.ToLower(unicode.ToUpper(c)) }, name)
}

func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
