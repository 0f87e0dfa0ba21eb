package plan

// Identity is who runs a command. They may be one; where they are several, none
// needs more than its own grants.
type Identity string

// The identities.
const (
	Runner   Identity = "run"     // the job of sluice run
	Lander   Identity = "land"    // the job of sluice land
	Migrator Identity = "migrate" // who applies a reviewed migration
	Looker   Identity = "look"    // people: history, check, quarantine, impact
	Reader   Identity = "read"    // the consumers of the published table
)

// Grant is what one identity needs on one object.
type Grant struct {
	Identity   Identity `json:"identity"`
	Privileges []string `json:"privileges"`
	Object     string   `json:"object"` // CATALOG, SCHEMA or TABLE
	Name       string   `json:"name"`   // dotted
	Why        string   `json:"why"`
	Until      string   `json:"until,omitempty"` // when it may be taken back; "" = it is needed for good
	SQL        string   `json:"sql"`             // in the words of Unity Catalog
}

// Identities are all of them in the order in which a table meets them, and what
// each does.
func Identities() []struct{ Name, Does string } {
	return []struct{ Name, Does string }{
		{string(Lander), "lands files (sluice land); leave it out where another tool fills the source"},
		{string(Runner), "takes batches to the published table (sluice run)"},
		{string(Migrator), "applies reviewed migrations (sluice migrate --apply)"},
		{string(Looker), "looks without writing (sluice history, check, impact, fixture add)"},
		{string(Reader), "the consumers; they see the published table alone"},
	}
}
