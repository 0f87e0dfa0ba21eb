package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sluice/contracts/odcs"

	ucli "github.com/urfave/cli/v2"
)

// contractFolder is where a contract that is called by its name is looked for.
const contractFolder = "contracts"

// nameContracts puts paths in place of the names by which people call contracts:
// sluice run orders. A word that is a path stays one. Where the name is that of one
// of several tables of a contract, it chooses the table too.
func nameContracts(own *ucli.Command, flags, words []string) (front, paths []string, err error) {
	front, paths = flags, slices.Clone(words)
	single := strings.HasPrefix(own.ArgsUsage, "CONTRACT")
	for i := range min(len(words), contractWords(own)) {
		if isPath(words[i], single) {
			continue
		}
		path, table, err := called(own, words[i])
		if err != nil {
			return nil, nil, err
		}
		paths[i] = path
		if table != "" && single && flagNamed(own.Flags, "table") != nil && !slices.ContainsFunc(flags, isTableFlag) {
			front = append(front[:len(front):len(front)], "--table", table)
		}
	}
	return front, paths, nil
}

func isTableFlag(word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return strings.HasPrefix(word, "-") && name == "table"
}

// contractWords is how many of a command's arguments name contracts, from the first on.
func contractWords(own *ucli.Command) int {
	switch usage := own.ArgsUsage; {
	case strings.Contains(usage, "FILE…"):
		return 1
	case strings.Contains(usage, "CONTRACT"), strings.Contains(usage, "PATH"), strings.Contains(usage, "NEW"):
		return 1 << 16 // as many as there are
	}
	return 0
}

// isPath reports whether a word can only be meant as a path. A folder is none where
// one contract is asked for.
func isPath(word string, single bool) bool {
	if word == "" || strings.ContainsAny(word, `/\`) || strings.HasPrefix(word, ".") || hasSuffix(word, []string{".yaml", ".yml"}) {
		return true
	}
	info, err := os.Stat(word)
	return err == nil && !(single && info.IsDir())
}

// called finds the contract under contracts/ whose file, id or table has the name. A
// contract that cannot be read is known by its file alone.
func called(own *ucli.Command, name string) (path, table string, err error) {
	if _, err := os.Stat(contractFolder); err != nil {
		return name, "", nil // the command says that there is no such file
	}
	files, err := walk(contractFolder, contractSuffixes)
	if err != nil {
		return "", "", &usageError{err}
	}
	found := map[string]string{}
	var known []string
	for _, file := range files {
		names := namesIn(file)
		known = append(known, names.words...)
		if slices.Contains(names.words, name) {
			found[file] = names.table(name)
		}
	}
	switch len(found) {
	case 1:
		for path, table = range found {
		}
		return path, table, nil
	case 0:
		return "", "", notCalled(own, name, known)
	}
	var several []string
	for file := range found {
		several = append(several, file)
	}
	slices.Sort(several)
	return "", "", usagef("%q is several contracts; name one by its path: %s", name, strings.Join(several, ", "))
}

func notCalled(own *ucli.Command, name string, known []string) error {
	hint := ""
	if best := nearest(name, known); best != "" {
		hint = fmt.Sprintf("; did you mean %q?", best)
	}
	return usagef("sluice %s: %q is no file, and no contract under %s/ has a file, id or table of this name%s", own.Name, name, contractFolder, hint)
}

// contractNames are the words by which a contract is called.
type contractNames struct {
	words  []string          // stem of the file, id, tables
	tables map[string]string // a word of a table -> the table's name
}

// table is the table that a name chooses: none where the contract itself has the name.
func (n contractNames) table(name string) string {
	if name == n.words[0] || name == n.words[1] {
		return ""
	}
	return n.tables[name]
}

// namesIn reads the names without judging the contract: what is wrong with it is for
// the command to say.
func namesIn(file string) contractNames {
	out := contractNames{words: []string{filepath.Base(contractStem(file)), ""}, tables: map[string]string{}}
	data, err := os.ReadFile(file)
	if err != nil {
		return out
	}
	doc, _ := odcs.Parse(file, data)
	if doc == nil {
		return out
	}
	out.words[1] = doc.Root.Get("id").Text()
	for _, object := range meant(doc.Root.Get("schema").Items()) {
		for _, key := range []string{"name", "id", "physicalName"} {
			if text := object.Get(key).Text(); text != "" {
				out.words = append(out.words, text)
				out.tables[text] = object.Get("name").Text()
			}
		}
	}
	return out
}

// meant are the tables that a contract is about: those that it publishes, else all.
// The others of a publishing contract are tables that it refers to.
func meant(objects []*odcs.Node) []*odcs.Node {
	var published []*odcs.Node
	for _, object := range objects {
		if object.HadCustom("publish") {
			published = append(published, object)
		}
	}
	if len(published) > 0 {
		return published
	}
	return objects
}
