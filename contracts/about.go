package contracts

import (
	"path"
	"path/filepath"

	"sluice/contracts/odcs"
)

// About is what a contract says to people alone. Nothing of it is enforced, and
// its texts are as they were written.
type About struct {
	Name, Domain                string    `json:",omitempty"`
	Purpose, Usage, Limitations string    `json:",omitempty"`
	Support                     []Channel `json:",omitempty"`
	Roles                       []Role    `json:",omitempty"`
}

// Channel is a place where the writers of a table can be reached.
type Channel struct {
	Name        string
	Tool, Scope string `json:",omitempty"`
	URL         string `json:",omitempty"`
	Description string `json:",omitempty"`
}

// Role is what a reader asks for to get access.
type Role struct {
	Name                string
	Access, Description string `json:",omitempty"`
}

func about(root *odcs.Node) About {
	description := root.Get("description")
	a := About{
		Name: root.Get("name").Text(), Domain: root.Get("domain").Text(),
		Purpose: description.Get("purpose").Text(), Usage: description.Get("usage").Text(), Limitations: description.Get("limitations").Text(),
	}
	for _, n := range root.Get("support").Items() {
		a.Support = append(a.Support, Channel{
			Name: n.Get("channel").Text(), Tool: n.Get("tool").Text(), Scope: n.Get("scope").Text(),
			URL: n.Get("url").Text(), Description: n.Get("description").Text(),
		})
	}
	for _, n := range root.Get("roles").Items() {
		a.Roles = append(a.Roles, Role{Name: n.Get("role").Text(), Access: n.Get("access").Text(), Description: n.Get("description").Text()})
	}
	return a
}

// otherFile is the file that a reference leads to, as a slash path from the
// folder of the contract; "" is the contract's own.
func otherFile(reference, contract string) string {
	ref, err := parseReference(reference)
	if err != nil || ref.file == "" {
		return ""
	}
	if clean := path.Clean(ref.file); clean != filepath.Base(contract) {
		return clean
	}
	return ""
}
