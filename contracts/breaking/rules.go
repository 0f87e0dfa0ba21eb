package breaking

import "slices"

// The ids of the rules. They never change their meaning: waivers and scripts rely
// on them. Where datacontract-cli 1.2.8 has a rule, its id is taken over.
const (
	ContractAdded               = "contract-added"
	ContractRemoved             = "contract-removed"
	EnumConstraintChanged       = "enum-constraint-changed"
	FreshnessChanged            = "freshness-changed"
	KeyConstraintChanged        = "key-constraint-changed"
	MetadataOrUnknownChange     = "metadata-or-unknown-change"
	PhysicalNameChanged         = "physical-name-changed"
	PropertyAddedOrRemoved      = "property-added-or-removed"
	PropertyRenamed             = "property-renamed"
	QualityConstraintChanged    = "quality-constraint-changed"
	RelationshipChanged         = "relationship-changed"
	RemovedTooEarly             = "removed-too-early"
	RequiredChanged             = "required-changed"
	SchemaAddedOrRemoved        = "schema-added-or-removed"
	TypeChanged                 = "type-changed"
	UniqueConstraintChanged     = "unique-constraint-changed"
	ValidationConstraintChanged = "validation-constraint-changed"
	VectorShapeChanged          = "vector-shape-changed"
)

// Rule is what one rule stands for: the registry behind `sluice breaking --explain`.
type Rule struct {
	ID    string
	Means string // what changed, and how it is graded
	Fix   string // what to do instead, or beside it
}

// Rules returns the registry in the order of ids.
func Rules() []Rule { return slices.Clone(registry) }

// IDs lists the ids of the registry.
func IDs() []string {
	var out []string
	for _, r := range registry {
		out = append(out, r.ID)
	}
	return out
}

// Explain finds a rule.
func Explain(id string) (Rule, bool) {
	i := slices.IndexFunc(registry, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return registry[i], true
}

var registry = []Rule{
	{
		ID:    ContractAdded,
		Means: "A contract has no earlier version; nobody reads its tables yet.",
		Fix:   "Nothing to do.",
	},
	{
		ID:    ContractRemoved,
		Means: "The file of a contract is gone, and with it the promise of all its tables. MAJOR; since no version is left to say so, only a waiver opens the gate.",
		Fix:   "Announce the end first (status: retired, an endOfLife), then remove the file with a waiver that names who agreed.",
	},
	{
		ID:    EnumConstraintChanged,
		Means: "The values that a column may have changed. A further value, or no list at all, is MAJOR: readers have never seen it. Fewer values are minor with notice: rows of the feed may be rejected now.",
		Fix:   "Tell consumers about a new value before the feed sends it; count the rows that a shorter list would reject.",
	},
	{
		ID:    FreshnessChanged,
		Means: "The age that data may have changed. Older data is MAJOR, fresher minor with notice, another column MAJOR.",
		Fix:   "Ask consumers who wait for the table; a promise of fresher data needs a feed that keeps it.",
	},
	{
		ID:    KeyConstraintChanged,
		Means: "Other columns make up the primary key, so a row stands for something else: a new table under a new contract id. The order of the same columns is a patch.",
		Fix:   "Copy the contract to a new id and a new table, publish both, and retire the old one when its consumers have moved.",
	},
	{
		ID:    MetadataOrUnknownChange,
		Means: "Something changed that no check of datacontract-cli looks at. The class says what it means here: words are a patch; what changes the published values or who may read them is minor with notice; another default time zone or a shorter retention is MAJOR; another grain is a new table.",
		Fix:   "Follow the class. Words of the grain that mean the same are confirmed by a waiver, and then count as minor with notice.",
	},
	{
		ID:    PhysicalNameChanged,
		Means: "A column or table has another name in storage. For a column that is MAJOR: queries that name it fail. Another table is a new one, which needs a new contract id.",
		Fix:   "Add the column under its new name with replaces, deprecate the old one with an endOfLife, and remove it after that day.",
	},
	{
		ID:    PropertyAddedOrRemoved,
		Means: "A column came or went. Removing is MAJOR; a new nullable one is minor, a required one minor with notice, since rows that are there have no value for it. A column that joins or leaves the key makes a new table.",
		Fix:   "Deprecate a column with an endOfLife before it goes. Add a required one as nullable first and fill it.",
	},
	{
		ID:    PropertyRenamed,
		Means: "A column has a new name: the same stable id, or a new column that replaces one which is gone. MAJOR: queries that name the old one fail.",
		Fix:   "Keep both for a while: the new one with replaces, the old one deprecated with an endOfLife. Remove the old one after that day.",
	},
	{
		ID:    QualityConstraintChanged,
		Means: "A quality rule came, went or lets other batches pass. More batches are MAJOR, fewer minor with notice; another query is minor with notice, since nobody can compare queries; words are a patch.",
		Fix:   "Keep a rule that consumers rely on; see what a tighter one would do to recent batches before it refuses them: sluice impact.",
	},
	{
		ID:    RelationshipChanged,
		Means: "A foreign key came, went or leads elsewhere. Removing or moving one is MAJOR: joins may lose rows. A new one is minor with notice: rows of the feed may break it.",
		Fix:   "Keep the old relationship until consumers do not join by it; count the rows that a new one would reject.",
	},
	{
		ID:    RemovedTooEarly,
		Means: "A column or table went before its end of life, or was never deprecated, so no consumer was warned. A promised day that lies ahead closes the gate whatever the version.",
		Fix:   "Put it back, deprecated and with an endOfLife, until that day; or waive it with the consumers who agreed.",
	},
	{
		ID:    RequiredChanged,
		Means: "A value may be missing now (MAJOR), or must be there (minor with notice: rows without it are rejected).",
		Fix:   "Let consumers handle a missing value before it comes; fill existing rows before a column becomes required.",
	},
	{
		ID:    SchemaAddedOrRemoved,
		Means: "A table came or went, or has another logical name. Removing is MAJOR, adding minor with notice.",
		Fix:   "Keep the name; deprecate the table and give it an endOfLife before it goes.",
	},
	{
		ID:    TypeChanged,
		Means: "A column has another type. MAJOR, also a wider one: readers have schemas of their own, and tables cannot change most types in place.",
		Fix:   "Add a column of the new type with replaces, deprecate the old one with an endOfLife, and remove it after that day.",
	},
	{
		ID:    UniqueConstraintChanged,
		Means: "Values may occur twice now (MAJOR: joins may multiply rows), or no longer (minor with notice).",
		Fix:   "Tell consumers who join by the column; count the duplicates before they are refused.",
	},
	{
		ID:    ValidationConstraintChanged,
		Means: "A range, length, size or pattern changed. Ranges are compared by the values that they accept: more is MAJOR, fewer minor with notice. Another pattern is minor with notice, since patterns cannot be compared.",
		Fix:   "Tell consumers about values that they have never seen; count the rows that a tighter bound would reject.",
	},
	{
		ID:    VectorShapeChanged,
		Means: "Vectors have another length or another type of element: MAJOR, since the two cannot be compared with each other.",
		Fix:   "Put the new vectors into a column of their own, and deprecate the old one.",
	},
}
